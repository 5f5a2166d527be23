"""The strings that people type, resolved to what they mean: systems, round trips, predictions that were recorded."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.corpora.corpus import Corpus
from evenhand.errors import UsageError, did_you_mean
from evenhand.recorded import read_predictions
from evenhand.repairs import Averaging, load_calibrator, repaired
from evenhand.repairs.averaging import Averaged
from evenhand.repairs.neutral import Neutralised
from evenhand.repairs.wrapping import Wrapped
from evenhand.scoring import Scores
from evenhand.system_file import ENDINGS as SYSTEM_FILE_ENDINGS
from evenhand.system_file import Described, read_system_file, read_translator_file
from evenhand.systems import REGISTRY, BaseScorer, build_system
from evenhand.systems.planted import PlantedOn
from evenhand.tables import ENDINGS
from evenhand.translation import (
    TRANSLATORS,
    Apertium,
    RoundTrip,
    ThereAndBack,
    Translator,
    build_translator,
    direction_via,
)

FILE = "file"
"""The form of recorded predictions, which are no system: they are read into scores."""

ROUND_TRIP = "roundtrip"
"""The form of a system that is asked about what comes home from a round trip through another language."""

REPAIRED = "repaired"
"""The form of a system with a repair around it."""

FORMS = {
    "NAME or NAME(key=value, ...)": "a system of the table, with its settings",
    f"{FILE}:PATH": "predictions that were recorded: csv, tsv, jsonl or parquet with a column text or id",
    "http://... or https://...": "short for http:URL",
    f"{ROUND_TRIP}:TRANSLATOR+SYSTEM": "a system that is asked after a round trip: es, apertium:eng-spa, argos:en-da, "
    "hf:EN_DA,hf:DA_EN, or a file that describes the translators",
    f"{REPAIRED}:CALIBRATOR+SYSTEM": "a system with a repair around it: the file of a calibrator (evenhand repair), or "
    "averaging or neutral, which need none",
    "planted(key=value, ...)+SYSTEM": "a system with a bias planted on it, to see a repair take it away again",
    "FILE.yaml": "a system with settings that are written down",
}
"""What may be typed where a system is asked for, besides NAME:ADDRESS of the table."""

UNFITTED: Mapping[str, Callable[..., Wrapped]] = {"averaging": Averaged, "neutral": Neutralised}
"""Repairs that need no fitting: they take the versions of a sentence from the corpus."""

CALIBRATOR_ENDING = ".json"
ADDRESS_OF_ENDPOINT = re.compile(r"https?://", re.IGNORECASE)
HERE = "en"
"""Where a round trip starts when only the language that it goes through is named."""

LANGUAGE = re.compile(r"[A-Za-z]{2,3}")
PLANTED_ON = re.compile(r"planted\s*(?:\((?P<settings>[^()]*)\))?\s*\+(?P<system>.+)", re.DOTALL)
NAME = re.compile(r"(?P<name>[A-Za-z][\w-]*)\s*(?:\((?P<settings>.*)\))?", re.DOTALL)


def resolve(
    spec: str,
    corpus: Corpus,
    *,
    bounds: tuple[float, float] | None = None,
    version: str | None = None,
    base_url: str | None = None,
    cache: Path | None = None,
) -> BaseScorer | Scores:
    """What a string means: a system to ask, or (for `file:`) scores that are already there.

    `bounds` are the ends of the range of outputs that declare none (0 and 1 if not given). `version` vouches for a
    system that cannot be looked into: under the same version its answers are taken to be the same. `base_url` is where
    the server of language models listens. Translations of round trips are kept in `cache`, if not in the usual place.
    """
    named = {"version": version, "base_url": base_url}
    flags: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if bounds is not None:
        flags |= {"low": bounds[0], "high": bounds[1]}
    return _meant(spec.strip(), corpus, flags, cache)


def _meant(spec: str, corpus: Corpus, flags: Mapping[str, Any], cache: Path | None) -> BaseScorer | Scores:
    if Path(spec).suffix.lower() in SYSTEM_FILE_ENDINGS and ":" not in spec:
        described = read_system_file(Path(spec).expanduser())
        made = _resolve(described.system, described.settings, corpus, flags, cache)
        return _named(made, described.name or spec)
    planted = PLANTED_ON.fullmatch(spec)
    if planted is not None:
        return _named(_planted_on(spec, planted, corpus, flags, cache), spec)
    name, colon, _ = _parts(spec)
    if colon and NAME.fullmatch(name):
        return _named(_resolve(spec, {}, corpus, flags, cache), spec)
    name, settings = parse_spec(spec)
    return _named(_resolve(name, settings, corpus, flags, cache), spec)


def _planted_on(
    spec: str, parts: re.Match[str], corpus: Corpus, flags: Mapping[str, Any], cache: Path | None
) -> PlantedOn:
    settings = checked_settings("planted", PlantedOn, _settings(spec, parts["settings"] or ""))
    inner = _meant(parts["system"].strip(), corpus, flags, cache)
    if isinstance(inner, Scores):
        raise UsageError(f"{parts['system']!r} was recorded; a bias is planted on a system that can be asked")
    return PlantedOn(corpus, inner, **settings)


def resolve_trip(spec: str, *, cache: Path | None = None) -> ThereAndBack:
    """What a string means as a way there and back.

    A language (`es`: by Apertium, from English), a translator that knows its way back (`apertium:eng-spa`), two
    with a comma between them (`hf:EN_DA,hf:DA_EN`), or a .yaml file that describes them.
    """
    spec = spec.strip()
    if Path(spec).suffix.lower() in SYSTEM_FILE_ENDINGS and ":" not in spec:
        described = read_translator_file(Path(spec).expanduser())
        return ThereAndBack(
            _translator(described.there), None if described.back is None else _translator(described.back), cache=cache
        )
    if LANGUAGE.fullmatch(spec):
        return ThereAndBack(Apertium(direction_via(HERE, spec)), cache=cache)
    there, comma, back = spec.partition(",")
    return ThereAndBack(
        _translator(Described(translator=there)),
        _translator(Described(translator=back)) if comma else None,
        cache=cache,
    )


def _translator(described: Described) -> Translator:
    name, _, address = _parts(described.translator.strip())
    settings = checked_settings(name, TRANSLATORS.find(name).build, described.settings)
    return build_translator(name, address, **settings)


def _round_trip(address: str, corpus: Corpus, flags: Mapping[str, Any], cache: Path | None) -> RoundTrip:
    trip, _, inner = (part.strip() for part in address.partition("+"))
    if not trip or not inner:
        raise UsageError(f"{f'{ROUND_TRIP}:{address}'!r} does not read as {ROUND_TRIP}:TRANSLATOR+SYSTEM")
    asked = _meant(inner, corpus, flags, cache)
    if isinstance(asked, Scores):
        raise UsageError(f"{inner!r} was recorded, and cannot be asked about what comes home from a round trip")
    return RoundTrip(asked, resolve_trip(trip, cache=cache))


def _repaired(address: str, corpus: Corpus, flags: Mapping[str, Any], cache: Path | None) -> Wrapped | Scores:
    how, inner = _how_and_inner(address)
    if not how or not inner:
        raise UsageError(f"{f'{REPAIRED}:{address}'!r} does not read as {REPAIRED}:CALIBRATOR+SYSTEM")
    word = NAME.fullmatch(how)
    if word is not None and word["name"] in UNFITTED:
        build = UNFITTED[word["name"]]
        settings = checked_settings(word["name"], build, _settings(how, word["settings"] or ""))
        asked = _meant(inner, corpus, flags, cache)
        if not isinstance(asked, Scores):
            return _asking_versions(build(asked, corpus, **settings), corpus)
        if build is not Averaged:
            raise UsageError(f"{inner!r} was recorded, and cannot be asked about a neutral person instead")
        return Averaging.fit(asked, corpus).apply(asked, corpus)
    path = Path(how).expanduser()
    if path.suffix.lower() != CALIBRATOR_ENDING and not path.is_file():
        raise UsageError(
            f"unknown repair {how!r}{did_you_mean(how, UNFITTED)} (or the {CALIBRATOR_ENDING} file of a calibrator, "
            "from: evenhand repair)"
        )
    calibrator = load_calibrator(path)
    asked = _meant(inner, corpus, flags, cache)
    return calibrator.apply(asked, corpus) if isinstance(asked, Scores) else repaired(asked, calibrator, corpus)


def _asking_versions(made: Wrapped, corpus: Corpus) -> Wrapped:
    """Refuse a substitution that would substitute nothing."""
    if isinstance(made, Neutralised) and made.left and not made.distinct:
        raise UsageError(
            f"no sentence of the corpus {corpus.name!r} has a version with a neutral person: {made.reason}; its "
            f"language may be named, as in {REPAIRED}:neutral(language=en)+SYSTEM"
        )
    return made


def _how_and_inner(address: str) -> tuple[str, str]:
    """What stands before and after the plus sign; the name of a file may hold one too."""
    parts = address.split("+")
    splits = [("+".join(parts[:n]).strip(), "+".join(parts[n:]).strip()) for n in range(1, len(parts))]
    files = (split for split in splits if Path(split[0]).expanduser().is_file())
    return next(files, splits[0] if splits else ("", ""))


def _resolve(
    spec: str, settings: Mapping[str, Any], corpus: Corpus, flags: Mapping[str, Any], cache: Path | None
) -> BaseScorer | Scores:
    name, colon, address = _parts(spec)
    if name == ROUND_TRIP and colon:
        if settings:
            raise UsageError(f"{ROUND_TRIP!r} takes no settings; write them into files for system and translators")
        return _round_trip(address, corpus, flags, cache)
    if name == REPAIRED and colon:
        if settings:
            raise UsageError(f"{REPAIRED!r} takes no settings; write them into a file for the system")
        return _repaired(address, corpus, flags, cache)
    if name == FILE and colon:
        given = _fitting(read_predictions, {"name": spec, **flags}) | checked_settings(FILE, read_predictions, settings)
        return read_predictions(Path(address).expanduser(), corpus, **given)
    entry = REGISTRY.lookup(name)
    if entry is None:
        known = {*REGISTRY, *REGISTRY.announced(), FILE, ROUND_TRIP, REPAIRED}
        raise UsageError(f"unknown system {name!r}{did_you_mean(name, known)}{_hint(spec)}")
    if colon if entry.address is None else not address:
        raise UsageError(f"{spec!r} does not read as {entry.typed}")
    given = _fitting(entry.build, flags) | checked_settings(name, entry.build, settings)
    if "corpus" in inspect.signature(entry.build).parameters:
        given["corpus"] = corpus
    return build_system(name, *([address] if colon else []), **given)


def _parts(spec: str) -> tuple[str, str, str]:
    """Name, colon and address; what begins like an address of the web is one."""
    return ("http", ":", spec) if ADDRESS_OF_ENDPOINT.match(spec) else spec.partition(":")


def _named(made: BaseScorer | Scores, name: str) -> BaseScorer | Scores:
    if not isinstance(made, Scores):
        made.name = name
        return made
    if len({column.system for column in made.columns}) > 1 or name.startswith(f"{FILE}:"):
        return made  # saved scores keep the names of their systems
    return replace(made, columns=tuple(replace(column, system=name) for column in made.columns))


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """The name and the settings in `NAME(key=value, ...)`; values are Python literals or bare words.

    >>> parse_spec("planted(gap=0.02, attribute=race)")
    ('planted', {'gap': 0.02, 'attribute': 'race'})
    """
    match = NAME.fullmatch(spec)
    if match is None:
        raise UsageError(f"cannot read {spec!r}{_hint(spec)}; write {', '.join(FORMS)}")
    return match["name"], _settings(spec, match["settings"] or "")


def allowed_settings(name: str) -> dict[str, inspect.Parameter]:
    """The settings that a system of the table takes, besides its address and the corpus."""
    return _allowed(REGISTRY[name].build)


def _allowed(build: Callable[..., object]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(build).parameters
    given = {"corpus", "name"}
    return {
        key: parameter
        for key, parameter in parameters.items()
        if key not in given and (parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty)
    }


def _fitting(build: Callable[..., object], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Of the flags that hold for all systems, those that this one takes."""
    parameters = inspect.signature(build).parameters
    return {key: value for key, value in flags.items() if key in parameters}


