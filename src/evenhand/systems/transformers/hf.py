"""Who answers: a transformer of the Hugging Face kind that classifies or rates text, from a folder or the hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from evenhand.errors import UsageError
from evenhand.systems.base import CLASSES, Array, BaseScorer, Output, RunsOn, fingerprint_of
from evenhand.systems.table import system
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.labels import chosen, left_aside, values_of
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import SINGLE, Transformer

KIND = "AutoModelForSequenceClassification"
COMPARED = 64
"""In half precision, so many texts are scored in single precision, too."""

Task = Literal["regression", "classes", "multi-label"]


@system("hf", extra="hf", address="MODEL_OR_FOLDER")
class HuggingFace(BaseScorer):
    """A transformer that classifies or rates text, from a folder or the Hugging Face hub.

    Its configuration says which it is. A regressor's number is taken as it is, as the output `score`, which must lie in
    `low`..`high`; with `squash="sigmoid"` it is squashed into that range. A classifier gives a probability per label
    (of two, the second); one whose labels do not exclude each other, a probability each.

    `outputs` picks labels and names them: `{"LABEL_1": "joy"}`. `labels` gives each label a value instead,
    `{"1 star": 0, "2 stars": 0.5, "3 stars": 1}`, and the mean of those, weighted by probability, is the one output.
    `output` names the one output where there is one.

    `device` is `auto`, `cpu`, `cuda`, several GPUs with commas between them, or `all` of them. `precision` is
    `float32`, or `bfloat16` or `float16`, which are faster on GPUs; what that does to scores is measured and told.
    `at_once` limits how many texts go through the model together, where memory is short.

    Weights are read from safetensors only, and no code that comes with a model is run.
    """

    def __init__(
        self,
        model: str,
        *,
        outputs: Mapping[str, str] | Sequence[str] | None = None,
        labels: Mapping[str, float] | None = None,
        output: str | None = None,
        low: float = 0.0,
        high: float = 1.0,
        squash: str | None = None,
        revision: str | None = None,
        device: str = "auto",
        at_once: int | None = None,
        precision: str = SINGLE,
    ) -> None:
        import_torch()  # a missing extra is told before anything is looked for, or fetched
        self.name = f"hf:{model}"
        folder = checkpoint.find(model, revision=revision)
        self._transformer = Transformer(
            folder, KIND, name=self.name, device=device, at_once=at_once, precision=precision
        )
        self.batch_size: int = self._transformer.planned
        self.ahead: int = 1
        self.runs_on: RunsOn = self._transformer.runs_on
        self._folder = folder
        self._off: float | None = None
        config = self._transformer.model.config
        self._labels = [str(config.id2label[place]) for place in range(config.num_labels)]
        self._task = _task(config)
        self._squash = squash
        self._values: Array | None = None
        self._aside: tuple[str, ...] = ()
        self._refuse_idle({"labels": labels, "squash": squash, "output": output, "outputs": outputs})
        self.outputs: tuple[Output, ...]
        if labels is not None:
            self.outputs = (self._expected_value(labels, output),)
        elif self._task == "regression":
            self.outputs = self._ratings(outputs, output, low, high)
        else:
            self.outputs = self._probabilities(outputs)
        self.fingerprint: str | None = fingerprint_of(
            type(self), "torch", "transformers", "tokenizers",
            outputs=self.outputs, columns=self._columns, values=labels, squash=squash,
            **self._transformer.what_it_depends_on(),
        )  # fmt: skip

    def score(self, texts: Sequence[str]) -> Array:
        """What the model says of each text, read as its outputs declare."""
        scores = self._scored(self._transformer, texts)
        if self._transformer.precision != SINGLE and self._off is None and len(texts):
            self._off = self._compared(texts[:: -(-len(texts) // COMPARED)])
        return scores

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        """The texts that it will be asked about next are cut up beside the model's work."""
        self._transformer.expect([texts for texts, _ in coming])

    def tokenise(self, text: str) -> list[str]:
        """The word pieces of a text, without special tokens."""
        return self._transformer.tokenise(text)

    def remarks(self) -> tuple[str, ...]:
        """Which of two classes is scored, where the user did not say, and what half precision did to scores."""
        if self._off is None:
            return self._aside
        off = f"it ran in {self._transformer.precision}: scores differ from those in float32 by up to {self._off:.2g}"
        return (*self._aside, f"{off}, as measured on up to {COMPARED} texts")

    def _scored(self, transformer: Transformer, texts: Sequence[str]) -> Array:
        return self._read(transformer.ask(texts, lambda outcome, _: outcome.logits, width=len(self._labels)))

    def _compared(self, texts: Sequence[str]) -> float:
        """By how much scores differ from those in single precision, at most."""
        own = self._transformer
        single = Transformer(self._folder, KIND, name=self.name, device=str(own.device), at_once=own.at_once)
        return float(np.abs(self._scored(own, texts) - self._scored(single, texts)).max())

    def _read(self, logits: Array) -> Array:
        torch = import_torch()
        numbers = torch.from_numpy(logits)
        if self._task == "regression":
            rated = logits[:, self._columns]
            if self._squash is None:
                return rated
            low, high = (np.array([getattr(output, end) for output in self.outputs]) for end in ("low", "high"))
            squashed: Array = low + (high - low) * torch.sigmoid(numbers).numpy()[:, self._columns]
            return squashed
        shares = torch.sigmoid(numbers) if self._task == "multi-label" else torch.softmax(numbers, dim=1)
        probabilities: Array = shares.numpy()
        return probabilities[:, self._columns] if self._values is None else (probabilities @ self._values)[:, None]

    def _ratings(self, outputs: object, output: str | None, low: float, high: float) -> tuple[Output, ...]:
        # One number needs no label's name: transformers calls it LABEL_0 unless somebody took care.
        alone = {self._labels[0]: output or "score"} if len(self._labels) == 1 and outputs is None else None
        named = alone or chosen(self._labels, outputs, exclusive=False, name=self.name)
        self._columns = [self._labels.index(label) for label in named]
        return tuple(Output(name, low=low, high=high) for name in named.values())

    def _probabilities(self, outputs: object) -> tuple[Output, ...]:
        named = chosen(self._labels, outputs, exclusive=self._task == "classes", name=self.name)
        self._columns = [self._labels.index(label) for label in named]
        if outputs is None and self._task == "classes":
            self._aside = left_aside(self._labels, list(named))
        whole = self._task == "classes" and len(named) == len(self._labels)
        return tuple(Output(name, kind="probability", of=CLASSES if whole else None) for name in named.values())

    def _expected_value(self, given: object, output: str | None) -> Output:
        self._columns = list(range(len(self._labels)))
        self._values = values_of(self._labels, given, name=self.name)
        return Output(output or "score", low=float(self._values.min()), high=float(self._values.max()))

    def _refuse_idle(self, given: Mapping[str, Any]) -> None:
        """A setting that would do nothing is a misunderstanding."""
        labelled = given["labels"] is not None
        if given["squash"] not in (None, "sigmoid"):
            raise UsageError(f"{self.name!r}: squash must be 'sigmoid', not {given['squash']!r}")
        if given["squash"] and self._task != "regression":
            raise UsageError(f"{self.name!r}: squash is for regression; this model gives probabilities")
        if labelled and self._task != "classes":
            raise UsageError(f"{self.name!r}: labels is for classes that exclude each other; this is {self._task}")
        if labelled and given["outputs"] is not None:
            raise UsageError(f"{self.name!r}: give outputs or labels, not both")
        one = labelled or (self._task == "regression" and len(self._labels) == 1 and given["outputs"] is None)
        if given["output"] is not None and not one:
            raise UsageError(f"{self.name!r}: output names a single output; name these through outputs")


def _task(config: Any) -> Task:
    """As transformers itself reads a configuration, which need not name its task."""
    if config.problem_type == "multi_label_classification":
        return "multi-label"
    return "regression" if config.problem_type == "regression" or config.num_labels == 1 else "classes"
