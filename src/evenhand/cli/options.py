"""Values of options, read from what people type."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperOption

from evenhand.errors import EvenhandError, SettingRefused, UsageError
from evenhand.files.whole import reason
from evenhand.printing.streams import divert
from evenhand.settings import short, whole_number

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown
    from evenhand.results import Statement

STATED = ("--auditor", "--date", "--model-version", "--tolerance-set-on", "--tolerance-reason")
"""Options that say something about a test; whoever repeats it says that for themselves."""
SHOWING = ("--json", "--full", "--quiet", "--open")
WRITTEN = ("--out", "--cache", "--junit", "--markdown", "--fail-on")
BY_WHOM = ("--engine", "--address", "--workers")
NOT_REPEATED = {
    **dict.fromkeys((*WRITTEN, *BY_WHOM, *STATED), 1),
    **dict.fromkeys(("--debug", "--overwrite", *SHOWING), 0),
}
"""Options that change where results go and what is said of them, not what they are; how many values follow each."""

Range = Annotated[
    str | None,
    typer.Option("--range", metavar="LOW,HIGH", help="The range of scores that declare none (else 0,1)."),
]
SystemVersion = Annotated[
    str | None, typer.Option(help="Names the version of py: systems, so that their answers may be cached.")
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Where the server of openai:MODEL listens (else OPENAI_BASE_URL).")
]
Outputs = Annotated[
    str | None, typer.Option(metavar="NAME,NAME", help="Names for the numbers of py: systems, columns of file:PATH.")
]
Kind = Annotated[
    str | None, typer.Option(help="What those are: score, probability, ordinal or class (else found out).")
]
HighIs = Annotated[
    str | None,
    typer.Option(
        metavar="good|bad|neither",
        help="What a high score means for the person, where a system does not say; NAME=bad,NAME=good by output.",
    ),
]
Draws = Annotated[int | None, typer.Option(help="How often to ask systems that sample; their means are compared (1).")]
Cache = Annotated[Path | None, typer.Option(help="Folder for answers (else EVENHAND_CACHE_DIR).")]
Engine = Annotated[
    str | None, typer.Option(metavar="local|ray", help="Who asks: this machine (local), or a Ray cluster (ray).")
]
Address = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Where the Ray cluster is (else one of this machine's own).")
]
Workers = Annotated[
    int | None, typer.Option(help="Processes that answer side by side, each with the system loaded once.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
CorpusName = Annotated[
    str, typer.Option(help="A corpus by name, a .yaml, .csv, .jsonl or .parquet file, or suite:FOLDER#attribute.")
]
Spelling = Annotated[str | None, typer.Option(help="The spelling of the corpus, where it has several.")]
Sample = Annotated[int | None, typer.Option(help="At most this many sentences, drawn as whole sources.")]
Subset = Annotated[
    list[str] | None, typer.Option(help="all, neutral, emotional, names, noun-phrases, or COLUMN=VALUE.")
]
Pairs = Annotated[
    bool, typer.Option("--pairs", help="Also compare groups in pairs where there are more than three of them.")
]
Thresholds = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold", metavar="NUMBER|median", help="Turn scores into decisions at 0.5, or 0.4,0.6, or median."
    ),
]
ABOUT_NAMES = "First names of a pool in place of the corpus's people"
NameDraw = Annotated[
    list[str] | None,
    typer.Option(
        "--names",
        metavar="NUMBER|matched|unmatched|both",
        help="So many names for each race and gender; matched for how common they are, or not; as in 160,matched.",
        rich_help_panel=ABOUT_NAMES,
    ),
]
Strength = Annotated[
    float | None,
    typer.Option(help="The least share of a name's bearers that are of the race. [default: 0.8]",
                 rich_help_panel=ABOUT_NAMES),
]  # fmt: skip
UntilSettled = Annotated[
    bool,
    typer.Option(
        "--until-settled", help="Ask about more and more names until every question is answered.",
        rich_help_panel=ABOUT_NAMES,
    ),
]  # fmt: skip
WaveSizes = Annotated[
    str | None,
    typer.Option(
        "--waves", metavar="5,10,20,…", help="Names for each race and gender at each look.",
        rich_help_panel=ABOUT_NAMES,
    ),
]  # fmt: skip
Budget = Annotated[int | None, typer.Option(help="At most so many calls for each system.", rich_help_panel=ABOUT_NAMES)]
Price = Annotated[float | None, typer.Option(help="What a call costs, in any currency.", rich_help_panel=ABOUT_NAMES)]
MaxCost = Annotated[
    float | None,
    typer.Option(help="At most so much money for each system; needs --price.", rich_help_panel=ABOUT_NAMES),
]
Alpha = Annotated[float, typer.Option(help="The level of the tests.")]
Correction = Annotated[str, typer.Option(help="bonferroni, holm, bh or none.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace whatever result --out holds, also one of other systems.")
]

Full = Annotated[bool, typer.Option("--full", help="Print everything that was found, not only what fits a screen.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print one line with the verdicts, and no progress.")]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]

SAID = "What you say about the test (changes no number)"
Auditor = Annotated[str | None, typer.Option(metavar="NAME", help="Who answers for the test.", rich_help_panel=SAID)]
Date = Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="When the test was made.", rich_help_panel=SAID)]
ModelVersion = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Which version of the model was tested.", rich_help_panel=SAID),
]
ToleranceSetOn = Annotated[
    str | None, typer.Option(metavar="YYYY-MM-DD", help="When the tolerance was set.", rich_help_panel=SAID)
]
ToleranceReason = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Why it is what it is, and who set it.", rich_help_panel=SAID)
]


def bounds(text: str | None, flag: str = "--range") -> tuple[float, float] | None:
    """`LOW,HIGH` as two numbers.

    >>> bounds("-1,1"), bounds(None)
    ((-1.0, 1.0), None)
    """
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"{flag} {short(text)!r}: give two numbers, as in {flag} -1,1") from error
    if not low < high:
        raise UsageError(f"{flag} {short(text)!r}: the first number must be below the second")
    return low, high


def names(text: str | None) -> list[str] | None:
    """`A,B,C` as a list.

    >>> names("negative, positive"), names(None)
    (['negative', 'positive'], None)
    """
    if text is None:
        return None
    found = [part.strip() for part in text.split(",")]
    if not all(found):
        raise UsageError(f"{text!r} has an empty name: give names with commas between them, as in negative,positive")
    return found


def wave_sizes(text: str) -> tuple[int, ...]:
    """`5,10,20` as numbers.

    >>> wave_sizes("5, 10,20")
    (5, 10, 20)
    """
    try:
        return tuple(whole_number(part, "--waves") for part in text.split(","))
    except UsageError as error:
        raise UsageError(f"{error}; give whole numbers with commas between them, as in 5,10,20") from error


def meanings(text: str | None) -> str | dict[str, str] | None:
    """`bad`, or `NAME=bad,NAME=good` as a mapping.

    >>> meanings("bad"), meanings("anger=bad, joy=good")
    ('bad', {'anger': 'bad', 'joy': 'good'})
    """
    if text is None or "=" not in text:
        return text
    said: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (one.strip() for one in part.rpartition("="))
        if not equals or not name or name in said:
            raise UsageError(f"--high-is {text!r}: give each output once, as in --high-is anger=bad,joy=good")
        said[name] = value
    return said


FLAGS = {"bounds": "--range", "version": "--system-version"} | {
    name: f"--{name.replace('_', '-')}"
    for name in ("base_url", "outputs", "kind", "high_is", "draws", "cache", "engine", "address", "workers")
}
"""What the command line calls the fields of `AskOptions`."""


def asks_systems(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that say how systems are asked; it gets those that were given as `how`."""

    @wraps(command)
    def in_flags(**given: Any) -> None:
        try:
            command(**given)
        except SettingRefused as error:
            raise error.called(FLAGS[error.setting]) from error

    return _sharing(in_flags, _asking, "how")


