"""A causal language model of the Hugging Face kind: how probable labels are after prompts, many prompts at once."""

from __future__ import annotations

import inspect
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError, UsageError, quoted
from evenhand.systems.base import Array, RunsOn, fingerprint_of
from evenhand.systems.few_shot import label_tokens
from evenhand.systems.few_shot.beginnings import Computed, shareable
from evenhand.systems.few_shot.beside import beside, looks_plain
from evenhand.systems.few_shot.label_tokens import Cutter, LabelTokens, Tokens, in_common
from evenhand.systems.few_shot.lines import Asked, Later, Row, masses_of
from evenhand.systems.few_shot.models import LabelModel, Questions
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.lengths import by_length
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import SINGLE, Transformer

KIND = "AutoModelForCausalLM"
PLANNED, PLANNED_ON_GPU = 64, 4096
"""How many prompts are asked for together: the unit of caching, and what a kill may cost."""

ROOM, ROOM_ON_GPU = 1024, 16_384
"""How many tokens go through the model together, besides those that all prompts begin with."""

KEPT, SHARE_OF_GPU = 2**29, 1 / 8
"""How many bytes the keys and values of a batch may take, each line with those of the common beginning: on a GPU, a
share of all its memory, never of what is free, so that batches are the same in every run."""

SUMMED = 2**26
"""How many logits are made probabilities at a time, in double precision."""

PREFIXES = 8
"""How many prefixes stay computed: one for each question of a task, usually."""

COMPARED = 16
"""In half precision, so many prompts are asked in single precision, too."""

ALIKE, ALIKE_IN_HALF = 1e-4, 0.1
"""By how many standard deviations logits may differ on average where prompts go on beside their beginning: rounding.

In bfloat16 a model of 1.5 billion parameters was off by 0.03, and by 1.3 where it overlooked the beginning."""
TRIED = 4
"""So many tokens show whether a model gives the same beside a beginning."""

log = logging.getLogger(__name__)


