"""What the paper about calibration printed: its Figures 5 to 8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import special

from evenhand.published import checks
from evenhand.repairs.paired_means import LIKELY, Evaluation, PairedMeans, WordMean

PAPER = "calibration"
LABELS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class PrintedTest:
    """A row of figures 6 to 8, as text; `n` pairs follow from the design."""

    where: str
    question: str
    first: str
    second: str
    version: str
    n: int
    mean: str
    standard_error: str
    t: str
    p: str
    significant: bool

    @property
    def name(self) -> str:
        """Which row of which figure."""
        return f"{self.question}, {self.version}"


def content() -> dict[str, Any]:
    """The printed figures."""
    return checks.published(PAPER)


def errata(ids: str | None) -> tuple[str, ...]:
    """Errata of this paper by id."""
    return checks.errata(PAPER, ids)


def printed_tests() -> tuple[PrintedTest, ...]:
    """Figures 6 to 8."""
    return tuple(
        PrintedTest(
            table["where"],
            question,
            table["first"],
            table["second"],
            version,
            content()["design"]["pairs"][question],
            row[0],
            row[1],
            row[2],
            row[3],
            bool(row[4]),
        )
        for question, table in content()["tests"].items()
        for version, row in table["rows"].items()
    )


def printed_evaluation() -> Evaluation:
    """Figures 5 to 8 in the form in which any system's evaluation is shown; intervals follow from what was printed."""
    words = content()["words"]
    return Evaluation(
        tuple(_printed_means(one) for one in printed_tests()),
        tuple(
            WordMean(version, "intensity", LIKELY, emotion, word, mean, None)
            for emotion, by_word in words["rows"].items()
            for word, row in by_word.items()
            for version, mean in zip(words["versions"], row, strict=True)
        ),
    )


def _printed_means(one: PrintedTest) -> PairedMeans:
    mean, error, t = float(one.mean), float(one.standard_error), float(one.t)
    margin = float(special.stdtrit(one.n - 1, 0.975)) * error
    attribute, span = one.question.partition(",")[0], float(LABELS[-1] - LABELS[0])
    return PairedMeans(
        *(one.version, "intensity", LIKELY, one.question, attribute, one.first, one.second, one.n, span),
        *(mean, error, (mean - margin, mean + margin), None, t, p_of(t, one.n)),
        undefined={"effect_size": "not printed"},
    )


def p_of(t: float, n: int) -> float:
    """Two-sided, of a paired t-test over n pairs."""
    return float(2 * special.stdtr(n - 1, -abs(t)))
