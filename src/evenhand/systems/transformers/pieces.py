"""Texts as word pieces: cut up once, all together, and put into batches without their tokeniser."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.systems.transformers.torch_import import import_torch

IDS, MASK, TYPES = "input_ids", "attention_mask", "token_type_ids"
OFFSETS, SPECIAL = "offset_mapping", "special_tokens_mask"


@dataclass(frozen=True)
class Pieces:
    """The word pieces of texts: by name, a list for each text."""

    columns: Mapping[str, Sequence[Any]]
    cut: tuple[int, ...] = ()
    """The places of texts that were longer than the model reads."""

    @property
    def lengths(self) -> list[int]:
        """How many word pieces each text is."""
        return [len(pieces) for pieces in self.columns[IDS]]


class Reader:
    """Reads texts with a tokeniser, one caller at a time: it has settings, which are changed to cut long texts."""

    def __init__(self, tokeniser: Any, *, limit: int | None) -> None:
        self.tokeniser = tokeniser
        self._limit = limit
        self._lock = threading.Lock()
        self._on_the_left = tokeniser.padding_side == "left"
        self._padding = {IDS: tokeniser.pad_token_id or 0, TYPES: getattr(tokeniser, "pad_token_type_id", 0)}

    def read(self, texts: Sequence[str], *, offsets: bool = False) -> Pieces:
        """The word pieces of all texts; with `offsets` also which characters each covers, and which are special."""
        if not len(texts):
            return Pieces({IDS: []})
        more = {"return_offsets_mapping": True, "return_special_tokens_mask": True} if offsets else {}
        with self._lock:
            columns = dict(self.tokeniser(list(texts), verbose=False, return_attention_mask=False, **more))
            cut = [place for place, pieces in enumerate(columns[IDS]) if self._limit and len(pieces) > self._limit]
            if cut:
                long = [texts[place] for place in cut]
                shorter = self.tokeniser(
                    long, truncation=True, max_length=self._limit, return_attention_mask=False, **more
                )
                for name, column in columns.items():
                    for place, pieces in zip(cut, shorter[name], strict=True):
                        column[place] = pieces
        return Pieces(columns, tuple(cut))

    def pieces(self, text: str) -> list[str]:
        """One text's word pieces as text, without special tokens."""
        with self._lock:
            found: list[str] = self.tokeniser.tokenize(text)
        return found

    def batch(self, pieces: Pieces, places: Sequence[int], device: Any) -> dict[str, Any]:
        """What a model is given for some of the texts: as long as the longest of them, the rest of each is padding."""
        given = {name: pieces.columns[name] for name in (IDS, TYPES) if name in pieces.columns}
        chosen = {name: [column[place] for place in places] for name, column in given.items()}
        chosen[MASK] = [[1] * len(row) for row in chosen[IDS]]
        width = max(len(row) for row in chosen[IDS])
        return {name: self._on_device(self._padded(name, rows, width), device) for name, rows in chosen.items()}

    def _padded(self, name: str, rows: Sequence[Sequence[int]], width: int) -> Any:
        padded = np.full((len(rows), width), self._padding.get(name, 0), dtype=np.int64)
        for line, row in zip(padded, rows, strict=True):
            start = width - len(row) if self._on_the_left else 0
            line[start : start + len(row)] = row
        return import_torch().from_numpy(padded)

    @staticmethod
    def _on_device(numbers: Any, device: Any) -> Any:
        if device.type != "cuda":
            return numbers.to(device)
        return numbers.pin_memory().to(device, non_blocking=True)  # the host need not wait for the copy
