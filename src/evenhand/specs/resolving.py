"""The strings that people type, resolved to what they mean: systems, round trips, predictions that were recorded."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from evenhand.asking import Scores
from evenhand.asking.recorded import read_predictions
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError, did_you_mean
from evenhand.files.tables import ENDINGS
from evenhand.repairs import Averaging, load_calibrator, repaired
from evenhand.repairs.averaging import Averaged
from evenhand.repairs.neutral import Neutralised
from evenhand.repairs.wrapping import Wrapped
from evenhand.specs.meaning import outputs_of, with_high_is
from evenhand.specs.system_file import ENDINGS as SYSTEM_FILE_ENDINGS
from evenhand.specs.system_file import Described, name_in_file, read_system_file, read_translator_file
from evenhand.systems import REGISTRY, BaseScorer, BaseTagger, Scorer, Tagger, as_scorer, as_tagger, build_system
from evenhand.systems.known_bias.planted import PlantedOn
from evenhand.systems.meaning import refuse_useless
from evenhand.systems.tagging import TAGGERS, build_tagger
from evenhand.translation import (
    TRANSLATORS,
    Apertium,
    RoundTrip,
    ThereAndBack,
    Translator,
    build_translator,
    direction_via,
)

Given = str | Scorer | Tagger | Scores | Callable[..., Any]
"""What may be asked: a string, scores that are there already, an object, or a function."""

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


def resolve(spec: str, corpus: Corpus, **options: Unpack[AskOptions]) -> BaseScorer | Scores:
    """What a string means: a system to ask, or (for `file:`) scores that are already there."""
    return Resolver(corpus, AskSettings(**options)).system(spec)


def load_system(
    spec: str, corpus: Corpus | str | Path | None = None, **options: Unpack[AskOptions]
) -> BaseScorer | BaseTagger:
    """The system that a string means, such as `"vader"`, `"hf:FOLDER"` or a system file: what answers.

    `corpus` is the one that it will be asked about, for systems that have to know it; on a corpus of tokens, the string
    means a tagger.

    >>> load_system("random").score(["It rained."]).shape
    (1, 1)
    """
    asked = corpus if isinstance(corpus, Corpus) else load_corpus("eec" if corpus is None else corpus)
    resolver = Resolver(asked, AskSettings(**options))
    made = resolver.tagger(spec) if asked.tagged else resolver.system(spec)
    if isinstance(made, Scores):
        raise UsageError(f"{spec!r} was recorded: it is not a system that can be asked; audit it as it is")
    return made


def is_recorded(one: Given) -> bool:
    """Whether it means scores that are there already, rather than something that can be asked."""
    if not isinstance(one, str):
        return isinstance(one, Scores)
    spec = one.strip()
    if _is_system_file(spec):
        spec = read_system_file(Path(spec).expanduser()).system
    name, _, address = _parts(spec)
    return is_recorded(_how_and_inner(address)[1]) if name == REPAIRED else name == FILE


def name_of_given(one: Given) -> str:
    """What a system is called once it is made, as far as that can be told from what was typed or given."""
    if isinstance(one, str):
        return name_in_file(one.strip()) or one.strip()
    try:
        name = getattr(one, "name", None)
        return name if isinstance(name, str) else str(getattr(one, "__name__", type(one).__name__))
    except Exception:  # the object's own code
        return type(one).__name__


def resolve_trip(spec: str, *, cache: Path | None = None, progress: bool | None = None) -> ThereAndBack:
    """What a string means as a way there and back.

    A language (`es`: by Apertium, from English), a translator that knows its way back (`apertium:eng-spa`), two
    with a comma between them (`hf:EN_DA,hf:DA_EN`), or a .yaml file that describes them.
    """
    spec = spec.strip()
    if _is_system_file(spec):
        described = read_translator_file(Path(spec).expanduser())
        there = _translator(described.there)
        back = None if described.back is None else _translator(described.back)
    elif LANGUAGE.fullmatch(spec):
        there, back = Apertium(direction_via(HERE, spec)), None
    else:
        way, comma, home = spec.partition(",")
        there = _translator(Described(translator=way))
        back = _translator(Described(translator=home)) if comma else None
    return ThereAndBack(there, back, cache=cache, progress=progress)


def _translator(described: Described) -> Translator:
    name, _, address = _parts(described.translator.strip())
    settings = checked_settings(name, TRANSLATORS.find(name).build, described.settings)
    return build_translator(name, address, **settings)


class Resolver:
    """Makes systems of what people type or give, for one corpus; `taken` are the flags that a system had a use for.

    `known` are systems that were made for another corpus: what need not be loaded again is not.
    """

    def __init__(self, corpus: Corpus, settings: AskSettings, known: dict[object, BaseScorer] | None = None) -> None:
        self._corpus = corpus
        self._settings = settings
        self._known: dict[object, BaseScorer] = {} if known is None else known
        self.taken: set[str] = set()

    def system(self, spec: str) -> BaseScorer | Scores:
        """The system that a string means, or scores that are already there."""
        spec = spec.strip()
        if _is_system_file(spec):
            described = read_system_file(Path(spec).expanduser())
            made = self._built(described.system, described.settings, described.name or spec)
            if described.high_is is None:
                return made
            refuse_useless(described.high_is, outputs_of(made))
            return with_high_is(made, described.high_is)
        planted = PLANTED_ON.fullmatch(spec)
        if planted is not None:
            return _named(self._planted_on(spec, planted), spec)
        name, colon, _ = _parts(spec)
        if colon and NAME.fullmatch(name):
            return self._built(spec, {}, spec)
        return self._built(*parse_spec(spec), spec)

    def tagger(self, spec: str) -> BaseTagger:
        """The tagger that a string means."""
        spec = spec.strip()
        if not _is_system_file(spec):
            return self._built_tagger(spec, {})
        described = read_system_file(Path(spec).expanduser())
        if described.high_is is not None:
            raise UsageError(f"{spec}: high_is is for scores; taggers give tags, and to be found is good")
        made = self._built_tagger(described.system, described.settings)
        made.name = described.name or spec
        if described.classes is not None:
            made.renamed = described.classes
        return made

    def given(self, one: Given) -> BaseScorer | Scores:
        """The same for what is no string: scores, a scorer, or anything that can be called."""
        if isinstance(one, str):
            return self.system(one)
        return one if isinstance(one, Scores) else as_scorer(one, **self.fitting(as_scorer))

    def given_tagger(self, one: Given) -> BaseTagger:
        """The same for taggers."""
        if isinstance(one, str):
            return self.tagger(one)
        if isinstance(one, Scores):
            raise UsageError("scores are not a tagger; taggers are asked about this corpus")
        return as_tagger(one, **self.fitting(as_tagger))

    def fitting(self, build: Callable[..., object], *, name: str = "") -> dict[str, Any]:
        """Of the flags that hold for all systems, those that this one takes; what is said of outputs it must take."""
        parameters = inspect.signature(build).parameters
        for flag in ("outputs", "kind"):
            if flag in self._settings.flags and flag not in parameters:
                raise UsageError(f"{name!r} knows what its outputs are: {flag} cannot be declared for it")
        taken = {key: value for key, value in self._settings.flags.items() if key in parameters}
        self.taken |= taken.keys()
        return taken

    def _planted_on(self, spec: str, parts: re.Match[str]) -> PlantedOn:
        settings = checked_settings("planted", PlantedOn, _settings(spec, parts["settings"] or ""))
        inner = self.system(parts["system"])
        if isinstance(inner, Scores):
            raise UsageError(f"{parts['system']!r} was recorded; a bias is planted on a system that can be asked")
        return PlantedOn(self._corpus, inner, **settings)

    def _round_trip(self, address: str) -> RoundTrip:
        trip, _, inner = (part.strip() for part in address.partition("+"))
        if not trip or not inner:
            raise UsageError(f"{f'{ROUND_TRIP}:{address}'!r} does not read as {ROUND_TRIP}:TRANSLATOR+SYSTEM")
        asked = self.system(inner)
        if isinstance(asked, Scores):
            raise UsageError(f"{inner!r} was recorded, and cannot be asked about what comes home from a round trip")
        way = resolve_trip(trip, cache=self._settings.folder, progress=self._settings.progress)
        return RoundTrip(asked, way)

    def _repaired(self, address: str) -> Wrapped | Scores:
        how, inner = _how_and_inner(address)
        if not how or not inner:
            raise UsageError(f"{f'{REPAIRED}:{address}'!r} does not read as {REPAIRED}:CALIBRATOR+SYSTEM")
        word = NAME.fullmatch(how)
        if word is not None and word["name"] in UNFITTED:
            return self._repaired_unfitted(how, word, inner)
        path = Path(how).expanduser()
        if path.suffix.lower() != CALIBRATOR_ENDING and not path.is_file():
            raise UsageError(
                f"unknown repair {how!r}{did_you_mean(how, UNFITTED)} (or the {CALIBRATOR_ENDING} file of a "
                "calibrator, from: evenhand repair)"
            )
        calibrator = load_calibrator(path)
        asked = self.system(inner)
        if isinstance(asked, Scores):
            return calibrator.apply(asked, self._corpus)
        return repaired(asked, calibrator, self._corpus)

    def _repaired_unfitted(self, how: str, word: re.Match[str], inner: str) -> Wrapped | Scores:
        build = UNFITTED[word["name"]]
        settings = checked_settings(word["name"], build, _settings(how, word["settings"] or ""))
        asked = self.system(inner)
        if not isinstance(asked, Scores):
            return _asking_versions(build(asked, self._corpus, **settings), self._corpus)
        if build is not Averaged:
            raise UsageError(f"{inner!r} was recorded, and cannot be asked about a neutral person instead")
        return Averaging.fit(asked, self._corpus).apply(asked, self._corpus)

    def _built(self, spec: str, settings: Mapping[str, Any], called: str) -> BaseScorer | Scores:
        """What a spec with settings means, under the name that reports call it by."""
        name, colon, address = _parts(spec)
        wrap = {ROUND_TRIP: self._round_trip, REPAIRED: self._repaired}.get(name) if colon else None
        if wrap is not None:
            if settings:
                raise UsageError(f"{name!r} takes no settings; write them into files for what it consists of")
            return _named(wrap(address), called)
        if name == FILE and colon:
            given = {"name": spec, **self.fitting(read_predictions, name=FILE)}
            given |= checked_settings(FILE, read_predictions, settings)
            return _named(read_predictions(Path(address).expanduser(), self._corpus, **given), called)
        entry = REGISTRY.lookup(name)
        if entry is None:
            known = {*REGISTRY, *REGISTRY.announced(), FILE, ROUND_TRIP, REPAIRED}
            raise UsageError(f"unknown system {name!r}{did_you_mean(name, known)}{_hint(spec)}")
        if colon if entry.address is None else not address:
            raise UsageError(f"{spec!r} does not read as {entry.typed}")
        given = self.fitting(entry.build, name=name) | checked_settings(name, entry.build, settings)
        key = (spec, repr(sorted(given.items())), called)
        if "corpus" not in inspect.signature(entry.build).parameters:
            if key not in self._known:
                self._known[key] = build_system(name, *([address] if colon else []), **given)
            return _named(self._known[key], called)
        if key in self._known:
            return _named(self._known[key].with_corpus(self._corpus), called)
        made = build_system(name, *([address] if colon else []), **given, corpus=self._corpus)
        if type(made).with_corpus is not BaseScorer.with_corpus:
            self._known[key] = made
        return _named(made, called)

    def _built_tagger(self, spec: str, settings: Mapping[str, Any]) -> BaseTagger:
        name, colon, address = spec.partition(":")
        if name not in TAGGERS or not colon or not address:
            forms = ", ".join(entry.typed for entry in TAGGERS.values())
            hint = did_you_mean(name, TAGGERS) if colon and name not in TAGGERS else ""
            raise UsageError(f"{spec!r} is not a tagger{hint}; write {forms}, or a .yaml file")
        build = TAGGERS[name].build
        return build_tagger(name, address, **self.fitting(build, name=name), **checked_settings(name, build, settings))


def _is_system_file(spec: str) -> bool:
    return Path(spec).suffix.lower() in SYSTEM_FILE_ENDINGS and ":" not in spec


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


def allowed_settings(build: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """The settings that a system takes, besides its address and the corpus."""
    parameters = inspect.signature(build).parameters
    given = {"corpus", "name"}
    return {
        key: parameter
        for key, parameter in parameters.items()
        if key not in given and (parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty)
    }


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
        raise UsageError(f"{spec!r}: {keyword.arg}={written} is not a plain value; text needs quotes") from error


def checked_settings(name: str, build: Callable[..., object], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, if they are those that a builder takes."""
    allowed = allowed_settings(build)
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
