"""Who answers: all adapters, in one place; importing one enters it into the table."""

# The packages that they call are imported on use only.
from evenhand.systems import http
from evenhand.systems.few_shot import gguf, hf_causal, openai, smollm
from evenhand.systems.known_bias import biased_female, planted, random_uniform
from evenhand.systems.lexicons import afinn, nrc, textblob, vader
from evenhand.systems.people import human
from evenhand.systems.table import REGISTRY, build_system, system
from evenhand.systems.tagging import BaseTagger, Tagger, as_tagger
from evenhand.systems.trained import embedding, gru, svm, svr
from evenhand.systems.transformers import hf, hf_tagging
from evenhand.systems.yours import python_path, python_tagging, skops_file, spacy_tagging, spacy_textcat
from evenhand.systems.yours.callables import as_scorer

__all__ = [
    "REGISTRY",
    "BaseTagger",
    "Tagger",
    "afinn",
    "as_scorer",
    "as_tagger",
    "biased_female",
    "build_system",
    "embedding",
    "gguf",
    "gru",
    "hf",
    "hf_causal",
    "hf_tagging",
    "http",
    "human",
    "nrc",
    "openai",
    "planted",
    "python_path",
    "python_tagging",
    "random_uniform",
    "skops_file",
    "smollm",
    "spacy_tagging",
    "spacy_textcat",
    "svm",
    "svr",
    "system",
    "textblob",
    "vader",
]
