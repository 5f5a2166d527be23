"""Planning: ask a few names to see how much scores vary, and say what an audit would take before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Unpack

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.asking.progress import progress_bars
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.comparing import Settings
from evenhand.comparing.sequential import Waves
from evenhand.contrasts import CROSS, UNPAIRED, Contrast, comparisons_asked, contrasts, general_contrast, side_labels
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.asked_names import BOTH, Names
from evenhand.corpora.balanced import TEMPLATE, balanced_sources
from evenhand.errors import UsageError
from evenhand.files.whole import check_writable
from evenhand.planning.designs import Design, Drawn
from evenhand.planning.questions import (
    FIRST,
    GRID,
    SYSTEMS,
    Chances,
    Goal,
    chosen_waves,
    planned,
    together,
    with_waves,
)
from evenhand.planning.result import Pilot, Plan, Question
from evenhand.planning.spreads import Seen, Spreads, seen_in
from evenhand.results import Note, Provenance, Subject, check_out
from evenhand.settings import check_between, check_count
from evenhand.specs.resolving import Given, is_recorded
from evenhand.stats.types import ROUNDING
from evenhand.verbs.ask import asked, listed, listed_systems, names_of, resolved
from evenhand.verbs.going_on import others_go_on

DEFAULT = "eec"
PILOT = 200
"""Calls for each system."""
PILOT_NAMES, FEWEST_NAMES, FEWEST_SOURCES = 5, 3, 6
"""For each race and gender, as the first wave of an audit has them; and with how few a pilot makes sense at all."""
CORRECTIONS = ("bonferroni", "none")
ROUGH = 0.5
"""Where fewer of the names than this make a difference, a plan from how much they vary is rough."""


@others_go_on
def plan(
    systems: Given | Sequence[Given] = (),
    corpus: str | Path | None = None,
    *,
    spreads: Spreads | None = None,
    attributes: str | Sequence[str] | None = None,
    gaps: Sequence[float] = (),
    power: float = 0.8,
    pilot: int | None = None,
    settings: Settings | None = None,
    names: Names | None = None,
    waves: Sequence[int] | None = None,
    budget: int | None = None,
    price: float | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    **asking: Unpack[AskOptions],
) -> Plan:
    """Say how many names an audit needs, what that costs, and how likely each verdict is.

    A pilot asks each system about a few names (`pilot` calls) to see how much its scores vary; predictions that were
    recorded are taken as they are. With `spreads`, as shares of the range, nobody is asked. The tolerance is
    `settings.equivalence`. Chances are for a gap of 0, δ/2, δ and 2δ, for those in `gaps` (shares of the range), and
    for the one that the pilot saw. `waves` are the names at each look; else as many of the usual ones as are needed.

    >>> found = plan(spreads=Spreads(names=0.03, noise=0.05, name_template=0.02), settings=Settings(equivalence=0.02))
    >>> found.questions[0].needed[0].names
    27
    """
    settings, how = settings or Settings(), AskSettings(**asking)
    goal = _goal(settings, power, gaps, how)
    given = _given(systems, spreads, pilot, asking)
    drawn_as = _names(names, DEFAULT if corpus is None else corpus)
    wanted = waves if waves is None else tuple(waves)
    checked = Waves(GRID if wanted is None else wanted, budget, price)
    # Small, and asked of nobody: it holds the sentences and the comparisons of the audit that is planned.
    whole = replace(drawn_as, per_cell=PILOT_NAMES).corpus(DEFAULT if corpus is None else corpus, seed=settings.seed)
    used = balanced_sources(whole, seed=settings.seed)
    drawn = Drawn.of(whole, drawn_as, settings.seed)
    asking_about = _attributes(used, attributes)
    if wanted is not None and wanted[-1] > drawn.most:
        raise UsageError(
            f"waves of up to {wanted[-1]} names were asked for; the pool has {drawn.most} for each race and gender"
        )
    first = min(FIRST, drawn.most) if wanted is None else wanted[0]
    checked.check_budget(len(used) // PILOT_NAMES * first * how.draws)
    if out is not None:
        check_writable(Path(out))
    with ExitStack() as under_way:
        if spreads is None:
            seen = _Asked.of(given, corpus, used, drawn, pilot, how, settings, asking_about, under_way)
        else:
            seen = _Asked.of_spreads(used, spreads, asking_about if attributes else asking_about[:1])
        if out is not None:
            subject = Subject(tuple(dict.fromkeys(c.system for one in seen.scores for c in one.columns)),
                              tuple(dict.fromkeys(one.name for one in seen.corpora)))  # fmt: skip
            check_out(Path(out), Plan, subject, overwrite=overwrite)
        questions, designs = seen.questions(used, drawn)
        found = _simulated(questions, designs, goal, most=drawn.most, waves=checked, chosen=wanted is not None, how=how)
        said = {
            **asdict(settings), "power": power, "gaps": list(gaps), "attributes": listed(attributes),
            "names": asdict(drawn_as), "pilot": None if spreads else pilot or PILOT, "waves": asdict(found.waves),
            "spreads": None if spreads is None else asdict(spreads), "draws": how.draws,
        }  # fmt: skip
        made = Plan(
            corpus=whole.name.rsplit(" with ", 1)[0],
            delta=goal.delta,
            alpha=settings.alpha,
            power=power,
            cells=designs[0].cells,
            sources=designs[0].sources,
            sources_in_all=whole.frame["source"].n_unique(),
            templates=used.frame[TEMPLATE].n_unique() if TEMPLATE in used.frame.columns else designs[0].sources,
            pool=drawn.most,
            drawn=drawn_as.drawn,
            wave_names=found.waves.names,
            looks=found.paid,
            budget=budget,
            affordable=found.affordable,
            price=price,
            draws=how.draws,
            simulated=SYSTEMS,
            pilot=seen.pilot,
            questions=tuple(one.question for one in found.chances),
            together=together(found.chances, goal.gaps, found.waves.names[: found.paid], found.each),
            provenance=Provenance.collect(corpora=seen.corpora, scores=seen.scores, settings=said, command=command),
            notes=tuple(seen.notes),
        )
        if out is not None:
            made.save(out, overwrite=overwrite)
    return made


def _goal(settings: Settings, power: float, gaps: Sequence[float], how: AskSettings) -> Goal:
    check_between("the power", power, 0.5, 1.0)
    for gap in gaps:
        if not -1 <= gap <= 1:
            raise UsageError(f"a gap is {gap:g}: give a share of the range, from -1 to 1")
    if settings.correction not in CORRECTIONS:
        raise UsageError(f"plan with the correction bonferroni or none, not {settings.correction!r}")
    delta = settings.equivalence
    return Goal(settings, power, tuple(dict.fromkeys([0.0, delta / 2, delta, 2 * delta, *gaps])), how.draws)


def _given(
    systems: Given | Sequence[Given], spreads: Spreads | None, pilot: int | None, asking: AskOptions
) -> list[Given]:
    given = [] if isinstance(systems, Sequence) and not systems else listed_systems(systems)
    if spreads is None:
        if not given:
            raise UsageError(
                "name a system whose spreads a pilot finds out, or give spreads, as in names=.03,noise=.05"
            )
        if pilot is not None:
            check_count("the pilot, a number of calls,", pilot, least=1)
        return given
    if given:
        raise UsageError("give systems, whose spreads a pilot finds out, or spreads, and not both")
    if pilot is not None or any(name != "progress" for name in asking):
        raise UsageError("with given spreads nobody is asked: leave out the pilot and how systems are asked")
    if spreads.is_flat:
        raise UsageError("nothing can be planned from spreads of zero: say how much names vary, as in names=.03")
    return []


def _names(names: Names | None, corpus: str | Path) -> Names:
    """As the audit that is planned draws them."""
    names = names or Names.of(corpus)
    if names.drawn == BOTH:
        raise UsageError("plan for matched or for unmatched names, one after the other, not both")
    return names


def _attributes(corpus: Corpus, attributes: str | Sequence[str] | None) -> list[str]:
    wanted = listed(attributes) or list(corpus.attributes)
    crossed = [name for name in wanted if CROSS in name]
    if crossed:
        raise UsageError(f"a plan is for one attribute at a time, not for {crossed[0]!r}")
    corpus.refuse_unknown(wanted)
    return list(dict.fromkeys(wanted))


@dataclass(frozen=True, eq=False)
class _Simulated:
    """The chances of every question, and the waves that they are for."""

    chances: tuple[Chances, ...]
    waves: Waves
    paid: int
    """How many of the looks the budget pays for."""
    affordable: int | None
    """How many names for each race and gender the budget pays for, at once."""
    each: int
    """The calls that one more name for each race and gender takes."""


def _simulated(
    questions: Sequence[Question],
    designs: Sequence[Design],
    goal: Goal,
    *,
    most: int,
    waves: Waves,
    chosen: bool,
    how: AskSettings,
) -> _Simulated:
    """The chances at once and in waves: those that somebody has `chosen`, else as many as are needed."""
    seed, each = goal.settings.seed, designs[0].calls(1) * goal.draws
    affordable = None if waves.budget is None else min(waves.budget // each, most)
    grid = sorted({*GRID, *([affordable] if affordable else [])})
    at_once: list[Question] = []
    chances: list[Chances] = []
    with progress_bars(how.progress) as start:
        advance = start("simulating", 2 * len(questions), 0)
        for number, (question, design) in enumerate(zip(questions, designs, strict=True)):
            at_once.append(planned(question, design, goal, grid=grid, seed=(seed, number, 0)))
            advance(1)
        if not chosen:
            pool = most if affordable is None else max(affordable, FIRST)
            waves = replace(waves, names=chosen_waves(at_once, goal, pool))
        paid = _paid(waves, each)
        for number, (question, design) in enumerate(zip(at_once, designs, strict=True)):
            chances.append(with_waves(question, design, goal, waves=waves, paid=paid, seed=(seed, number, 1)))
            advance(1)
    return _Simulated(tuple(chances), waves, paid, affordable, each)


def _paid(waves: Waves, each: int) -> int:
    """How many of the looks the budget pays for."""
    if waves.budget is None:
        return len(waves.names)
    return sum(each * names <= waves.budget for names in waves.names)


@dataclass(frozen=True, eq=False)
class _Found:
    """One comparison of one output, with what is known of how much it varies."""

    system: str | None
    output: str | None
    outputs: int
    attribute: str
    place: int
    """Which of the comparisons of its attribute it is."""
    seen: Seen


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a pilot, recorded predictions or a user say about how much scores vary."""

    found: tuple[_Found, ...]
    scores: tuple[Scores, ...]
    corpora: tuple[Corpus, ...]
    pilot: Pilot | None
    notes: tuple[Note, ...]

    @classmethod
    def of(
        cls,
        given: Sequence[Given],
        corpus: str | Path | None,
        used: Corpus,
        drawn: Drawn,
        pilot: int | None,
        how: AskSettings,
        settings: Settings,
        attributes: Sequence[str],
        under_way: ExitStack,
    ) -> _Asked:
        """Recorded predictions as they are; systems by a pilot."""
        recorded = [one for one in given if is_recorded(one)]
        live = [one for one in given if not is_recorded(one)]
        if recorded and live:
            raise UsageError("plan for systems that can be asked or for recorded predictions, not for both at once")
        if recorded:
            if pilot is not None:
                raise UsageError("recorded predictions are taken as they are: leave out the pilot")
            whole = load_corpus(DEFAULT if corpus is None else corpus)
            made = resolved(recorded, whole, how)
            answers = under_way.enter_context(asked(made, whole, how))
            return cls._compared(answers.scores, whole, attributes, None, answers.notes, recorded=True)
        asked_about, size = _pilot_of(used, corpus, drawn, pilot or PILOT, settings, how)
        made = resolved(live, asked_about, how)
        repeated = [name for name in names_of(made) if list(names_of(made)).count(name) > 1]
        if repeated or len(names_of(made)) < len(made):
            raise UsageError("two systems have the same name: name each system once")
        answers = under_way.enter_context(asked(made, asked_about, how))
        return cls._compared(answers.scores, asked_about, attributes, size, answers.notes, recorded=False)

    @classmethod
    def of_spreads(cls, used: Corpus, spreads: Spreads, attributes: Sequence[str]) -> _Asked:
        """Of the comparisons of an attribute, one: with the same spreads, all need the same."""
        seen = Seen(0.0, None, spreads, spreads, 0.0, 0, 0)
        found = tuple(_Found(None, None, 1, attribute, 0, seen) for attribute in attributes)
        return cls(found, (), (used,), None, ())

    @classmethod
    def _compared(
        cls,
        scores: Scores,
        corpus: Corpus,
        attributes: Sequence[str],
        size: Pilot | None,
        notes: Sequence[Note],
        *,
        recorded: bool,
    ) -> _Asked:
        spans = np.array([column.output.span for column in scores.columns])
        outputs: dict[str, int] = {}
        for column in scores.columns:
            outputs[column.system] = outputs.get(column.system, 0) + 1
        found, rough = [], dict[str, Note]()
        for attribute in attributes:
            for place, contrast in enumerate(contrasts(corpus, attribute)):
                named = _of_names(contrast, corpus) if recorded else contrast
                for column, seen in zip(scores.columns, seen_in(named, scores.matrix, spans), strict=True):
                    found.append(
                        _Found(column.system, column.output.name, outputs[column.system], attribute, place, seen)
                    )
                    if 0 < seen.reacting < ROUGH * seen.names:
                        rough[column.system] = Note(
                            column.system,
                            f"only {seen.reacting} of {seen.names} names made a difference; how much names vary is "
                            "then known roughly at best, and far from normal",
                        )
        order = {column.name: place for place, column in enumerate(scores.columns)}
        found.sort(key=lambda one: order[f"{one.system}/{one.output}"])
        return cls(tuple(found), (scores,), (corpus,), size, (*notes, *rough.values()))

    def questions(self, used: Corpus, drawn: Drawn) -> tuple[list[Question], list[Design]]:
        """A question for each, not planned yet, and its design."""
        designs: dict[tuple[str, int], tuple[Contrast, Design]] = {}
        for attribute in dict.fromkeys(one.attribute for one in self.found):
            for place, contrast in enumerate(contrasts(used, attribute)):
                if contrast.not_general:
                    raise UsageError(f"{used.name}, {attribute}: nothing can be planned: {contrast.not_general}")
                designs[attribute, place] = contrast, Design.of(contrast, used, drawn)
        per_output = comparisons_asked(used)
        made = []
        for one in self.found:
            contrast, _ = designs[one.attribute, one.place]
            made.append(_question(one, contrast, side_labels(contrast, used), per_output * one.outputs))
        return made, [designs[one.attribute, one.place][1] for one in self.found]


