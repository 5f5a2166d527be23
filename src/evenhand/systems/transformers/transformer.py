"""A loaded transformer that is asked about many texts: cut up once, sorted by length, batch by batch."""

from __future__ import annotations

import copy
import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import UsageError, did_you_mean, quoted
from evenhand.systems.base import Array, RunsOn
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.lengths import by_length
from evenhand.systems.transformers.packed import pack
from evenhand.systems.transformers.pieces import Pieces, Reader
from evenhand.systems.transformers.torch_import import import_torch

PLANNED, PLANNED_ON_GPU = 512, 8192
"""How many texts are asked together: within so many, texts of like length find each other."""

ROOM, ROOM_ON_GPU = 1024, 32_768
"""How many word pieces go through the model together. On a processor, more of them only leave its caches."""

SINGLE = "float32"
PRECISIONS = (SINGLE, "bfloat16", "float16")

NO_LIMIT = 1_000_000
"""Tokenisers without a limit claim one above this."""

REVISION = 2
"""Raised when a change here, or in how models are loaded and texts put in order of length, may change answers."""

log = logging.getLogger(__name__)


class Transformer:
    """Runs texts through a model; what is read off its outcome is up to the caller.

    As many texts go through together as there is room for, and no more than `at_once`. Answers depend on what shares a
    batch by rounding only (padding is masked), and on the order of the texts not at all. Several devices of one kind
    take turns, each with a model of its own.
    """

    def __init__(
        self,
        folder: Path,
        kind: str,
        *,
        name: str,
        device: str,
        at_once: int | None,
        longest: int | None = None,
        may_miss: str = "",
        precision: str = SINGLE,
    ) -> None:
        if at_once is not None and at_once < 1:
            raise UsageError(f"{name!r}: at_once must be 1 or more, not {at_once}")
        if precision not in PRECISIONS:
            raise UsageError(f"{name!r}: unknown precision {precision!r}{did_you_mean(str(precision), PRECISIONS)}")
        self.name = name
        devices = devices_for(device)
        self.device = devices[0]
        self.runs_on: RunsOn = "gpu" if self.device.type == "cuda" else "cpu"
        self.tokeniser, model = checkpoint.load(folder, kind, may_miss=may_miss, single=precision == SINGLE)
        self.precision = precision
        self.model = model.to(self.device, getattr(import_torch(), precision))
        self.limit = longest_read(self.tokeniser, self.model, longest)
        self._reader = Reader(self.tokeniser, limit=self.limit)
        # Without a token to pad with, texts of different lengths cannot share a batch.
        self.at_once = 1 if self.tokeniser.pad_token_id is None else at_once
        if self.model.config.pad_token_id is None:
            self.model.config.pad_token_id = self.tokeniser.pad_token_id  # generative models look for the last token
        self._takes = set(inspect.signature(self.model.forward).parameters)
        self.digest = checkpoint.digest(folder)
        self.packed = self.device.type == "cpu" and precision == SINGLE and pack(self.model, self._trial)
        self.models = [(self.device, self.model), *((one, self._model_on(one)) for one in devices[1:])]
        self._ahead: dict[tuple[str, ...], Future[Pieces]] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evenhand-tokeniser")

    def _model_on(self, device: Any) -> Any:
        # On processors, one model does for all.
        return self.model if device.type == "cpu" else copy.deepcopy(self.model).to(device)

    @property
    def planned(self) -> int:
        """How many texts to ask about together."""
        return PLANNED if self.device.type == "cpu" else PLANNED_ON_GPU

    def expect(self, batches: Sequence[Sequence[str]]) -> None:
        """Begin to cut up texts that will be asked about next, in a thread beside the model's."""
        wanted = [tuple(batch) for batch in batches]
        self._ahead = {
            texts: self._ahead.get(texts) or self._thread.submit(self._reader.read, texts) for texts in wanted
        }

    def ask(self, texts: Sequence[str], read: Callable[[Any, Any], Any], *, width: int) -> Array:
        """One row of `width` numbers a text; `read` gets the model's outcome and which positions are not padding."""
        answers: Array = np.empty((len(texts), width), dtype=np.float64)
        expected = self._ahead.pop(tuple(texts), None)
        pieces = self._reader.read(texts) if expected is None else expected.result()
        self._tell_of_cuts(texts, pieces)
        batches = list(self._batches(texts, pieces))
        dealt = [(*made, batches[turn :: len(self.models)]) for turn, made in enumerate(self.models)]

        def run(device: Any, model: Any, own: list[list[int]]) -> None:
            if own:
                answers[list(chain.from_iterable(own))] = self._rows(device, model, pieces, own, read)

        if len(dealt) == 1:
            run(*dealt[0])
        else:
            with ThreadPoolExecutor(len(dealt)) as pool:
                for _ in pool.map(lambda one: run(*one), dealt):
                    pass
        return answers

    def outcomes(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Pieces, Any]]:
        """Batch by batch: which texts, the word pieces of all with the characters that they cover, and the outcome."""
        pieces = self._reader.read(texts, offsets=True)
        self._tell_of_cuts(texts, pieces)
        with import_torch().inference_mode():
            for places in self._batches(texts, pieces):
                yield places, pieces, self._outcome(self.model, self._reader.batch(pieces, places, self.device))

    def unpadded(self, row: Array, pieces: int) -> Array:
        """The part of a line of an outcome that stands for word pieces."""
        return row[len(row) - pieces :] if self.tokeniser.padding_side == "left" else row[:pieces]

    def tokenise(self, text: str) -> list[str]:
        """The word pieces of a text, without special tokens."""
        return self._reader.pieces(text)

    def bare_after(self, prefix: str, texts: Sequence[str]) -> list[list[int]]:
        """The word pieces, without special tokens, of texts that begin with a prefix and go on as each says."""
        return self._reader.bare(prefix, texts)

    def what_it_depends_on(self) -> dict[str, object]:
        """For fingerprints: the model's files, the kind of device, the batches, and the revision of the code."""
        return {
            "files": self.digest,
            "device": self.device.type,
            "at_once": self.at_once,
            "limit": self.limit,
            "precision": self.precision,
            "packed": self.packed,
            "transformer": REVISION,
        }

    def _batches(self, texts: Sequence[str], pieces: Pieces) -> Iterator[list[int]]:
        room = ROOM if self.device.type == "cpu" else ROOM_ON_GPU
        return by_length(texts, pieces.lengths, self.at_once, room=room)

    def _rows(self, device: Any, model: Any, pieces: Pieces, batches: Sequence[list[int]], read: Any) -> Array:
        """The numbers of some batches: copied back all at once, as a GPU would stand still at every copy."""
        torch = import_torch()
        with torch.inference_mode():
            rows = []
            for places in batches:
                given = self._reader.batch(pieces, places, device)
                rows.append(read(self._outcome(model, given), given["attention_mask"]))
            numbers: Array = torch.cat(rows).double().cpu().numpy()
        return numbers

    def _outcome(self, model: Any, given: dict[str, Any]) -> Any:
        return model(**{name: numbers for name, numbers in given.items() if name in self._takes})

    def _trial(self) -> Any:
        """What the model says of two short texts, as numbers."""
        pieces = self._reader.read(["A short text.", "Another one, which is longer."])
        wide = range(2) if self.at_once != 1 else range(1)
        outcome = self._outcome(self.model, self._reader.batch(pieces, wide, self.device))
        return outcome[0].float()

    def _tell_of_cuts(self, texts: Sequence[str], pieces: Pieces) -> None:
        if pieces.cut:
            log.warning(
                "%s: %d of %d texts are longer than the %d word pieces it reads, and were cut off there; one is %s",
                self.name, len(pieces.cut), len(texts), self.limit, quoted(texts[pieces.cut[0]], 60),
            )  # fmt: skip


