"""The report as one self-contained HTML file."""

from evenhand.report.page.page import to_html

__all__ = ["to_html"]
