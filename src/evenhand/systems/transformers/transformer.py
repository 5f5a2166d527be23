"""A loaded transformer that is asked about many texts: sorted by length, batch by batch, on one device."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import UsageError, did_you_mean, quoted
from evenhand.systems.base import Array
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.lengths import by_length
from evenhand.systems.transformers.torch_import import import_torch

PLANNED = 512
"""How many texts are asked together: within so many, texts of like length find each other."""

NO_LIMIT = 1_000_000
"""Tokenisers without a limit claim one above this."""

REVISION = 1
"""Raised when a change here, or in how models are loaded and texts put in order of length, may change answers."""

log = logging.getLogger(__name__)


class Transformer:
    """Runs texts through a model; what is read off its outcome is up to the caller.

    `at_once` texts go through together. Answers depend on what shares a batch by rounding only (padding is masked), and
    on the order of the texts not at all.
    """

    def __init__(
        self,
        folder: Path,
        kind: str,
        *,
        name: str,
        device: str,
        at_once: int,
        longest: int | None = None,
        may_miss: str = "",
    ) -> None:
        if at_once < 1:
            raise UsageError(f"{name!r}: at_once must be 1 or more, not {at_once}")
        self.name = name
        self.device = device_for(device)
        self.tokeniser, model = checkpoint.load(folder, kind, may_miss=may_miss)
        self.model = model.to(self.device)
        self.limit = longest_read(self.tokeniser, self.model, longest)
        # Without a token to pad with, texts of different lengths cannot share a batch.
        self.at_once = 1 if self.tokeniser.pad_token_id is None else at_once
        if self.model.config.pad_token_id is None:
            self.model.config.pad_token_id = self.tokeniser.pad_token_id  # generative models look for the last token
        self._takes = set(inspect.signature(self.model.forward).parameters)
        self.digest = checkpoint.digest(folder)

    def ask(self, texts: Sequence[str], read: Callable[[Any, Any], Any], *, width: int) -> Array:
        """One row of `width` numbers a text; `read` gets the model's outcome and which positions are not padding."""
        answers: Array = np.empty((len(texts), width), dtype=np.float64)
        for places, given, outcome in self.outcomes(texts):
            answers[places] = read(outcome, given["attention_mask"]).float().cpu().numpy()
        return answers

    def outcomes(self, texts: Sequence[str], *, offsets: bool = False) -> Iterator[tuple[list[int], Any, Any]]:
        """Batch by batch: which texts, what the model was given, and its outcome.

        With `offsets`, what was given says which characters of its text each word piece covers.
        """
        torch = import_torch()
        if not len(texts):
            return
        with torch.inference_mode():
            for places in by_length(texts, self._lengths(texts), self.at_once):
                given = self._encoded([texts[place] for place in places], offsets=offsets)
                yield places, given, self.model(**{key: given[key] for key in given if key in self._takes})

    def tokenise(self, text: str) -> list[str]:
        """The word pieces of a text, without special tokens."""
        pieces: list[str] = self.tokeniser.tokenize(text)
        return pieces

    def what_it_depends_on(self) -> dict[str, object]:
        """For fingerprints: the model's files, the kind of device, the batches, and the revision of the code."""
        return {
            "files": self.digest,
            "device": self.device.type,
            "at_once": self.at_once,
            "limit": self.limit,
            "transformer": REVISION,
        }

    def _encoded(self, texts: list[str], *, offsets: bool) -> Any:
        cut: dict[str, Any] = {} if self.limit is None else {"truncation": True, "max_length": self.limit}
        padding = self.tokeniser.pad_token_id is not None
        more = {"return_offsets_mapping": True} if offsets else {}
        given = self.tokeniser(texts, padding=padding, return_tensors="pt", return_attention_mask=True, **cut, **more)
        return given.to(self.device)

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        found = [len(pieces) for pieces in self.tokeniser(list(texts), verbose=False)["input_ids"]]
        too_long = [] if self.limit is None else [place for place, n in enumerate(found) if n > self.limit]
        if too_long:
            log.warning(
                "%s: %d of %d texts are longer than the %d word pieces it reads, and were cut off there; one is %s",
                self.name, len(too_long), len(texts), self.limit, quoted(texts[too_long[0]], 60),
            )  # fmt: skip
        return found


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
