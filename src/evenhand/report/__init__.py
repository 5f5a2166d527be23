"""Showing what was found: pages, figures, tables and words. The only room that renders: a renderer for each kind."""

from evenhand.report import agreement, chat, compared, drift, measured, ratings, repair, report, study
from evenhand.results import register_renderer

register_renderer("agreement", agreement.RENDERER)
register_renderer("audit", report.RENDERER)
register_renderer("chat", chat.RENDERER)
register_renderer("comparison", compared.RENDERER)
register_renderer("drift", drift.RENDERER)
register_renderer("metrics", measured.RENDERER)
register_renderer("ratings", ratings.RENDERER)
register_renderer("repair", repair.RENDERER)
register_renderer("study", study.RENDERER)
