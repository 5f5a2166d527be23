"""Who answers: the protocol, the table of known systems and one small file per adapter."""

# Importing an adapter enters it into the table; the packages that it calls are imported on use only.
from evenhand.systems import http  # noqa: F401
from evenhand.systems.base import Array, BaseScorer, Output, Scorer, fingerprint_of
from evenhand.systems.few_shot import gguf, hf_causal, openai, smollm  # noqa: F401
from evenhand.systems.known_bias import biased_female, planted, random_uniform  # noqa: F401
from evenhand.systems.lexicons import afinn, nrc, textblob, vader  # noqa: F401
from evenhand.systems.people import human  # noqa: F401
from evenhand.systems.table import REGISTRY, build_system, system
from evenhand.systems.tagging import BaseTagger, Tagger, as_tagger
from evenhand.systems.trained import embedding, gru, svm, svr  # noqa: F401
from evenhand.systems.transformers import hf, hf_tagging  # noqa: F401
from evenhand.systems.yours import python_path, python_tagging, skops_file, spacy_tagging, spacy_textcat  # noqa: F401
from evenhand.systems.yours.callables import as_scorer

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
