"""Models that were trained for one affect dimension each, and lie together in a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.task_files import DIMENSIONS
from evenhand.files.whole import finish
from evenhand.systems.base import HighIs, Output, OutputKind

Dimension = Literal["anger", "fear", "joy", "sadness", "valence"]


def high_is_of(dimension: str | None) -> HighIs | None:
    """Whether more of it is better for those who feel it; None for what is no affect dimension.

    >>> high_is_of("joy"), high_is_of("fear"), high_is_of("stars")
    ('good', 'bad', None)
    """
    if dimension not in DIMENSIONS:
        return None
    return "good" if dimension in ("joy", "valence") else "bad"


def output_of(dimension: str, low: float, high: float, kind: OutputKind = "score") -> Output:
    """The output of a model of this dimension."""
    return Output(dimension, low=low, high=high, kind=kind, high_is=high_is_of(dimension))


class DimensionModel(Protocol):
    """A model of one dimension."""

    @property
    def output(self) -> Output:
        """What it gives; it is called like the dimension."""


Model = TypeVar("Model", bound=DimensionModel)


def read_models(
    address: str, ending: str, read: Callable[[Path], Model], *, made_by: str, needs: tuple[str, ...] = ()
) -> list[Model]:
    """The models at an address, in the order of their dimensions; `needs` is what training asks for besides."""
    loaded = {file: read(file) for file in model_files(address, ending, made_by=made_by, needs=needs)}
    return [loaded[file] for file in in_order({file: _dimension(file, one) for file, one in loaded.items()})]


def _dimension(file: Path, model: DimensionModel) -> str:
    """The dimension of a model, whose output is made of what its card says."""
    try:
        return model.output.name
    except UsageError as error:
        raise EvenhandError(f"{file}: {error}; train it again") from error


def model_files(address: str, ending: str, *, made_by: str, needs: tuple[str, ...] = ()) -> list[Path]:
    """The file that is named, or those in a folder, or those in its sub-folders, with this ending."""
    path = Path(address).expanduser()
    if path.is_file() and not path.name.endswith(ending):
        raise UsageError(f"{path} is not a trained model: those of {made_by} end in {ending}")
    if path.is_file():
        return [path]
    make = f"make one: {' '.join([made_by, '--train FILE', *needs])} --dimension anger --out {path}"
    if not path.is_dir():
        raise UsageError(f"no such file or folder: {path}; {make}")
    for folder in (path, *sorted(path.glob("*/"))):
        finish(folder)
    found = sorted(path.glob(f"*{ending}")) or sorted(path.glob(f"*/*{ending}"))
    if not found:
        raise UsageError(f"{path} holds no trained model (*{ending}); {make}")
    return found


def in_order(dimensions: Mapping[Path, str]) -> list[Path]:
    """The models in the order anger, fear, joy, sadness, valence; a second one of the same dimension is refused."""
    of: dict[str, Path] = {}
    for path, dimension in dimensions.items():
        if dimension in of:
            raise UsageError(f"{of[dimension]} and {path} are both models of {dimension}; name one, or move one away")
        of[dimension] = path
    return [of[dimension] for dimension in DIMENSIONS if dimension in of]
