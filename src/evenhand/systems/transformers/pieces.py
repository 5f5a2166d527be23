"""Texts as word pieces: cut up once, all together, and put into batches without their tokeniser."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.words import Ints, words_of

IDS, MASK, TYPES = "input_ids", "attention_mask", "token_type_ids"
OFFSETS, SPECIAL = "offset_mapping", "special_tokens_mask"


@dataclass(frozen=True)
class Pieces:
    """The word pieces of texts."""

    columns: Mapping[str, Ints]
    """Their numbers and types: those of all texts, one text behind the other."""
    lengths: Ints
    """How many each text has."""
    cut: tuple[int, ...] = ()
    """The places of texts that were longer than the model reads."""
    covered: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Where it was asked for: for each text, which characters each piece covers, and which pieces are special."""


class Reader:
    """Reads texts with a tokeniser, one caller at a time: it has settings, which are changed to cut long texts."""

    def __init__(self, tokeniser: Any, *, limit: int | None) -> None:
        self.tokeniser = tokeniser
        self._limit = limit
        self._lock = threading.Lock()
        self._words = words_of(tokeniser)
        self._typed = TYPES in tokeniser.model_input_names
        self._on_the_left = tokeniser.padding_side == "left"
        self._padding = {IDS: tokeniser.pad_token_id or 0, TYPES: getattr(tokeniser, "pad_token_type_id", 0)}

    def read(self, texts: Sequence[str], *, offsets: bool = False) -> Pieces:
        """The word pieces of all texts; with `offsets` also which characters each covers, and which are special."""
        if not len(texts):
            return Pieces({IDS: np.empty(0, dtype=np.int64)}, np.empty(0, dtype=np.int64))
        with self._lock:
            if self._words is not None and not offsets:
                ids, lengths = self._words.read(texts)
                if not self._limit or lengths.max() <= self._limit:
                    return Pieces({IDS: ids, **({TYPES: np.zeros_like(ids)} if self._typed else {})}, lengths)
            return self._whole(texts, offsets)

    def bare(self, prefix: str, texts: Sequence[str]) -> list[list[int]]:
        """The word pieces, without special tokens, of texts that all begin with a prefix and go on as each says."""
        if not len(texts):
            return []
        with self._lock:
            if self._words is not None:
                return self._words.read_after(prefix, texts)
            whole = [prefix + text for text in texts]
            return [list(pieces) for pieces in self.tokeniser(whole, verbose=False, add_special_tokens=False)[IDS]]

    def _whole(self, texts: Sequence[str], offsets: bool) -> Pieces:
        """Read by the tokeniser, each text as a whole; those that are too long are cut."""
        more = {"return_offsets_mapping": True, "return_special_tokens_mask": True} if offsets else {}
        columns = dict(self.tokeniser(list(texts), verbose=False, return_attention_mask=False, **more))
        cut = [place for place, pieces in enumerate(columns[IDS]) if self._limit and len(pieces) > self._limit]
        if cut:
            long = [texts[place] for place in cut]
            shorter = self.tokeniser(long, truncation=True, max_length=self._limit, return_attention_mask=False, **more)
            for name, column in columns.items():
                for place, pieces in zip(cut, shorter[name], strict=True):
                    column[place] = pieces
        lengths = np.array([len(pieces) for pieces in columns[IDS]])
        flat = {name: _flat(columns[name], int(lengths.sum())) for name in (IDS, TYPES) if name in columns}
        return Pieces(flat, lengths, tuple(cut), {name: columns[name] for name in (OFFSETS, SPECIAL) if offsets})

    def pieces(self, text: str) -> list[str]:
        """One text's word pieces as text, without special tokens."""
        with self._lock:
            found: list[str] = self.tokeniser.tokenize(text)
        return found

    def batch(self, pieces: Pieces, places: Sequence[int], device: Any) -> dict[str, Any]:
        """What a model is given for some of the texts: as long as the longest of them, the rest of each is padding."""
        chosen = np.asarray(places)
        lengths = pieces.lengths[chosen]
        width = int(lengths.max())
        starts = (np.cumsum(pieces.lengths) - pieces.lengths)[chosen]
        before = (width - lengths if self._on_the_left else np.zeros_like(lengths))[:, None]
        columns = np.arange(width)[None, :] - before
        real = (columns >= 0) & (columns < lengths[:, None])
        taken = (starts[:, None] + columns)[real]
        rows = {MASK: real.astype(np.int64)}
        for name, flat in pieces.columns.items():
            rows[name] = np.full(real.shape, self._padding.get(name, 0), dtype=np.int64)
            rows[name][real] = flat[taken]
        return {name: self._on_device(import_torch().from_numpy(numbers), device) for name, numbers in rows.items()}

    @staticmethod
    def _on_device(numbers: Any, device: Any) -> Any:
        if device.type != "cuda":
            return numbers.to(device)
        return numbers.pin_memory().to(device, non_blocking=True)  # the host need not wait for the copy


def _flat(rows: Sequence[Sequence[int]], count: int) -> Ints:
    return np.fromiter(chain.from_iterable(rows), np.int64, count)
