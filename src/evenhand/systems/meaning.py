"""Who answers: what a high value means for the person whom a text is about, as it is declared or as its name says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import get_args

from evenhand.errors import SettingRefused, did_you_mean
from evenhand.files.structured import read_yaml
from evenhand.systems.base import CLASSES, HighIs, Output

HighIsSaid = HighIs | Mapping[str, HighIs]
"""What is declared: one meaning for all outputs that declare none, or a meaning by the output's name."""

MEANINGS: tuple[HighIs, ...] = get_args(HighIs)


def high_is(output: Output) -> HighIs | None:
    """What a high value means: what is declared, else what the output's name says; None where that is not known.

    Of a distribution over grades, no single part means anything by itself.

    >>> high_is(Output("valence")), high_is(Output("Severe Toxicity")), high_is(Output("score"))
    ('good', 'bad', None)
    """
    if output.high_is is not None or output.of not in (None, CLASSES) or output.kind == "class":
        return output.high_is
    return _known().get(re.sub(r"[\s-]+", "_", output.name.casefold().partition(".")[0].strip()))


def checked(said: HighIsSaid) -> HighIsSaid:
    """What is declared, if it can be."""
    for value in said.values() if isinstance(said, Mapping) else (said,):
        if value not in MEANINGS:
            raise SettingRefused("high_is", f"{{}}: unknown meaning {value!r}{did_you_mean(str(value), MEANINGS)}")
    return said


def declared(outputs: Sequence[Output], said: HighIsSaid) -> tuple[Output, ...]:
    """The outputs with what is declared of them: a meaning for all holds where an output has none of its own.

    >>> joy, other = declared([Output("joy", high_is="good"), Output("score")], "bad")
    >>> joy.high_is, other.high_is
    ('good', 'bad')
    """
    by_name = said if isinstance(said, Mapping) else {one.name: said for one in outputs if one.high_is is None}
    return tuple(replace(one, high_is=by_name.get(one.name, one.high_is)) for one in outputs)


def refuse_useless(said: HighIsSaid, outputs: Iterable[Output]) -> None:
    """Raise where a declaration is of no output that is there."""
    there = list(outputs)
    names = list(dict.fromkeys(one.name for one in there))
    if isinstance(said, Mapping):
        for name in said:
            if name not in names:
                said_of = f"no output is called {name!r}{did_you_mean(name, names)}"
                raise SettingRefused("high_is", f"{{}}: {said_of}")
    elif there and all(one.high_is is not None for one in there):
        raise SettingRefused(
            "high_is",
            "no system here has a use for {}: every output says what its high values mean; to say otherwise, "
            f"name the output, as in {names[0]}={said}",
        )


@cache
def _known() -> dict[str, HighIs]:
    """By name, from the list that comes with Evenhand."""
    file = files("evenhand") / "data" / "high_is.yaml"
    listed = read_yaml(file)
    return {name: meaning for meaning in MEANINGS for name in listed[meaning]}
