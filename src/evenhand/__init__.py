"""Evenhand: does the answer change when only the person changes?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.asking import Scores, score
    from evenhand.comparing import Settings
    from evenhand.comparing.audit import Audit
    from evenhand.comparing.comparison import Comparison
    from evenhand.comparing.findings import Finding
    from evenhand.corpora import Corpus, eec, load_corpus
    from evenhand.errors import EvenhandError, UsageError
    from evenhand.measuring import measure_file, measure_scores
    from evenhand.metrics import Predictions, measure
    from evenhand.repairs import Calibrator, load_calibrator
    from evenhand.repairs.result import Repair
    from evenhand.repairs.workshop import RepairSettings
    from evenhand.studies import Study
    from evenhand.systems import Output, Scorer
    from evenhand.verbs.audit import audit
    from evenhand.verbs.compare import compare
    from evenhand.verbs.repair import repair
    from evenhand.verbs.study import study

__all__ = [
    "Audit",
    "Calibrator",
    "Comparison",
    "Corpus",
    "EvenhandError",
    "Finding",
    "Output",
    "Predictions",
    "Repair",
    "RepairSettings",
    "Scorer",
    "Scores",
    "Settings",
    "Study",
    "UsageError",
    "audit",
    "compare",
    "eec",
    "load_calibrator",
    "load_corpus",
    "measure",
    "measure_file",
    "measure_scores",
    "repair",
    "score",
    "study",
]

# Imported on first use, so that `evenhand --help` does not wait for numpy.
_HOMES = {
    "Audit": "evenhand.comparing.audit",
    "Calibrator": "evenhand.repairs",
    "Comparison": "evenhand.comparing.comparison",
    "Corpus": "evenhand.corpora",
    "EvenhandError": "evenhand.errors",
    "Finding": "evenhand.comparing.findings",
    "Output": "evenhand.systems",
    "Predictions": "evenhand.metrics",
    "Repair": "evenhand.repairs.result",
    "RepairSettings": "evenhand.repairs.workshop",
    "Scorer": "evenhand.systems",
    "Scores": "evenhand.asking",
    "Settings": "evenhand.comparing",
    "Study": "evenhand.studies",
    "UsageError": "evenhand.errors",
    "audit": "evenhand.verbs.audit",
    "compare": "evenhand.verbs.compare",
    "eec": "evenhand.corpora",
    "load_calibrator": "evenhand.repairs",
    "load_corpus": "evenhand.corpora",
    "measure": "evenhand.metrics",
    "measure_file": "evenhand.measuring",
    "measure_scores": "evenhand.measuring",
    "repair": "evenhand.verbs.repair",
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