def devices_for(setting: str) -> list[Any]:
    """The devices that are asked for: one, several of a kind with commas between them, or `all` GPUs of the machine."""
    torch = import_torch()
    named = (
        [f"cuda:{number}" for number in range(torch.cuda.device_count())] if setting == "all" else setting.split(",")
    )
    devices = [device_for(name.strip()) for name in named or ["auto"]]
    if len({device.type for device in devices}) > 1:
        raise UsageError(f"devices {setting!r} are of different kinds, which round differently; name one kind")
    return devices


def device_for(setting: str) -> Any:
    """The device that is asked for; `auto` is a GPU where there is one."""
    torch = import_torch()
    if setting == "auto":
        gpu = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        return torch.device(gpu)
    try:
        device = torch.device(setting)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        kinds = ("auto", "cpu", "cuda", "mps")
        hint = "" if setting.partition(":")[0] in kinds else did_you_mean(setting, kinds)
        raise UsageError(f"device {setting!r} cannot be used here{hint}") from error
    return device


def longest_read(tokeniser: Any, model: Any, longest: int | None = None) -> int | None:
    """How many word pieces the model reads: the least of what its tokeniser, its positions and the caller allow."""
    torch = import_torch()
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions:
        # RoBERTa and its kin count positions from behind the padding's.
        tables = (part for name, part in model.named_modules() if name.endswith("position_embeddings"))
        offsets = [part.padding_idx + 1 for part in tables if isinstance(part, torch.nn.Embedding) and part.padding_idx]
        positions -= max(offsets, default=0)
    limits = [limit for limit in (tokeniser.model_max_length, positions, longest) if limit and limit < NO_LIMIT]
    return min(limits, default=None)
