"""Who answers: the protocol, the table of known systems and one small file per adapter."""

from evenhand.systems import afinn, biased_female, nrc, planted, python_path, random_uniform, svr, textblob, vader
from evenhand.systems.base import REGISTRY, Array, Output, Scorer, build_system, system
from evenhand.systems.callables import as_scorer

ADAPTERS = (afinn, biased_female, nrc, planted, python_path, random_uniform, svr, textblob, vader)
"""The files whose import fills the table; packages that they call are imported on use only."""

__all__ = ["REGISTRY", "Array", "Output", "Scorer", "as_scorer", "build_system", "system"]
