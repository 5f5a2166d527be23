"""Who answers: systems that other packages bring, through the entry point group `evenhand.systems`.

    [project.entry-points."evenhand.systems"]
    shouting = "my_package:Shouting"

A plugin is imported when somebody asks for it by name, so that one that is broken breaks no other.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.systems.base import REGISTRY, Entry, system

GROUP = "evenhand.systems"


def plugin_names() -> list[str]:
    """The systems that plugins announce, sorted; nothing is imported."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def find_system(name: str) -> Entry | None:
    """The row of the table with this name, for which a plugin may have to be imported; None if there is none."""
    if name not in REGISTRY:
        points = list(entry_points(group=GROUP, name=name))
        if len(points) > 1:
            packages = ", ".join(sorted(map(package_of, points)))
            raise UsageError(f"several plugins bring a system {name!r}: {packages}; keep one")
        if points:
            _enter(points[0])
    return REGISTRY.get(name)


def package_of(point: EntryPoint) -> str:
    """The distribution that a plugin belongs to."""
    return "unknown" if point.dist is None else point.dist.name


def _enter(point: EntryPoint) -> None:
    before = dict(REGISTRY)
    try:
        build = _imported(point)
        if build not in [entry.build for entry in REGISTRY.values()]:  # a plain class, without the decorator
            system(point.name)(build)
        entered = {name: entry for name, entry in REGISTRY.items() if before.get(name) is not entry}
    finally:
        # Whatever names a plugin enters itself under, it takes nobody's place.
        REGISTRY.clear()
        REGISTRY.update(before)
    own = next(entry for entry in entered.values() if entry.build is build)
    siblings = {name: entry for name, entry in entered.items() if name in set(plugin_names()) - before.keys()}
    for name, entry in {**siblings, point.name: own}.items():
        REGISTRY[name] = replace(entry, name=name, plugin=package_of(point))


def _imported(point: EntryPoint) -> Any:
    where = f"the system {point.name!r} of the plugin {package_of(point)!r}"
    try:
        build = point.load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {one_line(error)}"
        raise EvenhandError(f"{where} cannot be imported from {point.value!r}: {why}") from error
    if not callable(build):
        raise EvenhandError(f"{where}: {point.value!r} is no class and no function, but {one_line(repr(build), 60)}")
    return build