def takes_statement(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options by which people say who tested, when and what; it gets them as `statement`."""
    return _sharing(command, _stated, "statement")


def takes_statement_of_tolerance(command: Callable[..., None]) -> Callable[..., None]:
    """The same, and when and why the tolerance was set."""
    return _sharing(command, _stated_of_tolerance, "statement")


def shows_results(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that say how much of its result is shown; it gets them as `shown`."""

    @wraps(command)
    def as_wanted(*, shown: Shown, **given: Any) -> None:
        from evenhand.cli.show import hushed

        with hushed() if shown.quiet else nullcontext():
            command(shown=shown, **given)

    return _sharing(as_wanted, _shown, "shown")


def _shown(*, full: Full = False, quiet: Quiet = False, open_page: OpenPage = False) -> Shown:
    from evenhand.cli.show import Shown

    if full and quiet:
        raise UsageError("--full and --quiet contradict each other: give one of them")
    return Shown(full=full, quiet=quiet, open_page=open_page)


def _sharing(command: Callable[..., None], options: Callable[..., Any], name: str) -> Callable[..., None]:
    """A command that takes the options of a function too, and gets what that makes of them by a name."""
    known = {"AskOptions": dict, "Statement": object, "Shown": object}
    own = signature(command, eval_str=True, locals=known).parameters.values()
    shared = signature(options, eval_str=True, locals=known).parameters
    takes = [*(one for one in own if one.name != name), *shared.values()]

    @wraps(command)
    def sharing(**given: Any) -> None:
        command(**{name: options(**{one: given.pop(one) for one in shared})}, **given)

    sharing.__annotations__ = {one.name: one.annotation for one in takes}
    vars(sharing)["__signature__"] = Signature(takes)
    return sharing


def _stated(*, auditor: Auditor = None, date: Date = None, model_version: ModelVersion = None) -> Statement:
    from evenhand.results import Statement

    return Statement(auditor=auditor, date=date, model_version=model_version)


def _stated_of_tolerance(
    *,
    auditor: Auditor = None,
    date: Date = None,
    model_version: ModelVersion = None,
    tolerance_set_on: ToleranceSetOn = None,
    tolerance_reason: ToleranceReason = None,
) -> Statement:
    said = _stated(auditor=auditor, date=date, model_version=model_version)
    return replace(said, tolerance_set_on=tolerance_set_on, tolerance_reason=tolerance_reason)


def _asking(
    *,
    range_: Range = None,
    system_version: SystemVersion = None,
    base_url: BaseUrl = None,
    outputs: Outputs = None,
    kind: Kind = None,
    high_is: HighIs = None,
    draws: Draws = None,
    cache: Cache = None,
    engine: Engine = None,
    address: Address = None,
    workers: Workers = None,
) -> AskOptions:
    said: dict[str, Any] = {
        "bounds": bounds(range_),
        "version": system_version,
        "base_url": base_url,
        "outputs": names(outputs),
        "kind": kind,
        "high_is": meanings(high_is),
        "draws": draws,
        "cache": cache,
        "engine": engine,
        "address": address,
        "workers": workers,
    }
    return cast("AskOptions", {name: value for name, value in said.items() if value is not None})


class Command(TyperCommand):
    """A command whose standard output is for its result alone, whatever systems print there."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As ever, if all that was typed is text: what is not can be neither repeated nor saved."""
        for word in args:
            if any("\ud800" <= sign <= "\udfff" for sign in word):
                raise UsageError(f"{short(word)!r} is not text in UTF-8; give the file or system another name")
        typed, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        left = super().parse_args(ctx, args)
        self._refuse_empty_paths(typed, ctx.params)
        return left

    def _refuse_empty_paths(self, typed: Mapping[str, Any], read: Mapping[str, Any]) -> None:
        """An empty path would be read as this folder; most often a variable of the shell is not set."""
        for one in self.params:
            name = str(one.name)
            if "" in _several(typed.get(name)) and any(isinstance(value, Path) for value in _several(read.get(name))):
                called = one.opts[0] if isinstance(one, TyperOption) else name.upper()
                raise UsageError(f"{called} is empty: give a path, or . for this folder")

    def invoke(self, ctx: Any) -> Any:
        """As ever; what the operating system refuses is a failure like any other."""
        divert()
        try:
            return super().invoke(ctx)
        except OSError as error:
            about = "" if error.filename is None else f"{error.filename}: "
            raise EvenhandError(f"{about}{reason(error)}") from error


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


class OneValueEach(Command):
    """A command that refuses an option that is given twice: the first value would be ignored without a word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As ever, once it is seen that each option stands there once, or may be repeated."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in order:
            takes_one = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
            if takes_one and order.count(option) > 1:
                raise UsageError(f"{option.opts[0]} is given more than once, and takes one value")
        return super().parse_args(ctx, args)


def refuse_given(ctx: typer.Context, taken: Collection[str], because: str) -> None:
    """Refuse options that are given but are none of those that are taken; `because` says when that is so."""
    for option in ctx.command.params:
        source = ctx.get_parameter_source(str(option.name))
        if option.name not in taken and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{option.opts[0]} does not apply {because}")


def repeating(argv: Sequence[str]) -> str:
    """The command that gives the same findings again.

    >>> repeating(["/usr/bin/evenhand", "audit", "vader", "--out", "x", "--json", "--range=-1,1"])
    'evenhand audit vader --range=-1,1'
    """
    kept: list[str] = []
    skip = 0
    for argument in argv[1:]:
        name = argument.partition("=")[0]
        if skip:
            skip -= 1
        elif name in NOT_REPEATED:
            skip = NOT_REPEATED[name] if "=" not in argument else 0
        else:
            kept.append(argument)
    return shlex.join(["evenhand", *kept])


Tagger = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Ask a spaCy pipeline where rules about gender are unsure: small, a package or a folder (extra: tagger).",
    ),
]
Referee = Annotated[
    str | None,
    typer.Option(
        metavar="SYSTEM",
        help="Ask a language model where rules and tagger disagree: smollm, gguf:FILE, hf-causal:FOLDER.",
    ),
]
