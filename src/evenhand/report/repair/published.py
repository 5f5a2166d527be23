"""The tables of the paper's Figures 5 to 8 for any system: before calibration, and after each variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from evenhand.repairs.paired_means import Evaluation, PairedMeans, WordMean
from evenhand.report.audit.amounts import number
from evenhand.report.audit.exports import latex_table
from evenhand.report.common import markdown
from evenhand.report.repair.words import sides

UNDEFINED = "undefined"
TEST_HEADINGS = ("version", "mean difference", "95 % interval", "standard error", "t", "p", "effect size", "p < 0.05")
TEST_ALIGNMENT = "lrrrrrrl"
FINEST_P = 0.0001
"""Smaller ones are printed as below this, as the paper does."""


@dataclass(frozen=True)
class TextTable:
    """A table as texts, for HTML, Markdown or LaTeX; `alignment` has an l or r for each column."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    alignment: str
    notes: tuple[str, ...] = field(default=())

    def to_markdown(self) -> str:
        """With its title and notes."""
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{markdown.table(self.headings, self.rows, self.alignment)}{notes}"

    def to_latex(self) -> str:
        """The table alone; needs the package booktabs."""
        return latex_table(self.headings, self.rows, self.alignment)


def by_chart(tests: Sequence[PairedMeans]) -> list[list[PairedMeans]]:
    """The tests that belong into one table or chart: one question in one reading of one output, a row per version."""
    grouped: dict[tuple[str, ...], list[PairedMeans]] = {}
    for one in tests:
        key = (one.question, one.first, one.second, one.output, one.reading)
        grouped.setdefault(key, []).append(one)
    return list(grouped.values())


def chart_title(tests: Sequence[PairedMeans]) -> str:
    """`Gender, with names: women's names − men's names, intensity (expected), 280 pairs`."""
    one = tests[0]
    lead = f"{one.question[:1].upper()}{one.question[1:]}: {' − '.join(sides(one))}"
    return f"{lead}, {one.output} ({one.reading}), {one.n:,} pair{'' if one.n == 1 else 's'}"


def paired_tables(evaluation: Evaluation) -> list[TextTable]:
    """The paper's Figures 6 to 8: a table for each question and reading, a row for each version."""
    return [
        TextTable(
            chart_title(tests),
            TEST_HEADINGS,
            tuple(_test_row(one) for one in tests),
            TEST_ALIGNMENT,
            tuple(_reasons(tests)),
        )
        for tests in by_chart(evaluation.tests)
    ]


def _test_row(one: PairedMeans) -> tuple[str, ...]:
    def shown(value: float | None) -> str:
        return UNDEFINED if value is None else number(value, span=one.span / 2)

    interval = UNDEFINED if one.interval is None else " to ".join(shown(end) for end in one.interval)
    return (
        one.version,
        shown(one.mean),
        interval,
        shown(one.standard_error),
        UNDEFINED if one.t is None else f"{one.t:.3f}".replace("-", "−"),
        _shown_p(one.p),
        UNDEFINED if one.effect_size is None else f"{one.effect_size:.2f}".replace("-", "−"),
        {None: UNDEFINED, True: "yes", False: "no"}[one.significant],
    )


def _shown_p(p: float | None) -> str:
    if p is None:
        return UNDEFINED
    return f"< {FINEST_P}" if p < FINEST_P else f"{p:.4f}"


def _reasons(tests: Sequence[PairedMeans]) -> Iterator[str]:
    """Why something is undefined, and in which versions."""
    versions: dict[tuple[str, str], list[str]] = {}
    for one in tests:
        for name, why in one.undefined.items():
            versions.setdefault((name, why), []).append(one.version)
    for (name, why), named in versions.items():
        yield f"{name.replace('_', ' ').capitalize()} undefined for {', '.join(named)}: {why}."


def word_tables(evaluation: Evaluation) -> list[TextTable]:
    """The paper's Figure 5: the mean score of each emotion word, a column for each version; one table for a reading."""
    tables: dict[tuple[str, str], list[WordMean]] = {}
    for one in evaluation.words:
        tables.setdefault((one.output, one.reading), []).append(one)
    return [_word_table(output, reading, words) for (output, reading), words in tables.items()]


def _word_table(output: str, reading: str, words: Sequence[WordMean]) -> TextTable:
    versions = tuple(dict.fromkeys(one.version for one in words))
    means: dict[tuple[str, str], dict[str, float]] = {}
    for one in words:
        means.setdefault((one.emotion or "", one.word), {})[one.version] = one.mean
    rows = tuple(
        (emotion, word, *(UNDEFINED if version not in by else number(by[version], span=10) for version in versions))
        for (emotion, word), by in means.items()
    )
    return TextTable(
        f"Mean score by emotion word: {output} ({reading})",
        ("emotion", "emotion word", *versions),
        rows,
        "ll" + "r" * len(versions),
    )


def evaluation_frame(evaluation: Evaluation) -> pl.DataFrame:
    """Every test with all its numbers, a row each; reasons for what is undefined are in the last column."""
    return pl.DataFrame([_flat(one) for one in evaluation.tests], infer_schema_length=None)


def words_frame(evaluation: Evaluation) -> pl.DataFrame:
    """Every word's mean, a row for each version and reading."""
    names = ("version", "output", "reading", "emotion", "word", "mean", "n")
    rows = [{name: getattr(one, name) for name in names} for one in evaluation.words]
    return pl.DataFrame(rows, infer_schema_length=None)


def _flat(one: PairedMeans) -> Mapping[str, object]:
    low, high = one.interval or (None, None)
    names = ("version", "output", "reading", "question", "attribute", "first", "second", "n", "mean", "standard_error")
    return {
        **{name: getattr(one, name) for name in names},
        "low": low,
        "high": high,
        "effect_size": one.effect_size,
        "t": one.t,
        "p": one.p,
        "significant": one.significant,
        "undefined": "; ".join(f"{name}: {why}" for name, why in one.undefined.items()) or None,
    }


def to_markdown(evaluation: Evaluation) -> str:
    """All tables, one after the other."""
    return "\n".join(table.to_markdown() for table in (*paired_tables(evaluation), *word_tables(evaluation)))