def _question(one: _Found, contrast: Contrast, labels: tuple[str, str], comparisons: int) -> Question:
    seen, given = one.seen, one.system is None
    flat = seen.spreads.is_flat and seen.cautious.is_flat and not seen.spreads.template and not seen.spreads.word
    silent = flat and abs(seen.estimate) <= 10 * ROUNDING
    why = {}
    if given:
        why = dict.fromkeys(("system", "output", "estimate", "template_up_to"), "spreads were given, nobody was asked")
    if seen.interval is None:
        why["interval"] = why.get("estimate", "names, templates and words made no difference")
    return Question(
        system=one.system,
        output=one.output,
        attribute=one.attribute,
        first=contrast.first,
        second=contrast.second,
        first_label=labels[0],
        second_label=labels[1],
        comparisons=comparisons,
        state="no reaction seen" if silent else "all names alike" if flat else "planned",
        estimate=None if given else seen.estimate,
        interval=seen.interval,
        spreads=seen.spreads,
        cautious=seen.cautious,
        template_up_to=None if given else seen.template_up_to,
        asked=seen.names,
        reacting=seen.reacting,
        smallest_delta=None,
        templates_needed=None,
        undefined=why,
    )


def _of_names(contrast: Contrast, corpus: Corpus) -> Contrast:
    """The comparison among those who are called by a name, where there are pairs besides."""
    if not contrast.pairs.any():
        found: Contrast | str = contrast.not_general or contrast
    elif contrast.pairs.all():
        found = "they are about nobody who is called by a name"
    else:
        sides = contrast.first, contrast.second
        found = general_contrast(corpus, contrast.attribute, sides, UNPAIRED, rest=bool(contrast.rest))
    if isinstance(found, str):
        raise UsageError(f"nothing can be planned from these predictions, by {contrast.attribute}: {found}")
    return found


