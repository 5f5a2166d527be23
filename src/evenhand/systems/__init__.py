"""Who answers: the protocol, the table of known systems and one small file per adapter."""

from evenhand.systems import (
    afinn,
    biased_female,
    embedding,
    hf,
    http,
    nrc,
    planted,
    python_path,
    random_uniform,
    skops_file,
    spacy_textcat,
    svr,
    textblob,
    vader,
)
from evenhand.systems.base import REGISTRY, Array, Output, Scorer, build_system, fingerprint_of, system
from evenhand.systems.callables import as_scorer

ADAPTERS = (
    afinn,
    biased_female,
    embedding,
    hf,
    http,
    nrc,
    planted,
    python_path,
    random_uniform,
    skops_file,
    spacy_textcat,
    svr,
    textblob,
    vader,
)
"""The files whose import fills the table; packages that they call are imported on use only."""

__all__ = ["REGISTRY", "Array", "Output", "Scorer", "as_scorer", "build_system", "fingerprint_of", "system"]
