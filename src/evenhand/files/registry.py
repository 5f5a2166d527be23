"""Tables of what people call by name: how entries get in, how they are found, and how they are built.

It knows nothing of what it holds. Other packages enter through an entry point group, where the table has one:

    [project.entry-points."evenhand.systems"]
    shouting = "my_package:Shouting"

A plugin is imported when somebody asks for it by name, so that one that is broken breaks no other.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from evenhand.errors import EvenhandError, MissingExtra, UsageError, did_you_mean, one_line

T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A row of a table."""

    name: str
    extra: str | None
    build: Callable[..., T]
    summary: str
    address: str | None = None
    """For what is typed as NAME:ADDRESS, what the address is, such as `MODEL_OR_FOLDER`."""
    plugin: str | None = None
    """The package of a third party that brings it."""

    @property
    def typed(self) -> str:
        """What people type: the name, or NAME:ADDRESS."""
        return self.name if self.address is None else f"{self.name}:{self.address}"


class Registry(dict[str, Entry[T]]):
    """Entries by name; `kind` is what messages call one of them, `group` is where plugins announce theirs."""

    def __init__(self, kind: str, *, group: str | None = None) -> None:
        super().__init__()
        self.kind = kind
        self.group = group

    def enter(self, name: str, *, extra: str | None = None, address: str | None = None) -> Callable[[C], C]:
        """Enter a class, or a function that builds, under the name that people type; for use as a decorator."""

        def entered(build: C) -> C:
            summary = (inspect.getdoc(build) or "").partition("\n")[0]
            self[name] = Entry(name, extra, build, summary, address)
            return build

        return entered

    def announced(self) -> list[str]:
        """The names that plugins announce, sorted; nothing is imported."""
        return sorted({point.name for point in self.points()})

    def points(self, name: str | None = None) -> list[EntryPoint]:
        """The entry points of plugins, or those with this name."""
        found = [] if self.group is None else entry_points(group=self.group)
        return [point for point in found if name in (None, point.name)]

    def lookup(self, name: str) -> Entry[T] | None:
        """The row with this name, for which a plugin may have to be imported; None if there is none."""
        if name not in self:
            points = self.points(name)
            if len(points) > 1:
                packages = ", ".join(sorted(map(package_of, points)))
                raise UsageError(f"several plugins bring a {self.kind} {name!r}: {packages}; keep one")
            if points:
                self._enter_plugin(points[0])
        return self.get(name)

    def find(self, name: str, *, also: Iterable[str] = ()) -> Entry[T]:
        """The row with this name; `also` are further names that somebody may have meant."""
        entry = self.lookup(name)
        if entry is None:
            known = {*self, *self.announced(), *also}
            raise UsageError(f"unknown {self.kind} {name!r}{did_you_mean(name, known)}")
        return entry

    def build(self, name: str, *address: str, **settings: Any) -> T:
        """Build what is called so; a missing extra, and whatever a plugin does wrong, is one line."""
        entry = self.find(name)
        if entry.address is not None and address == ("",):
            raise UsageError(f"{f'{name}:'!r} does not read as {entry.typed}")
        try:
            return entry.build(*address, **settings)
        except ModuleNotFoundError as error:
            if entry.plugin is not None:
                raise EvenhandError(f"{self.called(entry)} needs {error.name!r}, which is not installed") from error
            if entry.extra is None or (error.name or "").startswith("evenhand"):
                raise
            raise MissingExtra(self.called(entry), entry.extra) from error
        except EvenhandError:
            raise
        except Exception as error:
            if entry.plugin is None:
                raise
            raise EvenhandError(f"{self.called(entry)} failed: {type(error).__name__}: {one_line(error)}") from error

    def called(self, entry: Entry[T]) -> str:
        """What messages call an entry."""
        return f"the {self.kind} {entry.name!r}" + (f" of the plugin {entry.plugin!r}" if entry.plugin else "")

    def _enter_plugin(self, point: EntryPoint) -> None:
        before = dict(self)
        try:
            build = self._imported(point)
            if build not in [entry.build for entry in self.values()]:  # a plain class, without the decorator
                self.enter(point.name)(build)
            entered = {name: entry for name, entry in self.items() if before.get(name) is not entry}
        finally:
            # Whatever names a plugin enters itself under, it takes nobody's place.
            self.clear()
            self.update(before)
        own = next(entry for entry in entered.values() if entry.build is build)
        siblings = {name: entry for name, entry in entered.items() if name in set(self.announced()) - before.keys()}
        for name, entry in {**siblings, point.name: own}.items():
            self[name] = replace(entry, name=name, plugin=package_of(point))

    def _imported(self, point: EntryPoint) -> Any:
        where = f"the {self.kind} {point.name!r} of the plugin {package_of(point)!r}"
        try:
            build = point.load()
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {one_line(error)}"
            raise EvenhandError(f"{where} cannot be imported from {point.value!r}: {why}") from error
        if not callable(build):
            shown = one_line(repr(build), 60)
            raise EvenhandError(f"{where}: {point.value!r} is neither a class nor a function, but {shown}")
        return build


def package_of(point: EntryPoint) -> str:
    """The distribution that a plugin belongs to."""
    return "unknown" if point.dist is None else point.dist.name
