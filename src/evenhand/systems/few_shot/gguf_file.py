"""A GGUF file on disk: what its header says, and whether all that it announces is there.

llama.cpp says no more than that it cannot load a file; the person who typed its name needs to know why. The layout is
that of the specification in the ggml repository, docs/gguf.md, versions 2 and 3.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.whole import reason

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9

TYPE_SIZES = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""By type of tensor, how many numbers make a block, and how many bytes that is."""

SIZES = {
    "block_count": 512,
    "context_length": 2**27,
    "embedding_length": 2**20,
    "feed_forward_length": 2**24,
    "attention.head_count": 2**16,
    "attention.head_count_kv": 2**16,
    "attention.key_length": 2**20,
    "attention.value_length": 2**20,
    "rope.dimension_count": 2**20,
    "expert_count": 2**16,
    "expert_used_count": 2**16,
    "vocab_size": 2**26,
}
"""What a model is made of, and far more of each than any has; llama.cpp itself takes 512 blocks."""

MAY_BE_NONE = {"expert_count", "expert_used_count", "attention.head_count_kv", "feed_forward_length"}
DIMENSIONS = 4
"""A tensor has no more."""
DEEPEST = 16
"""Arrays within arrays."""


@dataclass(frozen=True)
class GgufHeader:
    """What a file says about itself: its single numbers and texts by key, and how many bytes it ought to have."""

    settings: Mapping[str, object]
    needed: int

    @property
    def architecture(self) -> str:
        """The kind of model, such as `llama`."""
        return str(self.settings.get("general.architecture", "unknown"))

    @property
    def context(self) -> int | None:
        """How many tokens the model was made for, where it says so."""
        length = self.settings.get(f"{self.architecture}.context_length")
        return length if isinstance(length, int) and length > 0 else None


def checked_gguf(path: Path) -> GgufHeader:
    """The header of a file that is whole; otherwise one line says what is wrong with it."""
    if not path.is_file():
        what = "a folder" if path.is_dir() else "not a file"
        raise UsageError(f"no such file: {path}" if not path.exists() else f"{path} is {what}; give a GGUF file")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise EvenhandError(f"{path} is not a GGUF file: it does not begin with {MAGIC.decode()}")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                header = _Reader(content, path).header()
    except OSError as error:
        raise EvenhandError(f"{path} cannot be read: {reason(error)}") from error
    except struct.error:
        raise EvenhandError(f"{path} is cut short in its header, after {size:,} bytes; fetch it again") from None
    if size < header.needed:
        raise EvenhandError(
            f"{path} is cut short: it has {size:,} bytes, and its header announces {header.needed:,}; fetch it again"
        )
    _refuse_impossible(header, path)
    parts = header.settings.get("split.count", 1)
    if isinstance(parts, int) and parts > 1:
        raise UsageError(f"{path} is one of {parts} parts of a model; put them together with llama-gguf-split --merge")
    return header


def _refuse_impossible(header: GgufHeader, path: Path) -> None:
    """Refuse sizes that no model has: llama.cpp takes them as they are, and ends its process over some."""
    for name, most in SIZES.items():
        key = f"{header.architecture}.{name}"
        value = header.settings.get(key)
        least = 0 if name in MAY_BE_NONE else 1
        if value is not None and (type(value) is not int or not least <= value <= most):
            raise EvenhandError(f"{path} is damaged: its header says {key} = {one_line(value, 40)}, which no model has")


class _Reader:
    """Reads from the beginning on; running off the end raises `struct.error`."""

    def __init__(self, content: mmap.mmap, path: Path) -> None:
        self._content = content
        self._path = path
        self._place = len(MAGIC)

    def header(self) -> GgufHeader:
        version = self._number("I")
        if version not in VERSIONS:
            raise EvenhandError(f"{self._path} is a GGUF file of version {version}; versions 2 and 3 can be read")
        tensors, pairs = self._number("Q"), self._number("Q")
        settings = {self._text(): self._value() for _ in range(pairs)}
        ends = [self._end_of_tensor() for _ in range(tensors)]
        alignment = settings.get("general.alignment", 32)
        step = alignment if isinstance(alignment, int) and alignment > 0 else 32
        begins = -(-self._place // step) * step
        return GgufHeader(settings, begins + max(ends, default=0))

    def _end_of_tensor(self) -> int:
        """Where a tensor's data ends, counted from where all data begins."""
        self._text()
        dimensions = self._number("I")
        if dimensions > DIMENSIONS:
            raise EvenhandError(f"{self._path} is damaged: its header names a tensor of {dimensions:,} dimensions")
        shape = [self._number("Q") for _ in range(dimensions)]
        kind, offset = self._number("I"), self._number("Q")
        block, size = TYPE_SIZES.get(kind, (1, 0))
        return offset + prod(shape) // block * size

    def _value(self) -> object:
        kind = self._number("I")
        if kind == STRING:
            return self._text()
        if kind == ARRAY:
            self._skip_array()
            return None
        return self._number(self._scalar(kind))

    def _skip_array(self, deep: int = 1) -> None:
        if deep > DEEPEST:
            raise EvenhandError(f"{self._path} is damaged: its header holds arrays within arrays within arrays")
        kind, length = self._number("I"), self._number("Q")
        if kind == STRING:
            for _ in range(length):
                self._skip(self._number("Q"))
        elif kind == ARRAY:
            for _ in range(length):
                self._skip_array(deep + 1)
        else:
            self._skip(length * struct.calcsize(self._scalar(kind)))

    def _scalar(self, kind: int) -> str:
        if kind not in SCALARS:
            raise EvenhandError(f"{self._path} is damaged: its header names a kind of value, {kind}, that there is not")
        return SCALARS[kind]

    def _number(self, form: str) -> int:
        (value,) = struct.unpack_from(f"<{form}", self._content, self._place)
        self._place += struct.calcsize(f"<{form}")
        return value  # type: ignore[no-any-return]

    def _text(self) -> str:
        length = self._number("Q")
        start = self._place
        self._skip(length)
        return self._content[start : self._place].decode(errors="replace")

    def _skip(self, length: int) -> None:
        if self._place + length > len(self._content):
            raise struct.error("beyond the end")
        self._place += length
