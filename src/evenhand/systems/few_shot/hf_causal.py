"""Who answers: a causal language model of the Hugging Face kind, from a folder or the hub, shown a few examples."""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import EvenhandError, UsageError, quoted
from evenhand.systems.base import Array, fingerprint_of
from evenhand.systems.few_shot import label_tokens
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.label_tokens import Cutter, LabelTokens, Tokens, in_common
from evenhand.systems.few_shot.models import LabelModel
from evenhand.systems.table import system
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.lengths import by_length
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import Transformer

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

PLANNED = 64
"""How many prompts are asked for together: the unit of caching, and what a kill may cost."""

PREFIXES = 8
"""How many prefixes stay computed: one for each question of a task, usually."""

Probabilities = dict[Tokens, dict[int, float]]
"""After each beginning of a label, how probable the tokens are that some label goes on with."""


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
    at_once: int = 16,
    prefix_cache: bool = True,
) -> FewShot:
    """A few-shot language model that transformers can run, from a folder or the Hugging Face hub.

    `task` is the file of a task (else the intensity of emotions), `ask` what each sentence is asked for, and `read` how
    the labels' probabilities are read. `at_once` prompts go through the model together. What all prompts share is
    computed once, unless `prefix_cache` is off: answers differ by rounding only.

    Weights are read from safetensors only, in single precision, and no code that comes with a model is run.
    """
    made = CausalModel(model, revision=revision, device=device, at_once=at_once, prefix_cache=prefix_cache)
    return FewShot(made, corpus, task=task, ask=ask, read=read)


@dataclass(frozen=True)
class Row:
    """One line through the model: a prompt's tokens, and those of a label up to its last."""

    place: int
    tokens: Tokens
    prompt: int
    """How many of the tokens are the prompt's."""

    @property
    def stems(self) -> list[Tokens]:
        """The beginnings of labels after which this line says what comes next."""
        return [self.tokens[self.prompt : end] for end in range(self.prompt, len(self.tokens) + 1)]


@dataclass(frozen=True)
class Computed:
    """The tokens that all prompts begin with, and the keys and values that the model made of them."""

    tokens: Tokens
    past: Any

    def for_rows(self, count: int) -> dict[str, Any]:
        """What lets the model go on from here, in so many rows."""
        if self.past is None:
            return {"use_cache": False}
        past = copy.deepcopy(self.past)  # the model adds to what it is given
        past.batch_repeat_interleave(count)
        return {"use_cache": True, "past_key_values": past}