def _hint(spec: str) -> str:
    looks_like_a_file = Path(spec).suffix.lower() in ENDINGS
    return f" (for recorded predictions: {FILE}:{spec})" if looks_like_a_file else ""


def _settings(spec: str, inside: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"_({inside}\n)", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"cannot read the settings in {spec!r}: write NAME(key=value, ...)") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UsageError(f"cannot read the settings in {spec!r}: each is key=value")
    settings: dict[str, Any] = {}
    for keyword in call.keywords:
        key = _key(spec, keyword)
        if key in settings:
            raise UsageError(f"{spec!r} gives {key!r} twice")
        settings[key] = _value(spec, keyword)
    return settings


def _key(spec: str, keyword: ast.keyword) -> str:
    if keyword.arg is None:
        raise UsageError(f"cannot read the settings in {spec!r}: each is key=value")
    return keyword.arg


def _value(spec: str, keyword: ast.keyword) -> Any:
    if isinstance(keyword.value, ast.Name):
        return keyword.value.id
    try:
        return ast.literal_eval(keyword.value)
    except ValueError as error:
        written = ast.unparse(keyword.value)
        raise UsageError(f"{spec!r}: {keyword.arg}={written} is no plain value; a text needs quotes") from error


def checked_settings(name: str, build: Callable[..., object], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, if they are those that a builder takes."""
    allowed = _allowed(build)
    for key, value in settings.items():
        if key not in allowed:
            raise UsageError(f"{name!r} has no setting {key!r}; {_listed(allowed)}")
        default = allowed[key].default
        if not _fits(value, default):
            kind = {float: "a number", int: "a whole number", str: "a text", bool: "True or False"}[type(default)]
            raise UsageError(f"{name!r}: {key} must be {kind}, not {value!r}; {_listed(allowed)}")
    missing = [key for key, p in allowed.items() if p.default is inspect.Parameter.empty and key not in settings]
    if missing:
        raise UsageError(f"{name!r} needs the setting {missing[0]!r}; {_listed(allowed)}")
    return dict(settings)


def _fits(value: Any, default: Any) -> bool:
    """Whether a value is of the kind of the default; a setting without a default, or with None, takes anything."""
    if type(default) is float:
        return type(value) in (int, float)
    return type(default) not in (int, str, bool) or type(value) is type(default)


def _listed(allowed: Mapping[str, inspect.Parameter]) -> str:
    if not allowed:
        return "it takes no settings"
    return "its settings: " + ", ".join(_described(key, parameter.default) for key, parameter in allowed.items())


def _described(key: str, default: Any) -> str:
    return key if default is inspect.Parameter.empty else f"{key}={default}"
