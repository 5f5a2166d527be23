"""Showing what was found: pages, figures, tables and words. The only room that renders: a renderer for each kind."""

from evenhand.report import agreement, audit, chat, comparison, drift, metrics, ratings, repair, study
from evenhand.results import register_renderer

register_renderer("agreement", agreement.RENDERER)
register_renderer("audit", audit.RENDERER)
register_renderer("chat", chat.RENDERER)
register_renderer("comparison", comparison.RENDERER)
register_renderer("drift", drift.RENDERER)
register_renderer("metrics", metrics.RENDERER)
register_renderer("ratings", ratings.RENDERER)
register_renderer("repair", repair.RENDERER)
register_renderer("study", study.RENDERER)
