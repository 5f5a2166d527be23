"""A transformer on disk: where it lies, what is refused, how it is loaded, and the hash of all that it is made of."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.opened import MOST_JSON, read_bytes
from evenhand.systems.transformers.torch_import import import_torch

READ = ("*.json", "*.model", "*.safetensors", "*.spm", "*.txt")
"""The files of a folder that its answers depend on: configuration, vocabulary and weights."""

PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")

MOST_LAYERS, FEWEST = 1_000, 100_000
"""Numbers of a configuration up to the second may be anything: lengths, seeds, places of tokens."""
WIDTHS = ("dim", "hidden_size", "d_model", "n_embd")
"""Of this width there are square matrices in each layer."""

log = logging.getLogger(__name__)


def find(address: str, *, revision: str | None = None) -> Path:
    """The folder that an address means; what is no folder here is fetched from the Hugging Face hub, or its cache."""
    folder = Path(address).expanduser()
    if folder.is_dir():
        return folder
    if folder.exists():
        raise UsageError(f"{folder} is a file; give the folder that holds a model")
    if not HUB_NAME.fullmatch(address):
        raise UsageError(f"no such folder: {folder}")
    return _fetched(address, revision)


def load(folder: Path, kind: str, *, may_miss: str = "", single: bool = True) -> tuple[Any, Any]:
    """The tokeniser and the model of a folder; `kind` is the transformers class that loads it.

    Weights are in single precision, or (`single` off) as they are stored, where that would only take memory.

    No code of the folder is run and no pickle is read. Weights whose names begin with `may_miss` may be absent. What
    transformers would fill in at random, or leave empty, with a warning only, is refused here.
    """
    tokeniser, model, report = _loaded(folder, kind)
    _refuse_random(folder, (key for key in report["missing_keys"] if not (may_miss and key.startswith(may_miss))))
    _check_vocabulary(folder, tokeniser, model)
    return tokeniser, (model.float() if single else model).eval()


def load_for_training(folder: Path, kind: str, labels: Sequence[str], *, by_word: bool = False) -> tuple[Any, Any]:
    """The tokeniser and the model of a folder, with a head for these labels; only the head may be new, and random.

    With `by_word`, the tokeniser is made to read single words as it reads them within a text.
    """
    numbered = dict(enumerate(labels))
    tokeniser, model, report = _loaded(
        folder,
        kind,
        num_labels=len(labels),
        id2label=numbered,
        label2id={label: number for number, label in numbered.items()},
        problem_type="single_label_classification",
        ignore_mismatched_sizes=True,
    )
    new = {*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])}
    body = f"{model.base_model_prefix}."
    _refuse_random(folder, (key for key in new if key.startswith(body) and "pooler" not in key))
    _check_vocabulary(folder, tokeniser, model)
    if by_word and getattr(tokeniser, "add_prefix_space", None) is False:
        tokeniser = type(tokeniser).from_pretrained(folder, local_files_only=True, add_prefix_space=True)
    return tokeniser, model.float()


def digest(folder: Path) -> str:
    """Hash the names and contents of the files that a model is made of."""
    return digest_of(path for pattern in READ for path in folder.glob(pattern))


def digest_of(paths: Iterable[Path], *, root: Path | None = None) -> str:
    """Hash files by name (or by path below `root`) and content."""
    content = hashlib.sha256()
    for path in sorted(paths):
        name = path.name if root is None else path.relative_to(root).as_posix()
        with path.open("rb") as file:
            content.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return content.hexdigest()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' bars and advice off the terminal for a while, and leave its settings as they were."""
    from transformers.utils import logging as chatter

    level, bars = chatter.get_verbosity(), chatter.is_progress_bar_enabled()
    chatter.set_verbosity_error()
    chatter.disable_progress_bar()
    try:
        yield
    finally:
        chatter.set_verbosity(level)
        if bars:
            chatter.enable_progress_bar()


