"""Texts as word pieces, put together from those of their words: sentences about different people share almost all."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

MOST = 1_000_000
"""So many different words are remembered; with more, it begins anew."""

PROBE = "one two"

BETWEEN_WORDS = re.compile(r"(?<=\S)(?= \S)")
"""Before a single space between two words. No pattern of `KNOWN` matches across this place: where one takes a space and
something else, the space comes first."""

LETTERS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
KNOWN = frozenset(LETTERS + digits + SIGNS for digits in (r"\p{N}", r"\p{N}{1,3}"))
"""How Llama 3 (digits by threes) and Qwen (one by one) cut texts up; what GPT-2 does is built in."""


class Words:
    """Word pieces of texts: each word is cut up once, by the tokeniser itself."""

    def __init__(self, backend: Any, parts: Callable[[str], list[str]], *, opening: Ints, closing: Ints) -> None:
        self._backend = backend
        self._parts = parts
        self._opening, self._closing = opening, closing
        self._begin()

    def _begin(self) -> None:
        self._numbers: dict[str, int] = {}
        self._ids, self._starts = array("q"), array("q", [0])

    def read(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """The pieces of all texts with special tokens, one text behind the other, and how many each has."""
        ids, lengths = self._read([self._parts(text) for text in texts])
        whole = lengths + len(self._opening) + len(self._closing)
        begins = np.cumsum(whole) - whole
        joined = np.empty(int(whole.sum()), dtype=np.int64)
        joined[_ranges(begins + len(self._opening), lengths)] = ids
        joined[begins[:, None] + np.arange(len(self._opening))] = self._opening
        joined[(begins + whole)[:, None] - np.arange(len(self._closing), 0, -1)] = self._closing
        return joined, whole

    def read_after(self, prefix: str, texts: Sequence[str]) -> list[list[int]]:
        """The pieces, without special tokens, of texts that all begin with a prefix and go on as each says."""
        *parts, last = self._parts(prefix)
        ids, lengths = self._read([*([parts] if parts else []), *(self._parts(last + text) for text in texts)])
        rows = [row.tolist() for row in np.split(ids, np.cumsum(lengths)[:-1])]
        before = rows.pop(0) if parts else []
        return [before + row for row in rows]

    def _read(self, cut: Sequence[Sequence[str]]) -> tuple[Ints, Ints]:
        """The pieces of texts that are cut into one part or more, and how many each text has."""
        words = list(chain.from_iterable(cut))
        if new := set(words).difference(self._numbers):
            if len(self._numbers) + len(new) > MOST:
                self._begin()
                new = set(words)
            self._learn(new)
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))
        starts = np.array(self._starts)
        counts = (starts[1:] - starts[:-1])[numbers]
        ids = np.array(self._ids)[_ranges(starts[numbers], counts)]
        return ids, np.add.reduceat(counts, np.cumsum([0, *map(len, cut[:-1])]))

    def _learn(self, words: Iterable[str]) -> None:
        new = list(words)
        self._backend.no_truncation()  # what else is asked of the tokeniser may have set these
        self._backend.no_padding()
        for word, found in zip(new, self._backend.encode_batch_fast(new, add_special_tokens=False), strict=True):
            self._numbers[word] = len(self._starts) - 1
            self._ids.extend(found.ids)
            self._starts.append(len(self._ids))


def words_of(tokeniser: Any) -> Words | None:
    """Reads as the tokeniser does; None where it may read a word otherwise beside other words."""
    backend = getattr(tokeniser, "backend_tokenizer", None)
    if backend is None or getattr(tokeniser, "split_special_tokens", False):
        return None
    parts = _parts_of(backend)
    added = backend.get_added_tokens_decoder().values()
    if parts is None or any(one.rstrip or re.search(r"\s", one.content) for one in added):
        return None
    ends = _special(backend)
    return None if ends is None else Words(backend, parts, opening=ends[0], closing=ends[1])


def _parts_of(backend: Any) -> Callable[[str], list[str]] | None:
    """How to part texts so that the tokeniser reads each part as it does within the text."""
    model, normaliser, before = (
        type(backend.model).__name__,
        _stated(backend.normalizer),
        _stated(backend.pre_tokenizer),
    )
    kind = normaliser.get("type")
    if model == "WordPiece" and before.get("type") == "BertPreTokenizer" and kind in (None, "BertNormalizer"):
        return lambda text: text.split(" ")  # it leaves spaces out, and looks at nothing beyond them
    steps = before.get("pretokenizers", [before])
    if model == "BPE" and not backend.model.dropout and kind in (None, "NFC") and _by_bytes(steps):
        return BETWEEN_WORDS.split
    return None


def _by_bytes(steps: Sequence[dict[str, Any]]) -> bool:
    """Whether bytes are joined within parts that are cut by patterns of which none matches across words."""
    *others, last = steps
    if last.get("type") != "ByteLevel":
        return False
    if not others:
        return bool(last["use_regex"])
    if len(others) > 1 or last["add_prefix_space"]:
        return False
    (other,) = others
    if other["type"] == "Split":
        known = other["pattern"].get("Regex") in KNOWN
        return known and other["behavior"] == "Isolated" and not other["invert"] and not last["use_regex"]
    return other["type"] == "Digits" and bool(last["use_regex"])


def _stated(part: Any) -> dict[str, Any]:
    return {} if part is None else dict(json.loads(part.__getstate__()))


def _special(backend: Any) -> tuple[Ints, Ints] | None:
    """The special tokens before and after every text; None where they are not the same for all."""
    backend.no_truncation()
    backend.no_padding()
    bare = backend.encode(PROBE, add_special_tokens=False)
    full, none = backend.encode(PROBE), backend.encode("")
    start = next((at for at in range(len(full.ids)) if full.ids[at : at + len(bare.ids)] == bare.ids), 0)
    opening, closing = full.ids[:start], full.ids[start + len(bare.ids) :]
    if opening + bare.ids + closing != full.ids or none.ids != opening + closing or any(full.type_ids):
        return None
    return np.array(opening, dtype=np.int64), np.array(closing, dtype=np.int64)


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """All places of some ranges, one range behind the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    return np.repeat(starts - ends + counts, counts) + np.arange(int(counts.sum()))
