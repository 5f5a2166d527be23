"""Metrics as an account: every value with its interval and its ideal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.measuring import Measured, Metrics
from evenhand.metrics.measurements import Measurement
from evenhand.report.exports.account import (
    ELSEWHERE,
    Account,
    Evaluation,
    Facts,
    Request,
    Row,
    Sentence,
    Table,
    common_deviations,
    corpora_in_words,
    sentence,
)
from evenhand.report.metrics.words import (
    UNDEFINED,
    group_label,
    in_words,
    lead,
    metric,
    shown,
    shown_chance,
    shown_excess,
    shown_expected,
    shown_interval,
)

HEADINGS = ("attribute", "metric", "class", "value", "by chance", "excess", "p", "interval", "ideal")
READING = (
    "Each metric says how far groups are treated differently. Few systems reach the ideal value, even where groups "
    "mean nothing to them: “by chance” is what such a system gets here, the excess is what the value has above that, "
    "and p how often chance gives as much, with other terms and sentences. The interval is for the terms measured.",
    "A metric near its ideal does not show that people are treated alike in what it does not look at.",
)


def of_metrics(request: Request, metrics: Metrics) -> Account:
    """What every format says of metrics."""
    systems = request.chosen(result.system for result in metrics.results)
    results = [result for result in metrics.results if result.system in systems]
    rows = tuple(_row(result, name, label, found) for result in results for name, label, found in result.measurements)
    every = Table(HEADINGS, "lllrrrrrr", rows)
    known = replace(every, rows=tuple(row for row in rows if row.cells[3] != UNDEFINED))
    corpora = metrics.provenance.corpus_names or tuple(one.name for one in metrics.provenance.files)
    corpus = ", ".join(corpora) or "predictions"
    words = tuple(Sentence(result.system, f"{lead(result)}: {in_words(result)}") for result in results)
    return Account(
        request=request,
        title=f"Metrics of {', '.join(systems)}",
        question="How differently are groups treated, by metrics that compare predictions with the right answers?",
        task="text-classification",
        corpus=(corpus, corpus),
        systems=systems,
        main=known,
        every=every,
        reading=READING,
        words=words,
        in_full=words,
        warnings=(),
        limits=(*map(_compared, results), ELSEWHERE),
        plan=_plan(metrics),
        deviations=(*common_deviations(metrics), *_deviations(metrics, results)),
        evaluations=tuple(
            Evaluation(result.system, name, f"{name}, {result.attribute}, {label}", found.value, _args(found))
            for result in results
            for name, label, found in result.measurements
            if found.value is not None
        ),
    )


def _compared(result: Measured) -> str:
    groups = ", ".join(group_label(result, group) for group in result.measurements.groups)
    return f"Compared by {result.attribute}: {groups}. Other groups were not tested."


def _row(result: Measured, name: str, label: str, found: Measurement) -> Row:
    chance = (shown_expected(found), shown_excess(found), shown_chance(found))
    cells = (result.attribute, name, label, shown(found), *chance, shown_interval(found), f"{metric(name).ideal:g}")
    return Row(result.system, cells)


def _args(found: Measurement) -> dict[str, object]:
    interval = None if found.interval is None else list(found.interval)
    return {"interval": interval, "by_chance": found.expected_if_exchangeable, "p": found.p}


def _plan(metrics: Metrics) -> Facts:
    how = metrics.settings
    return (
        ("Corpus", "; ".join(corpora_in_words(metrics.provenance)) or "predictions of others"),
        ("Metrics", ", ".join(how.metrics) if how.metrics else "all that apply"),
        ("Background", how.background or "each metric's own"),
        ("Weight", how.weight),
        ("Significance level", f"{how.alpha:g}"),
        ("Intervals", f"{100 * how.level:g} %, {how.bootstrap:,} resamples" if how.bootstrap else "none"),
        ("Expectations", "; ".join(how.expectations) or "none"),
        ("Sample", "none" if how.sample is None else f"{how.sample:,} tuples per source"),
        ("Seed", f"{how.seed}"),
    )


def _deviations(metrics: Metrics, results: list[Measured]) -> Iterator[str]:
    yield from (f"Left out: {sentence(line)}" for line in metrics.left_out)
    for result in results:
        yield from (f"{result.about}: {sentence(note)}" for note in result.notes)
        for what, reasons in _undefined(result).items():
            yield from (f"{result.about}, {what}: {', '.join(names)}: {why}" for why, names in reasons.items())


def _undefined(result: Measured) -> dict[str, dict[str, dict[str, None]]]:
    """Metrics by why they have no value, no interval, or nothing to be compared with."""
    kinds = ("no value", "no interval", "not set against chance", "no p")
    found: dict[str, dict[str, dict[str, None]]] = {kind: {} for kind in kinds}
    for name, _, one in result.measurements:
        if one.not_exchangeable is not None and one.value is not None:
            found["not set against chance"].setdefault(sentence(one.not_exchangeable), {})[name] = None
        if one.why_no_p is not None:
            found["no p"].setdefault(sentence(one.why_no_p), {})[name] = None
        if one.undefined is not None:
            reasons = found["no value" if one.value is None else "no interval"]
            reasons.setdefault(sentence(one.undefined.removeprefix("no interval: ")), {})[name] = None
    return found