class CausalModel(LabelModel):
    """Gives the probability of whole labels, the product over their tokens, each out of the full vocabulary.

    What prompts share is read once. Their own tokens go through the model many prompts at a time, those of like length
    together; `at_once` sets a lower limit. Answers depend on what shares a batch by rounding only.
    """

    revision = 3
    ahead = 1

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        device: str = "auto",
        at_once: int | None = None,
        prefix_cache: bool = True,
        precision: str = SINGLE,
    ) -> None:
        import_torch()  # a missing extra is told before anything is looked for, or fetched
        self.name = f"hf-causal:{model}"
        self._folder = checkpoint.find(model, revision=revision)
        self._transformer = _loaded(self._folder, self.name, device, at_once, precision)
        self.runs_on: RunsOn = self._transformer.runs_on
        self._on_gpu = self._transformer.device.type != "cpu"
        self.batch_size: int = PLANNED_ON_GPU if self._on_gpu else PLANNED
        self._at_once = at_once
        self._opening = _opening(self._transformer.tokeniser)
        self._cutter = Cutter(self._tokens)
        parameters = inspect.signature(self._transformer.model.forward).parameters
        self._takes_keep = "logits_to_keep" in parameters
        self._takes_positions = "position_ids" in parameters
        self._takes_places = self._takes_keep and _slices_by_row()
        self._caches = prefix_cache
        self._kept: OrderedDict[tuple[Any, Tokens], Computed] = OrderedDict()
        self._ahead: dict[Questions, Future[Asked] | Later] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evenhand-prompts")
        self._off: str | None = None
        self.fingerprint: str | None = fingerprint_of(
            type(self), "torch", "transformers", "tokenizers",
            # Without a token to pad with, others have to go one by one; here, no padding is ever looked at.
            **self._transformer.what_it_depends_on() | {"at_once": at_once},
            prefix_cache=prefix_cache, labels=label_tokens.REVISION,
        )  # fmt: skip

    def expect(self, coming: Sequence[Questions]) -> None:
        """Cut up prompts that will be asked about next while the model calculates."""
        self._ahead = {one: self._ahead.get(one) or self._later(one) for one in coming}

    def _later(self, questions: Questions) -> Future[Asked] | Later:
        """In a thread beside the model's; on a GPU, once that is busy, as a thread would hold up its orders."""
        cut = partial(self._cut, *questions)
        return Later(cut) if self._on_gpu else self._thread.submit(cut)

    def _meanwhile(self) -> None:
        for one in self._ahead.values():
            if isinstance(one, Later):
                one.do()

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label, whole, after each prompt: an array of shape (endings, labels)."""
        if not len(endings):
            return np.empty((0, len(labels)))
        questions = (prefix, tuple(endings), tuple(labels))
        cut = self._ahead.pop(questions, None)
        masses = self._masses(self._transformer, self._cut(*questions) if cut is None else cut.result())
        if self._transformer.precision != SINGLE and self._off is None:
            some = endings[:: -(-len(endings) // COMPARED)]
            self._off = self._compared(prefix, some, labels, masses[:: -(-len(endings) // COMPARED)])
        return masses

    def tokenise(self, text: str) -> list[str]:
        """The pieces of a text, without special tokens."""
        return self._transformer.tokenise(text)

    def remarks(self) -> tuple[str, ...]:
        """What half precision did to the labels' probabilities."""
        return () if self._off is None else (self._off,)

    def _masses(self, transformer: Transformer, asked: Asked) -> Array:
        shared, size = self._known_beginning(transformer, asked.shared)
        batches = list(self._batches(asked, shared, size))
        turns = [(*made, batches[turn :: len(transformer.models)]) for turn, made in enumerate(transformer.models)]
        numbers = np.concatenate(self._told(turns, shared))
        rows = [row for _, _, own in turns for row in chain.from_iterable(own)]
        return masses_of([one.chains for one in asked.prompts], rows, numbers)

    def _told(self, turns: Sequence[tuple[Any, Any, list[list[Row]]]], shared: Tokens) -> list[Array]:
        if len({id(model) for _, model, _ in turns}) == 1:
            # Threads that share a model would change each other's attention.
            return [self._read(device, model, own, shared, self._meanwhile) for device, model, own in turns]
        with ThreadPoolExecutor(len(turns)) as pool:
            return list(pool.map(lambda turn: self._read(turn[0], turn[1], turn[2], shared), turns))

    def _read(
        self,
        device: Any,
        model: Any,
        batches: Sequence[Sequence[Row]],
        shared: Tokens,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Array:
        """What is wanted of each row of some batches: copied back all at once, as a GPU would wait at every copy."""
        torch = import_torch()
        if not batches:
            return np.empty(0)
        with torch.inference_mode():
            computed = self._computed(device, model, shared)
            told = [self._said(device, model, computed, rows) for rows in batches]
            meanwhile()
            numbers: Array = torch.cat(told).cpu().numpy()
        return numbers

    def _compared(self, prefix: str, endings: Sequence[str], labels: Sequence[str], masses: Array) -> str:
        """In words, by how much probabilities differ from those in single precision, at most."""
        torch, own = import_torch(), self._transformer
        ran = f"it ran in {own.precision}"
        self._kept.clear()
        try:
            single = _loaded(self._folder, self.name, str(own.device), self._at_once, SINGLE)
            exact = self._masses(single, self._cut(prefix, tuple(endings), tuple(labels)))
        except torch.cuda.OutOfMemoryError:
            return f"{ran}; what that does to its answers was not measured, as there is no room for it in float32"
        finally:
            self._kept.clear()  # what was computed in single precision
        off = float(np.abs(masses - exact).max())
        asked = f"as measured on {len(endings)} prompts"
        return f"{ran}: probabilities differ from those in float32 by up to {off:.2g}, {asked}"

    def _cut(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Asked:
        """The tokens of all prompts and of the labels after them, and those that the prompts share."""
        bare = self._transformer.bare_after(prefix, endings)
        alone = ((*self._opening, *pieces) for pieces in bare)
        asked = [
            self._cutter.cut(prefix + ending, labels, alone=tokens)
            for ending, tokens in zip(endings, alone, strict=True)
        ]
        self._refuse_overflow(asked, endings)
        return Asked(asked, self._shared(prefix, asked))

    def _tokens(self, text: str) -> Tokens:
        (found,) = self._transformer.bare_after("", [text])
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
        if not self._caches:
            return ()
        shared = self._tokens(prefix)
        for one in asked:
            if one.prompt[: len(shared)] != shared:
                shared = shared[: in_common(shared, one.prompt)]
        return shared[: min(len(one.prompt) - 1 for one in asked)]

    def _batches(self, asked: Asked, shared: Tokens, size: float) -> Iterator[list[Row]]:
        lines = asked.after(len(shared))
        most = self._at_once
        if size:
            kept = self._room_for_keys()
            most = min(most or len(lines.rows), max(1, int(kept / size / (len(shared) + max(lines.lengths)))))
        room = ROOM_ON_GPU if self._on_gpu else ROOM
        for places in by_length(lines.texts, lines.lengths, most, room=room):
            yield [lines.rows[place] for place in places]

    def _room_for_keys(self) -> float:
        """How many bytes of keys and values a batch may have: of several GPUs, what the smallest takes."""
        devices = [device for device, _ in self._transformer.models]
        if any(getattr(device, "type", "cpu") != "cuda" for device in devices):
            return KEPT
        cuda = import_torch().cuda
        return float(min(cuda.get_device_properties(device).total_memory for device in devices) * SHARE_OF_GPU)

    def _known_beginning(self, transformer: Transformer, shared: Tokens) -> tuple[Tokens, float]:
        """What the model can go on from (all that prompts share, or nothing), and how many bytes a token takes."""
        with import_torch().inference_mode():
            computed = self._computed(*transformer.models[0], shared)
        return computed.tokens, computed.bytes_a_token

    def _said(self, device: Any, model: Any, computed: Computed, rows: Sequence[Row]) -> Any:
        """How probable each wanted token is, row by row and stem by stem: numbers that stay on the device."""
        torch = import_torch()
        counts = [len(row.wanted) for row in rows]
        logits = self._run(device, model, computed, rows)
        line = [place for place, count in enumerate(counts) for _ in range(count)]
        step = list(chain.from_iterable(map(range, counts)))
        wanted = [len(following) for row in rows for _, following in row.wanted]
        tokens = torch.tensor([token for row in rows for _, following in row.wanted for token in following])
        places = torch.tensor([place for place, count in enumerate(wanted) for _ in range(count)])
        lines = logits[_sent(torch.tensor(line), logits.device), _sent(torch.tensor(step), logits.device)]
        if lines.device.type not in ("cpu", "cuda"):
            lines = lines.float().cpu()  # others cannot calculate in double precision
        parts = lines.split(max(1, SUMMED // lines.shape[1]))
        whole = torch.cat([torch.logsumexp(part.double(), dim=-1) for part in parts])
        places, tokens = (_sent(one, lines.device) for one in (places, tokens))
        return (lines[places, tokens].double() - whole[places]).exp()

    def _run(self, device: Any, model: Any, computed: Computed, rows: Sequence[Row]) -> Any:
        """The model's logits for each row, in the places after which something is wanted.

        Padding stands behind the tokens: nothing that is read comes after it, so it cannot be seen, and positions are
        those of a prompt alone.
        """
        torch = import_torch()
        lengths = np.array([len(row.tokens) for row in rows])
        real = np.arange(lengths.max())[None, :] < lengths[:, None]
        new = np.zeros(real.shape, dtype=np.int64)
        new[real] = np.fromiter(chain.from_iterable(row.tokens for row in rows), np.int64, int(lengths.sum()))
        most = max(len(row.wanted) for row in rows)
        firsts = np.array([row.first for row in rows])
        places = np.minimum(firsts[:, None] + np.arange(most)[None, :], (lengths - 1)[:, None])
        start = int(firsts.min())
        kept = _sent(torch.from_numpy(places), device) if self._takes_places else real.shape[1] - start
        given = {"input_ids": new, **(computed.from_beside(real) if computed.beside else computed.from_copies(real))}
        there = {
            name: _sent(torch.from_numpy(one), device) if isinstance(one, np.ndarray) else one
            for name, one in given.items()
        }
        with beside(model, computed.past) if computed.beside else nullcontext():
            logits = model(**there, **({"logits_to_keep": kept} if self._takes_keep else {})).logits
        if self._takes_places and logits.shape[:2] != places.shape:
            self._takes_places = False  # a model with a way of its own
            return self._run(device, model, computed, rows)
        if self._takes_places:
            return logits
        shown = _sent(torch.from_numpy(places - start), logits.device)
        return torch.take_along_dim(logits[:, start - real.shape[1] :], shown[..., None], dim=1)

    def _computed(self, device: Any, model: Any, shared: Tokens) -> Computed:
        """What the model makes of the tokens that all prompts share; of none, if it keeps nothing to go on from."""
        if not shared:
            return Computed((), None)
        key = (device, shared)
        if key not in self._kept:
            tokens = import_torch().tensor([shared], device=device)
            outcome = model(
                input_ids=tokens,
                attention_mask=import_torch().ones_like(tokens),
                use_cache=True,
                **({"logits_to_keep": 1} if self._takes_keep else {}),
            )
            past = getattr(outcome, "past_key_values", None)
            self._kept[key] = self._usable(device, model, Computed(shared, past))
            if len(self._kept) > PREFIXES * len(self._transformer.models):
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _usable(self, device: Any, model: Any, computed: Computed) -> Computed:
        """The beginning as prompts can go on from it: beside it, from copies of it, or not at all."""
        if not shareable(computed.past):
            return Computed((), None)
        next_to_it = replace(computed, beside=True)
        if not self._takes_positions or not looks_plain(computed.past):
            return computed
        limit = self._transformer.limit
        longest = TRIED if limit is None else min(TRIED, limit - len(computed.tokens))
        tokens = (computed.tokens * TRIED)[:longest]
        rows = [Row(0, tokens[:length], length - 1, (((), ()),)) for length in (1, longest)]
        exact = self._run(device, model, computed, rows)
        try:
            found = self._run(device, model, next_to_it, rows)
        except (RuntimeError, TypeError, AttributeError, ValueError, LookupError) as error:
            # A model with an attention of its own, or of a shape that the fast ones don't take.
            log.debug("%s: every prompt gets a copy of what all begin with: %s", self.name, error)
            return computed
        off = (found - exact).float().square().mean().sqrt() / exact.float().std()
        return (
            next_to_it if bool(off <= (ALIKE if exact.dtype == import_torch().float32 else ALIKE_IN_HALF)) else computed
        )


def _sent(tensor: Any, device: Any) -> Any:
    """On the device; a GPU goes on calculating meanwhile, and so does whoever sends."""
    if getattr(device, "type", "cpu") != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def _loaded(folder: Path, name: str, device: str, at_once: int | None, precision: str) -> Transformer:
    return Transformer(folder, KIND, name=name, device=device, at_once=at_once, precision=precision)


def _slices_by_row() -> bool:
    """Whether models can be told for each row where their logits are wanted."""
    from transformers import modeling_utils

    return hasattr(modeling_utils, "slice_logits_to_keep")


def _opening(tokeniser: Any) -> Tokens:
    """The special tokens that a tokeniser puts before every text; those that it puts behind would end the prompt."""
    bare = tokeniser("a", add_special_tokens=False)["input_ids"]
    full = tokeniser("a")["input_ids"]
    starts = (start for start in range(len(full)) if full[start : start + len(bare)] == bare)
    return tuple(full[: next(starts, 0)])