def _fetched(name: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

    missing = f"no such folder: {name}; and"
    try:
        with quiet():
            found = snapshot_download(name, revision=revision, allow_patterns=list(READ), ignore_patterns=["*/*"])
    except RevisionNotFoundError as error:
        raise UsageError(f"{missing} the Hugging Face hub has no revision {revision!r} of {name!r}") from error
    except RepositoryNotFoundError as error:
        raise UsageError(f"{missing} the Hugging Face hub has no model {name!r} that you may read") from error
    except LocalEntryNotFoundError as error:
        raise UsageError(
            f"{missing} the Hugging Face hub cannot be asked for it (offline), nor is it in the hub's cache here"
        ) from error
    except Exception as error:  # its HTTP library's own errors, and what comes half-way
        raise EvenhandError(
            f"{missing} fetching {name!r} from the Hugging Face hub failed: {type(error).__name__}: {one_line(error)}"
        ) from error
    return Path(found)


def _loaded(folder: Path, kind: str, **more: Any) -> tuple[Any, Any, Any]:
    """The tokeniser, the model, and what transformers reports of its weights."""
    import_torch()  # without it, transformers would name the lack in twenty lines
    import transformers

    _refuse_pickles(folder)
    _refuse_sizes(folder)
    settings = {"trust_remote_code": False, "local_files_only": True}
    try:
        with quiet():
            tokeniser = transformers.AutoTokenizer.from_pretrained(folder, **settings)
            model, report = getattr(transformers, kind).from_pretrained(
                folder, use_safetensors=True, output_loading_info=True, **settings, **more
            )
    except Exception as error:  # each damage has an error of its own, and all of them mean the same
        raise EvenhandError(f"{folder} cannot be loaded: {type(error).__name__}: {one_line(error)}") from error
    return tokeniser, model, report


def _refuse_random(folder: Path, keys: Iterable[str]) -> None:
    missing = sorted(keys)
    if missing:
        raise EvenhandError(
            f"{folder} holds no weights for {_few(missing)} (they would be random): not a model for this task"
        )


def _refuse_pickles(folder: Path) -> None:
    if any(folder.glob("*.safetensors")):
        return
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} holds no transformer: there is no config.json in it")
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    if not pickles:
        raise UsageError(f"{folder} holds no weights: there is no .safetensors file in it")
    raise UsageError(
        f"{folder} holds its weights as {_few(pickles)}, a pickle, which can run code when it is read; save them as "
        "safetensors first (model.save_pretrained(FOLDER, safe_serialization=True))"
    )


def _refuse_sizes(folder: Path) -> None:
    """Refuse a configuration that speaks of far more than there are weights for: what it asks for would be built."""
    try:
        config = json.loads(read_bytes(folder / "config.json", usual=MOST_JSON))
    except (EvenhandError, ValueError, RecursionError):
        return  # transformers says what is wrong with it
    weights = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    for key, value in config.items() if isinstance(config, dict) else ():
        most = MOST_LAYERS if "layer" in key else max(weights, FEWEST)
        most = int(max(2 * weights, FEWEST) ** 0.5) if key in WIDTHS else most  # of which half a byte is kept at least
        if isinstance(value, int) and not isinstance(value, bool) and value > most:
            raise EvenhandError(
                f"{folder / 'config.json'}: {one_line(key, 60)} is more than the weights beside it can hold"
            )


def _check_vocabulary(folder: Path, tokeniser: Any, model: Any) -> None:
    # Without its files, transformers gives a tokeniser that reads every word as unknown, and all persons as the same.
    if len(tokeniser) <= len(set(tokeniser.all_special_ids)):
        raise EvenhandError(f"{folder} holds no vocabulary (such as tokenizer.json): every word would be unknown")
    rows = model.get_input_embeddings().num_embeddings
    if max(tokeniser.get_vocab().values()) >= rows:
        raise EvenhandError(
            f"{folder}: its tokeniser knows {len(tokeniser):,} word pieces and its model {rows:,}; they do not belong "
            "together"
        )


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
