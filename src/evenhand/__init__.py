"""Evenhand: does the answer change when only the person changes?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.annotating import Sheets
    from evenhand.asking import Scores, Tags, score
    from evenhand.asking.settings import AskSettings
    from evenhand.comparing import Settings
    from evenhand.comparing.audit import Audit
    from evenhand.comparing.chat import Chat
    from evenhand.comparing.comparison import Comparison
    from evenhand.comparing.findings import Finding
    from evenhand.comparing.sequential import Waves
    from evenhand.corpora import Corpus, eec, load_corpus
    from evenhand.corpora.asked_names import Names
    from evenhand.errors import EvenhandError, SystemsFailed, UsageError
    from evenhand.explaining import Explanation
    from evenhand.gating import Check, GateSettings
    from evenhand.measuring import MeasureSettings, Metrics
    from evenhand.metrics import Predictions
    from evenhand.planning.result import Plan
    from evenhand.planning.spreads import Spreads
    from evenhand.rating import Ratings, rate_scores
    from evenhand.repairs import Calibrator, load_calibrator
    from evenhand.repairs.phrases import Phrases
    from evenhand.repairs.result import Repair
    from evenhand.repairs.workshop import RepairSettings
    from evenhand.results import Note, Provenance, Result, Statement
    from evenhand.specs.resolving import load_system
    from evenhand.studies import Study
    from evenhand.systems import BaseScorer, BaseTagger, Output, Scorer, Tagger, as_scorer, as_tagger
    from evenhand.translation import Drift
    from evenhand.verbs.ask import ask
    from evenhand.verbs.audit import audit
    from evenhand.verbs.chat import chat
    from evenhand.verbs.check import check
    from evenhand.verbs.compare import compare
    from evenhand.verbs.drift import drift
    from evenhand.verbs.explain import explain
    from evenhand.verbs.export import export
    from evenhand.verbs.measure import measure
    from evenhand.verbs.phrases import phrases
    from evenhand.verbs.plan import plan
    from evenhand.verbs.rate import rate
    from evenhand.verbs.repair import repair
    from evenhand.verbs.reproduce import reproduce
    from evenhand.verbs.saved import load_result
    from evenhand.verbs.study import study

__all__ = [
    "AskSettings",
    "Audit",
    "BaseScorer",
    "BaseTagger",
    "Calibrator",
    "Chat",
    "Check",
    "Comparison",
    "Corpus",
    "Drift",
    "EvenhandError",
    "Explanation",
    "Finding",
    "GateSettings",
    "MeasureSettings",
    "Metrics",
    "Names",
    "Note",
    "Output",
    "Phrases",
    "Plan",
    "Predictions",
    "Provenance",
    "Ratings",
    "Repair",
    "RepairSettings",
    "Result",
    "Scorer",
    "Scores",
    "Settings",
    "Sheets",
    "Spreads",
    "Statement",
    "Study",
    "SystemsFailed",
    "Tagger",
    "Tags",
    "UsageError",
    "Waves",
    "as_scorer",
    "as_tagger",
    "ask",
    "audit",
    "chat",
    "check",
    "compare",
    "drift",
    "eec",
    "explain",
    "export",
    "load_calibrator",
    "load_corpus",
    "load_result",
    "load_system",
    "measure",
    "phrases",
    "plan",
    "rate",
    "rate_scores",
    "repair",
    "reproduce",
    "score",
    "study",
]

# Imported on first use, so that `evenhand --help` does not wait for numpy.
_HOMES = {
    "AskSettings": "evenhand.asking.settings",
    "Audit": "evenhand.comparing.audit",
    "BaseScorer": "evenhand.systems",
    "BaseTagger": "evenhand.systems",
    "Calibrator": "evenhand.repairs",
    "Chat": "evenhand.comparing.chat",
    "Check": "evenhand.gating",
    "Comparison": "evenhand.comparing.comparison",
    "Corpus": "evenhand.corpora",
    "Drift": "evenhand.translation",
    "EvenhandError": "evenhand.errors",
    "Explanation": "evenhand.explaining",
    "Finding": "evenhand.comparing.findings",
    "GateSettings": "evenhand.gating",
    "MeasureSettings": "evenhand.measuring",
    "Metrics": "evenhand.measuring",
    "Names": "evenhand.corpora.asked_names",
    "Note": "evenhand.results",
    "Output": "evenhand.systems",
    "Phrases": "evenhand.repairs.phrases",
    "Plan": "evenhand.planning.result",
    "Predictions": "evenhand.metrics",
    "Provenance": "evenhand.results",
    "Ratings": "evenhand.rating",
    "Repair": "evenhand.repairs.result",
    "RepairSettings": "evenhand.repairs.workshop",
    "Result": "evenhand.results",
    "Scorer": "evenhand.systems",
    "Scores": "evenhand.asking",
    "Settings": "evenhand.comparing",
    "Sheets": "evenhand.annotating",
    "Spreads": "evenhand.planning.spreads",
    "Statement": "evenhand.results",
    "Study": "evenhand.studies",
    "SystemsFailed": "evenhand.errors",
    "Tagger": "evenhand.systems",
    "Tags": "evenhand.asking",
    "UsageError": "evenhand.errors",
    "Waves": "evenhand.comparing.sequential",
    "as_scorer": "evenhand.systems",
    "as_tagger": "evenhand.systems",
    "ask": "evenhand.verbs.ask",
    "audit": "evenhand.verbs.audit",
    "chat": "evenhand.verbs.chat",
    "check": "evenhand.verbs.check",
    "compare": "evenhand.verbs.compare",
    "drift": "evenhand.verbs.drift",
    "eec": "evenhand.corpora",
    "explain": "evenhand.verbs.explain",
    "export": "evenhand.verbs.export",
    "load_calibrator": "evenhand.repairs",
    "load_corpus": "evenhand.corpora",
    "load_result": "evenhand.verbs.saved",
    "load_system": "evenhand.specs.resolving",
    "measure": "evenhand.verbs.measure",
    "phrases": "evenhand.verbs.phrases",
    "plan": "evenhand.verbs.plan",
    "rate": "evenhand.verbs.rate",
    "rate_scores": "evenhand.rating",
    "repair": "evenhand.verbs.repair",
    "reproduce": "evenhand.verbs.reproduce",
    "score": "evenhand.asking",
    "study": "evenhand.verbs.study",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