class CausalModel(LabelModel):
    """Gives the probability of whole labels, the product over their tokens, each out of the full vocabulary."""

    batch_size = PLANNED

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        device: str = "auto",
        at_once: int = 16,
        prefix_cache: bool = True,
    ) -> None:
        import_torch()  # a missing extra is told before anything is looked for, or fetched
        self.name = f"hf-causal:{model}"
        folder = checkpoint.find(model, revision=revision)
        self._transformer = Transformer(folder, "AutoModelForCausalLM", name=self.name, device=device, at_once=at_once)
        self._at_once = at_once
        self._opening = _opening(self._transformer.tokeniser)
        self._cutter = Cutter(self._tokens)
        self._takes_keep = "logits_to_keep" in inspect.signature(self._transformer.model.forward).parameters
        self._caches = prefix_cache
        self._kept: OrderedDict[Tokens, Computed] = OrderedDict()
        self.fingerprint: str | None = fingerprint_of(
            type(self), "torch", "transformers", "tokenizers",
            # Without a token to pad with, others have to go one by one; here, no padding is ever looked at.
            **self._transformer.what_it_depends_on() | {"at_once": at_once},
            prefix_cache=prefix_cache, labels=label_tokens.REVISION,
        )  # fmt: skip

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label, whole, after each prompt: an array of shape (endings, labels)."""
        asked = [self._cutter.cut(prefix + ending, labels) for ending in endings]
        self._refuse_overflow(asked, endings)
        found: list[Probabilities] = [{} for _ in asked]
        with import_torch().inference_mode():
            computed = self._computed(self._shared(prefix, asked))
            for rows in self._batches(asked):
                for row, after in zip(rows, self._after(computed, rows), strict=True):
                    for stem, logs in zip(row.stems, after, strict=True):
                        following = asked[row.place].following(stem)
                        found[row.place][stem] = {token: float(logs[token].exp()) for token in following}
        masses = [one.masses(probability) for one, probability in zip(asked, found, strict=True)]
        return np.array(masses, dtype=np.float64).reshape(len(endings), len(labels))

    def tokenise(self, text: str) -> list[str]:
        """The pieces of a text, without special tokens."""
        return self._transformer.tokenise(text)

    def _tokens(self, text: str) -> Tokens:
        found = self._transformer.tokeniser(text, add_special_tokens=False, verbose=False)["input_ids"]
        return (*self._opening, *found)

    def _refuse_overflow(self, asked: Sequence[LabelTokens], endings: Sequence[str]) -> None:
        limit = self._transformer.limit
        for one, ending in zip(asked, endings, strict=True):
            if not one.prompt:
                raise UsageError(f"{self.name!r}: there is no prompt before the labels; give the task an instruction")
            if limit is not None and one.longest > limit:
                raise EvenhandError(
                    f"{self.name!r} reads {limit:,} tokens at most, and the prompt with its label has {one.longest:,}; "
                    f"it ends in {quoted(ending[-60:])}: give the task fewer or shorter examples"
                )

    def _shared(self, prefix: str, asked: Sequence[LabelTokens]) -> Tokens:
        """The tokens of the prefix that all prompts begin with; each keeps one at least to be asked about."""
        if not self._caches or not asked:
            return ()
        tokens = self._tokens(prefix)
        return tokens[: min(min(in_common(tokens, one.prompt), len(one.prompt) - 1) for one in asked)]

    def _batches(self, asked: Sequence[LabelTokens]) -> Iterator[list[Row]]:
        rows = [
            Row(place, one.prompt + stem, len(one.prompt)) for place, one in enumerate(asked) for stem in _paths(one)
        ]
        texts = [" ".join(map(str, row.tokens)) for row in rows]
        for places in by_length(texts, [len(row.tokens) for row in rows], self._at_once):
            yield [rows[place] for place in places]

    def _after(self, computed: Computed, rows: Sequence[Row]) -> Iterator[Any]:
        """For each row, the log-probabilities of all tokens after each of its stems."""
        torch = import_torch()
        width = max(len(row.tokens) for row in rows)
        first = min(row.prompt for row in rows) - 1  # the first place that anything is read from
        logits = self._run(computed, rows, width=width, keep=width - first)
        for row, line in zip(rows, logits, strict=True):
            start = row.prompt - 1 - first
            yield torch.log_softmax(line[start : start + len(row.stems)].float().cpu().double(), dim=-1)

    def _run(self, computed: Computed, rows: Sequence[Row], *, width: int, keep: int) -> Any:
        """The model's logits in the last so many places of each row.

        Padding stands behind the tokens: nothing that is read comes after it, so it cannot be seen, and positions are
        those of a prompt alone.
        """
        torch, device = import_torch(), self._transformer.device
        lengths = torch.tensor([[len(row.tokens)] for row in rows])
        new = [_padded(row.tokens, width)[len(computed.tokens) :] for row in rows]
        outcome = self._transformer.model(
            input_ids=torch.tensor(new, device=device),
            attention_mask=(torch.arange(width)[None, :] < lengths).long().to(device),
            **computed.for_rows(len(rows)),
            **({"logits_to_keep": keep} if self._takes_keep else {}),
        )
        return outcome.logits[:, -keep:]

    def _computed(self, shared: Tokens) -> Computed:
        """What the model makes of the tokens that all prompts share; of none, if it keeps nothing to go on from."""
        if not shared:
            return Computed((), None)
        if shared not in self._kept:
            tokens = import_torch().tensor([shared], device=self._transformer.device)
            outcome = self._transformer.model(
                input_ids=tokens,
                attention_mask=import_torch().ones_like(tokens),
                use_cache=True,
                **({"logits_to_keep": 1} if self._takes_keep else {}),
            )
            past = getattr(outcome, "past_key_values", None)
            self._kept[shared] = Computed(shared, past) if _shareable(past) else Computed((), None)
            if len(self._kept) > PREFIXES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(shared)
        return self._kept[shared]


def _shareable(past: Any) -> bool:
    """Whether what was computed once can be repeated for many prompts; what recurrent models keep cannot."""
    try:
        copy.deepcopy(past).batch_repeat_interleave(2)
    except (AttributeError, NotImplementedError):
        return False
    return True


def _paths(asked: LabelTokens) -> list[Tokens]:
    """The stems that no other stem extends: a line for each of them passes all the others."""
    stems = asked.stems
    return [one for one in stems if not any(other != one and other[: len(one)] == one for other in stems)]


def _padded(tokens: Tokens, width: int) -> Tokens:
    return tokens + (0,) * (width - len(tokens))


def _opening(tokeniser: Any) -> Tokens:
    """The special tokens that a tokeniser puts before every text; those that it puts behind would end the prompt."""
    bare = tokeniser("a", add_special_tokens=False)["input_ids"]
    full = tokeniser("a")["input_ids"]
    starts = (start for start in range(len(full)) if full[start : start + len(bare)] == bare)
    return tuple(full[: next(starts, 0)])
