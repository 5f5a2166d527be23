"""Who tags: a transformer of the Hugging Face kind that classifies tokens, from a folder or the hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from evenhand.errors import BadAnswer, UsageError, did_you_mean, quoted
from evenhand.schemes import OUTSIDE, class_of, scheme_of
from evenhand.systems.base import Array, RunsOn, fingerprint_of
from evenhand.systems.tagging import BaseTagger, Tagging, TokenLists, tagger
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.chain import read_chain
from evenhand.systems.transformers.pieces import OFFSETS, SPECIAL
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import PLANNED, Transformer

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@tagger("hf", extra="hf", address="MODEL_OR_FOLDER")
class HuggingFaceTagger(BaseTagger):
    """A transformer that classifies tokens, from a folder or the Hugging Face hub.

    A word has the tag and the probabilities of the first piece that its tokeniser makes of it. The labels of its
    configuration are tags of BILOU, BIO or IOBES; `labels` renames those that are not: `{"LABEL_0": "O"}`.

    A tagger that was trained here with a CRF gives the likeliest sequence of tags. Its probabilities are those of the
    encoder, word by word, as published; `marginals` takes the chain's own instead.

    Weights are read from safetensors only, and no code that comes with a model is run.
    """

    batch_size = PLANNED

    def __init__(
        self,
        model: str,
        *,
        labels: Mapping[str, str] | None = None,
        marginals: bool = False,
        revision: str | None = None,
        device: str = "auto",
        at_once: int | None = None,
    ) -> None:
        import_torch()  # a missing extra is told before anything is looked for, or fetched
        self.name = f"hf:{model}"
        folder = checkpoint.find(model, revision=revision)
        self._transformer = Transformer(
            folder, "AutoModelForTokenClassification", name=self.name, device=device, at_once=at_once
        )
        self.runs_on: RunsOn = self._transformer.runs_on
        if not self._transformer.tokeniser.is_fast:
            raise UsageError(f"{self.name!r}: its tokeniser cannot tell where in a text a piece lies (tokenizer.json)")
        config = self._transformer.model.config
        known = [str(config.id2label[place]) for place in range(config.num_labels)]
        self._tags = _renamed(known, labels or {}, self.name)
        self._chain = read_chain(folder, len(known))
        self._marginals = marginals
        if marginals and self._chain is None:
            raise UsageError(f"{self.name!r} has no CRF, so there are no marginals; leave out marginals")
        self.classes: tuple[str, ...] | None = tuple(sorted({class_of(tag) for tag in self._tags} - {OUTSIDE}))
        self.fingerprint: str | None = fingerprint_of(
            type(self), "torch", "transformers", "tokenizers", tags=self._tags,
            **({"marginals": True} if marginals else {}), **self._transformer.what_it_depends_on(),
        )  # fmt: skip

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """The likeliest tag of each word, and the probabilities of all."""
        texts = [" ".join(tokens) for tokens in token_lists]
        answers: list[Tagging | None] = [None] * len(texts)
        for places, pieces, outcome in self._transformer.outcomes(texts):
            logits = outcome.logits.float().cpu().numpy().astype(np.float64)
            for row, place in enumerate(places):
                covered = np.array(pieces.covered[OFFSETS][place])
                real = np.array(pieces.covered[SPECIAL][place]) == 0  # no [CLS]
                firsts = self._first_pieces(token_lists[place], covered, real)
                answers[place] = self._tagging(self._transformer.unpadded(logits[row], len(covered))[firsts])
        return [answer for answer in answers if answer is not None]

    def _first_pieces(self, tokens: Sequence[str], covered: Ints, real: Bools) -> list[int]:
        """The first piece of each word: the first that covers characters of it, or the space that leads to it."""
        ends = list(accumulate(len(token) + 1 for token in tokens))
        pieces = []
        for token, end in zip(tokens, ends, strict=True):
            start, stop = end - len(token) - 1, end - 1
            inside = real & (covered[:, 0] < stop) & (covered[:, 1] >= start)
            if not inside.any():
                raise BadAnswer(f"{self.name!r} reads no piece of {token!r} in {quoted(' '.join(tokens), 80)}")
            pieces.append(int(inside.argmax()))
        return pieces

    def _tagging(self, emissions: Array) -> Tagging:
        from scipy.special import softmax

        chain = self._chain
        probabilities = softmax(emissions, axis=1)
        if chain is not None and self._marginals:
            probabilities = chain.marginals(emissions)
        best = probabilities.argmax(axis=1) if chain is None else chain.likeliest(emissions)
        likeliest = tuple(self._tags[place] for place in best)
        return Tagging(likeliest, tuple(dict(zip(self._tags, row, strict=True)) for row in probabilities.tolist()))


def _renamed(known: list[str], labels: Mapping[str, str], name: str) -> list[str]:
    for label in labels:
        if label not in known:
            raise UsageError(f"{name!r} has no label {label!r}{did_you_mean(label, known)}")
    tags = [labels.get(label, label) for label in known]
    if len(set(tags)) < len(tags):
        raise UsageError(f"{name!r}: two of its labels are the same tag: {', '.join(tags)}")
    scheme = scheme_of(tags)
    for tag in tags:
        try:
            scheme.parted(tag)
        except UsageError as error:
            raise UsageError(f"{name!r}: {error}; labels={{'{tag}': ...}} says which tag a label is") from error
    return tags
