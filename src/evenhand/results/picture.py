"""A chart of a result, to be looked at in a notebook or saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import UsageError, did_you_mean
from evenhand.files.whole import Content
from evenhand.results.rendering import Files


@dataclass(frozen=True)
class Picture:
    """One chart: a notebook draws it where it stands last in a cell."""

    name: str
    _drawings: dict[str, Content]

    @property
    def svg(self) -> str:
        """The drawing itself."""
        drawn = self._drawings[".svg"]
        return (drawn() if callable(drawn) else drawn).decode()

    def save(self, path: str | Path) -> Path:
        """Write it as SVG or PNG, by the ending of the path."""
        path = Path(path)
        if path.suffix not in self._drawings:
            raise UsageError(f"{path}: a picture is saved as {' or '.join(sorted(self._drawings))}")
        drawn = self._drawings[path.suffix]
        path.write_bytes(drawn() if callable(drawn) else drawn)
        return path

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture {self.name}>"


def pictures_in(files: Files) -> dict[str, Picture]:
    """The charts among the files of a result, by name."""
    drawings: dict[str, dict[str, Content]] = {}
    for name, content in files.items():
        path = Path(name)
        if path.suffix in (".svg", ".png"):
            drawings.setdefault(path.stem, {})[path.suffix] = content
    return {name: Picture(name, drawn) for name, drawn in drawings.items() if ".svg" in drawn}


def picked(pictures: dict[str, Picture], name: str | None, kind: str) -> Picture:
    """The one of that name, or the first."""
    if not pictures:
        raise UsageError(f"a result of the kind {kind} has no charts; frame() has its numbers, and to_html() its page")
    if name is None:
        return next(iter(pictures.values()))
    if name not in pictures:
        raise UsageError(f"a result of the kind {kind} has no chart {name!r}{did_you_mean(name, pictures)}")
    return pictures[name]