def _pilot_of(
    used: Corpus, corpus: str | Path | None, drawn: Drawn, calls: int, settings: Settings, how: AskSettings
) -> tuple[Corpus, Pilot]:
    """So many calls: a few names, in sources that are spread over the templates."""
    cells = used.frame.select("race", "gender").unique().height
    there = used.frame["source"].n_unique()
    answers = calls // how.draws
    sources = min(max(answers // (PILOT_NAMES * cells), FEWEST_SOURCES), there)
    names = min(answers // (sources * cells), drawn.most)
    if names < FEWEST_NAMES:
        least = FEWEST_NAMES * cells * min(FEWEST_SOURCES, there) * how.draws
        raise UsageError(
            f"a pilot of {calls:,} calls is too small: {FEWEST_NAMES} names for each of {cells} races and genders in "
            f"{min(FEWEST_SOURCES, there)} sentences take {least:,}"
        )
    large = replace(drawn.names, per_cell=names).corpus(DEFAULT if corpus is None else corpus, seed=settings.seed)
    whole = balanced_sources(large, seed=settings.seed)
    kept = _spread(whole, sources)
    frame = whole.frame.filter(pl.col("source").is_in(kept))
    made = replace(whole, frame=frame, drawn_from=whole.drawn_from or whole.digest)
    return made, Pilot(names, sources, len(made) * how.draws)


def _spread(corpus: Corpus, number: int) -> list[str]:
    """So many sources, as evenly spread over templates as all of them are."""
    columns = ["source", *([TEMPLATE] if TEMPLATE in corpus.frame.columns else [])]
    sources = corpus.frame.select(columns).unique("source", maintain_order=True)
    if TEMPLATE in columns:
        sources = sources.sort(TEMPLATE, maintain_order=True)
    places = np.linspace(0, sources.height - 1, number).round().astype(int)
    return sources["source"].gather(places.tolist()).to_list()
