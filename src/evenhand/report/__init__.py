"""Showing what was found: pages, figures, tables and words. The only room that renders: a renderer for each kind."""

from evenhand.report import (
    agreement,
    audit,
    chat,
    check,
    comparison,
    drift,
    explanation,
    metrics,
    next_steps,
    phrases,
    plan,
    ratings,
    repair,
    study,
)
from evenhand.report.check.next_steps import after_check
from evenhand.report.next_steps import with_steps
from evenhand.results import register_renderer

register_renderer("agreement", with_steps(agreement.RENDERER, lambda found: []))
register_renderer("audit", audit.RENDERER)
register_renderer("chat", with_steps(chat.RENDERER, next_steps.after_chat))
register_renderer("check", with_steps(check.RENDERER, after_check))
register_renderer("comparison", with_steps(comparison.RENDERER, next_steps.after_comparison))
register_renderer("drift", with_steps(drift.RENDERER, next_steps.after_drift))
register_renderer("explanation", with_steps(explanation.RENDERER, next_steps.after_explanation))
register_renderer("metrics", with_steps(metrics.RENDERER, next_steps.after_metrics))
register_renderer("phrases", with_steps(phrases.RENDERER, next_steps.after_phrases))
register_renderer("plan", with_steps(plan.RENDERER, next_steps.after_plan))
register_renderer("ratings", with_steps(ratings.RENDERER, next_steps.after_ratings))
register_renderer("repair", with_steps(repair.RENDERER, next_steps.after_repair))
register_renderer("study", with_steps(study.RENDERER, next_steps.after_study))
