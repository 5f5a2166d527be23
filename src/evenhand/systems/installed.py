"""Who could answer: the systems that are there, those whose packages are missing, and what would install them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from evenhand.errors import EvenhandError
from evenhand.files.registry import package_of
from evenhand.systems.adapters import REGISTRY

PACKAGE = "evenhand"


@dataclass(frozen=True)
class Listed:
    """A system as it is listed: what to type, what it is, and what it would need."""

    typed: str
    summary: str
    extra: str | None = None
    missing: tuple[str, ...] = ()
    """The packages of its extra that are not there."""
    plugin: str | None = None
    problem: str | None = None
    """Why a plugin cannot be used."""

    @property
    def installed(self) -> bool:
        """Whether it can be asked now."""
        return not self.missing and self.problem is None

    @property
    def install(self) -> str | None:
        """The command that would install what is missing."""
        return f"pip install '{PACKAGE}[{self.extra}]'" if self.missing else None


def listed_systems() -> list[Listed]:
    """All systems, sorted by name; packages of extras are looked up, not imported."""
    names = sorted({*REGISTRY, *REGISTRY.announced()}, key=str.lower)
    return [_listed(name) for name in names]


def missing_packages(extra: str) -> tuple[str, ...]:
    """The packages that an extra asks for and that are not installed, or in a version that it does not accept.

    Read from what the installed Evenhand says about itself; an extra that it does not know is missing as a whole.

    >>> missing_packages("no-such-extra")
    ('no-such-extra',)
    """
    found = [Requirement(line) for line in requires(PACKAGE) or []]
    wanted = [
        one for one in found if one.marker and "extra" in str(one.marker) and one.marker.evaluate({"extra": extra})
    ]
    return tuple(one.name for one in wanted if not _is_there(one)) if wanted else (extra,)


def _listed(name: str) -> Listed:
    try:
        entry = REGISTRY.find(name)
    except EvenhandError as error:
        packages = ", ".join(package_of(point) for point in REGISTRY.points(name))
        return Listed(name, "", plugin=packages, problem=str(error))
    missing = missing_packages(entry.extra) if entry.extra and entry.plugin is None else ()
    return Listed(entry.typed, entry.summary, entry.extra, missing, entry.plugin)


def _is_there(wanted: Requirement) -> bool:
    try:
        return wanted.specifier.contains(version(wanted.name), prereleases=True)
    except PackageNotFoundError:
        return False
