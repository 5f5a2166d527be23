"""Tables of what people call by name: how entries get in, how they are found, and how they are built.

It knows nothing of what it holds. Other packages enter through an entry point group, where the table has one:

    [project.entry-points."evenhand.systems"]
    shouting = "my_package:Shouting"

A plugin is imported when somebody asks for it by name, so that one that is broken breaks no other. Where the table is
told how (`elsewhere`), it is imported in another process, and only what it enters is known here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from evenhand.errors import EvenhandError, MissingExtra, UsageError, did_you_mean, foreign_code, one_line

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
    apart: bool = False
    """Whether it is to be built in a process of its own."""

    @property
    def typed(self) -> str:
        """What people type: the name, or NAME:ADDRESS."""
        return self.name if self.address is None else f"{self.name}:{self.address}"

    def described(self) -> dict[str, Any]:
        """The entry in plain values, as another process can be told of it."""
        parameters = [
            [one.name, int(one.kind), one.default is not one.empty, _plain(one.default)]
            for one in inspect.signature(self.build).parameters.values()
        ]
        told = {name: getattr(self, name) for name in ("name", "extra", "summary", "address", "plugin")}
        return {**told, "parameters": parameters}


class BuiltElsewhere:
    """In place of what builds: it has the settings of that, but is in another process."""

    def __init__(self, parameters: Iterable[tuple[str, int, bool, Any]]) -> None:
        self.__signature__ = inspect.Signature(
            [
                inspect.Parameter(name, _KINDS[kind], default=default if has_default else inspect.Parameter.empty)
                for name, kind, has_default, default in parameters
            ]
        )

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Never called: what is elsewhere is built there."""
        raise AssertionError("it is to be built in another process")


Elsewhere = Callable[[str, str], Iterable[Mapping[str, Any]]]
"""Imports the plugin that announces a name, in another process, and describes what it enters; the second argument is
what errors call it."""

_KINDS = {int(kind): kind for kind in type(inspect.Parameter.POSITIONAL_ONLY)}  # type: ignore[attr-defined]


class Registry(dict[str, Entry[T]]):
    """Entries by name; `kind` is what messages call one of them, `group` is where plugins announce theirs."""

    def __init__(self, kind: str, *, group: str | None = None) -> None:
        super().__init__()
        self.kind = kind
        self.group = group
        self.elsewhere: Elsewhere | None = None

    def enter(
        self, name: str, *, extra: str | None = None, address: str | None = None, apart: bool = False
    ) -> Callable[[C], C]:
        """Enter a class, or a function that builds, under the name that people type; for use as a decorator."""

        def entered(build: C) -> C:
            summary = (inspect.getdoc(build) or "").partition("\n")[0]
            self[name] = Entry(name, extra, build, summary, address, apart=apart)
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
        self.refuse_address(entry, *address)
        try:
            with foreign_code():
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

    def refuse_address(self, entry: Entry[T], *address: str) -> None:
        """Refuse an address that is empty."""
        if entry.address is not None and address == ("",):
            raise UsageError(f"{f'{entry.name}:'!r} does not read as {entry.typed}")

    def called(self, entry: Entry[T], *address: str) -> str:
        """What messages call an entry."""
        if entry.plugin is None and address:
            return repr(":".join((entry.name, *address)))
        return f"the {self.kind} {entry.name!r}" + (f" of the plugin {entry.plugin!r}" if entry.plugin else "")

    def _enter_plugin(self, point: EntryPoint) -> None:
        if self.elsewhere is None:
            self._enter_plugin_here(point)
            return
        for told in self.elsewhere(point.name, self._called_as_plugin(point)):
            given = dict(told)
            build = BuiltElsewhere(given.pop("parameters"))
            self[given["name"]] = Entry(**given, build=build, apart=True)

    def _enter_plugin_here(self, point: EntryPoint) -> None:
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
        where = self._called_as_plugin(point)
        try:
            with foreign_code():
                build = point.load()
        except Exception as error:
            why = f"{type(error).__name__}: {one_line(error)}"
            raise EvenhandError(f"{where} cannot be imported from {point.value!r}: {why}") from error
        if not callable(build):
            shown = one_line(repr(build), 60)
            raise EvenhandError(f"{where}: {point.value!r} is neither a class nor a function, but {shown}")
        return build

    def _called_as_plugin(self, point: EntryPoint) -> str:
        return f"the {self.kind} {point.name!r} of the plugin {package_of(point)!r}"


def _plain(default: Any) -> Any:
    """A default as JSON has it; what JSON has no form for is only shown, in the list of settings."""
    return default if default is None or isinstance(default, bool | int | float | str) else one_line(repr(default), 60)


def package_of(point: EntryPoint) -> str:
    """The distribution that a plugin belongs to."""
    return "unknown" if point.dist is None else point.dist.name
