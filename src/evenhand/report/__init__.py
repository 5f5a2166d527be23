"""Showing what was found: text and JSON."""

from evenhand.report.report import Report

__all__ = ["Report"]
