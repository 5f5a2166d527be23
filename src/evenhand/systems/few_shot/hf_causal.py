"""Who answers: a causal language model of the Hugging Face kind, from a folder or the hub, shown a few examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.systems.few_shot.causal_model import CausalModel
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.table import system
from evenhand.systems.transformers.transformer import SINGLE

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus


@system("hf-causal", extra="hf", address="MODEL_OR_FOLDER")
def hf_causal(
    model: str,
    corpus: Corpus | None = None,
    *,
    task: str | None = None,
    ask: str = "own",
    read: str = "expected",
    revision: str | None = None,
    device: str = "auto",
    at_once: int | None = None,
    prefix_cache: bool = True,
    precision: str = SINGLE,
) -> FewShot:
    """A few-shot language model that transformers can run, from a folder or the Hugging Face hub.

    `task` is the file of a task (else the intensity of emotions), `ask` what each sentence is asked for, and `read` how
    the labels' probabilities are read. What all prompts share is computed once, unless `prefix_cache` is off: answers
    differ by rounding only. `at_once` limits how many prompts go through the model together, where memory is short.

    `device` is `auto`, `cpu`, `cuda`, several GPUs with commas between them, or `all` of them. `precision` is
    `float32`, or `bfloat16` or `float16`, which are faster on GPUs; what that does to probabilities is measured and
    told. Weights are read from safetensors only, and no code that comes with a model is run.
    """
    made = CausalModel(
        model, revision=revision, device=device, at_once=at_once, prefix_cache=prefix_cache, precision=precision
    )
    return FewShot(made, corpus, task=task, ask=ask, read=read)
