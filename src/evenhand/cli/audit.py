"""`evenhand audit`: ask systems about people and say whether the person mattered."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    Alpha,
    AsJson,
    Budget,
    CorpusName,
    Correction,
    MaxCost,
    NameDraw,
    Overwrite,
    Pairs,
    Price,
    Referee,
    Sample,
    Spelling,
    Strength,
    Subset,
    Tagger,
    Thresholds,
    UntilSettled,
    WaveSizes,
    asks_systems,
    repeating,
    shows_results,
    takes_statement_of_tolerance,
    wave_sizes,
)
from evenhand.settings import short

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown
    from evenhand.comparing.sequential import Waves
    from evenhand.corpora import Corpus
    from evenhand.results import Statement

FATAL = ("higher", "lower", "cannot-tell", "no-reaction-seen")
MOST_TOLD = 5


@shows_results
@takes_statement_of_tolerance
@asks_systems
def audit(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...",
            help="vader, svr, file:PATH, py:package.module:callable, hf:MODEL, a URL …; see `evenhand systems`.",
        ),
    ],
    corpus: CorpusName = "eec",
    text: Annotated[
        Path | None,
        typer.Option(help="Your own texts, with versions about other groups of --attribute; see `perturb`."),
    ] = None,
    column: Annotated[str, typer.Option(help="The column of --text that holds the texts.")] = "text",
    tagger: Tagger = None,
    referee: Referee = None,
    spelling: Spelling = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="What to compare by; crossed as in race+gender. Default: all.")
    ] = None,
    subset: Subset = None,
    pairs: Pairs = False,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
    equivalence: Annotated[float, typer.Option(help="The tolerance, as a share of an output's range.")] = 0.01,
    threshold: Thresholds = None,
    sample: Sample = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Leave out a person, a pair (she/he) or a template.")
    ] = None,
    names: NameDraw = None,
    strength: Strength = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Texts that people scored (columns text, gold, or as in the task): whether the systems do their job."
        ),
    ] = None,
    until_settled: UntilSettled = False,
    waves: WaveSizes = None,
    budget: Budget = None,
    price: Price = None,
    max_cost: MaxCost = None,
    out: Annotated[Path | None, typer.Option(help="Folder for report.html, report.json, scores and corpus.")] = None,
    overwrite: Overwrite = False,
    fail_on: Annotated[
        str | None,
        typer.Option(metavar="VERDICT,…", help="Exit with 1 on any of higher, lower, cannot-tell, no-reaction-seen."),
    ] = None,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option(help="For the sample and the permutations.")] = 0,
    *,
    how: AskOptions,
    statement: Statement,
    shown: Shown,
) -> None:
    """Ask SYSTEMs the same sentences about different people and compare the scores."""
    from evenhand.cli.show import found_by, show_saved
    from evenhand.comparing import Settings
    from evenhand.corpora import load_corpus
    from evenhand.corpora.asked_names import read_names
    from evenhand.errors import UsageError
    from evenhand.printing import say
    from evenhand.verbs.audit import audit as run

    fatal = _verdicts(fail_on)
    drawn = None if names is None and strength is None else read_names(names or [], strength=strength)
    in_waves = _waves(until_settled, waves, budget, price, max_cost)
    if text is not None:
        if drawn or in_waves or corpus != "eec" or spelling:
            raise UsageError(
                "--text is a corpus of its own: leave out --corpus, --spelling, --names and --until-settled"
            )
        asked: Corpus | str = _of_texts(text, column, attribute, tagger=tagger, referee=referee)
    else:
        if tagger or referee:
            raise UsageError("--tagger and --referee are for your own texts: add --text FILE")
        asked = corpus if drawn or in_waves else load_corpus(corpus, spelling=spelling)
    if spelling and (drawn or in_waves):
        raise UsageError("--spelling is for the corpus as it was published; leave it out with --names")
    found = found_by(
        run,
        systems,
        asked,
        attributes=attribute,
        subsets=subset or ["all"],
        pairs=pairs,
        settings=Settings(alpha=alpha, correction=correction, equivalence=equivalence, seed=seed),
        thresholds=threshold,
        sample=sample,
        without=without or (),
        names=drawn,
        gold=gold,
        waves=in_waves,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
        statement=statement,
        **how,
    )
    show_saved(found, out, shown, as_json=as_json)
    failing = [one for one in getattr(found, "findings", ()) if one.verdict in fatal]
    if failing:
        told = "; ".join(f"{one.system}, {one.attribute}: {one.verdict}" for one in failing[:MOST_TOLD])
        more = len(failing) - MOST_TOLD
        say(f"fails: {told}{f' and {more} more' if more > 0 else ''} (--fail-on {fail_on})")
        raise typer.Exit(1)


def _verdicts(text: str | None) -> tuple[str, ...]:
    """`higher,cannot-tell` as verdicts.

    >>> _verdicts("higher, cannot-tell")
    ('higher', 'cannot tell')
    """
    from evenhand.errors import UsageError, did_you_mean

    found = [part.strip() for part in text.split(",")] if text is not None else []
    for one in found:
        if one not in FATAL:
            raise UsageError(f"--fail-on: {short(one)!r} is not a verdict to fail on{did_you_mean(one, FATAL)}")
    return tuple(one.replace("-", " ") for one in found)


def _of_texts(
    path: Path, column: str, attributes: list[str] | None, *, tagger: str | None, referee: str | None
) -> Corpus:
    """The corpus of somebody's own texts, after saying on stderr what became of them."""
    from evenhand.errors import UsageError
    from evenhand.printing import say
    from evenhand.verbs.perturb import perturbed_corpus

    if attributes is None or len(attributes) != 1:
        raise UsageError("--text needs one --attribute, such as gender, race, religion or age")
    corpus, found = perturbed_corpus(path, attributes[0], column=column, tagger=tagger, referee=referee)
    said = ", ".join(f"{number:,} {status}" for status, number in found.by_status.items())
    say(f"{path}: {found.texts:,} texts, of which {said}")
    return corpus


def _waves(
    until_settled: bool, sizes: str | None, budget: int | None, price: float | None, max_cost: float | None
) -> Waves | None:
    """How names are asked about in waves; None where all are asked at once."""
    from evenhand.comparing.sequential import WAVES, Waves
    from evenhand.errors import UsageError

    if not until_settled and sizes is None:
        useless = {"--budget": budget, "--price": price, "--max-cost": max_cost}
        given = [flag for flag, value in useless.items() if value is not None]
        if given:
            raise UsageError(f"{given[0]} is for audits in waves: add --until-settled")
        return None
    return Waves(WAVES if sizes is None else wave_sizes(sizes), affordable(budget, price, max_cost), price)


def affordable(budget: int | None, price: float | None, max_cost: float | None) -> int | None:
    """The most calls that are wanted and can be paid for; None where there is no limit."""
    from evenhand.errors import UsageError

    if max_cost is None:
        return budget
    if price is None:
        raise UsageError("--max-cost needs to know what a call costs: add --price")
    if not 0 < price < math.inf:
        raise UsageError(f"--max-cost needs a price above 0, not --price {price:g}")
    if not 0 < max_cost < math.inf:
        raise UsageError(f"--max-cost {max_cost:g}: give an amount of money above 0")
    # Decimals as they were typed: 0.3 pays for three calls at 0.1, not for two.
    calls = int(Decimal(str(max_cost)) / Decimal(str(price)))
    if calls < 1:
        raise UsageError(f"--max-cost {max_cost:g} does not pay for a single call at --price {price:g}")
    return calls if budget is None else min(budget, calls)
