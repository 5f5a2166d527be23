"""Who answers: the protocol, the table of known systems and one small file per adapter."""

# Importing an adapter enters it into the table; the packages that it calls are imported on use only.
from evenhand.systems import (  # noqa: F401
    afinn,
    biased_female,
    embedding,
    gru,
    hf,
    hf_tagging,
    http,
    human,
    nrc,
    planted,
    python_path,
    python_tagging,
    random_uniform,
    skops_file,
    spacy_tagging,
    spacy_textcat,
    svm,
    svr,
    textblob,
    vader,
)
from evenhand.systems.base import Array, BaseScorer, Output, Scorer, fingerprint_of
from evenhand.systems.callables import as_scorer
from evenhand.systems.few_shot import gguf, hf_causal, openai, smollm  # noqa: F401
from evenhand.systems.table import REGISTRY, build_system, system
from evenhand.systems.tagging import BaseTagger, Tagger, as_tagger

__all__ = [
    "REGISTRY",
    "Array",
    "BaseScorer",
    "BaseTagger",
    "Output",
    "Scorer",
    "Tagger",
    "as_scorer",
    "as_tagger",
    "build_system",
    "fingerprint_of",
    "system",
]
