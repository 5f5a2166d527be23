"""What a repair found: every gap before and after, the price, the cost, and which method is advised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.contrasts import EVERYBODY
from evenhand.corpora import Corpus
from evenhand.files.plain import rebuild
from evenhand.repairs.calibrator import Calibrator, load_calibrator
from evenhand.repairs.judging import Judgement
from evenhand.repairs.layers import Layer, layer_from
from evenhand.repairs.outcomes import Outcome, Price
from evenhand.repairs.paired_means import Evaluation
from evenhand.results import Result
from evenhand.results.rendering import Files
from evenhand.results.result import CORPUS_FILE, attached, saved_bytes
from evenhand.systems.base import HighIs

CALIBRATORS = "calibrators"
"""The folder of the fitted calibrators, within that of the repair."""

FITTED, EXACT, PUBLISHED = "fitted", "exact", "published"

WITHIN_AT_LEAST = 0.98
"""The rank correlation within a group below which a repair costs too much to be advised."""


SPREAD_AT_LEAST = 0.9
"""The share of the spread between sentences that must be kept: to flatten gaps with everything mends nothing."""


@dataclass(frozen=True)
class Cost:
    """What a method asks of the system besides the sentence itself."""

    method: str
    calls_per_sentence: float
    """Questions about a new sentence that comes by itself; 1 is no more than without repair."""
    asked_once: int
    """Questions that are asked once, to fit it."""


@dataclass(frozen=True)
class GoldQuality:
    """How well answers agree with what people said, before and after: Pearson's r and Spearman's rank correlation.

    `named` counts the texts that name somebody whom the repair knows; all others `kept` their scores exactly, or not.
    None where a correlation is undefined.
    """

    method: str
    output: str
    texts: int
    named: int
    pearson: tuple[float | None, float | None]
    spearman: tuple[float | None, float | None]
    kept: bool


@dataclass(frozen=True)
class WordOrder:
    """Whether the words' order is as intended, before and after: the rank correlation with the intended intensity."""

    method: str
    output: str
    before: float | None
    after: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Repair(Result):
    """One system, repaired in several ways, and what came of it on sentences that the repairs had not seen."""

    kind: ClassVar[str] = "repair"
    file: ClassVar[str] = "repair.json"

    system: str
    sentences: int
    judgement: Judgement
    layers: tuple[Layer, ...]
    """The layers that are fitted on everything, with their weights."""
    costs: tuple[Cost, ...]
    orders: tuple[WordOrder, ...]
    gold: tuple[GoldQuality, ...]
    left_out: Mapping[str, str]
    """Methods that could not be tried, and why."""
    alpha: float
    published: Evaluation | None = None
    """The paper's own evaluation of the published variants."""
    spec: str | None = None
    """The system as it was typed; None for one that only Python knows."""
    corpus: Corpus | None = field(default=None, repr=False)
    calibrators: Mapping[str, Calibrator] = field(default_factory=dict, repr=False)
    """By method, fitted on everything."""
    high_is: Mapping[str, HighIs | None] = field(default_factory=dict)
    """By output: what a high value means for the person; None where that is not known."""
    does_its_job: Mapping[str, bool | None] = field(default_factory=dict)
    """By output: whether the scores follow what the sentences say; None where that is not known."""

    @property
    def methods(self) -> tuple[str, ...]:
        """Those that were judged, in order."""
        return tuple(dict.fromkeys(one.method for one in self.judgement.outcomes))

    def outcomes(
        self, *, method: str | None = None, new: str | None = None, scope: str | None = EVERYBODY
    ) -> list[Outcome]:
        """Those of a method, of what is new, among some persons."""
        return [
            one
            for one in self.judgement.outcomes
            if (method is None or one.method == method)
            and (new is None or one.new == new)
            and (scope is None or one.scope == scope)
        ]

    def price(self, method: str, new: str, output: str) -> Price | None:
        """What a method cost where something was new."""
        found = [p for p in self.judgement.prices if (p.method, p.new, p.output) == (method, new, output)]
        return found[0] if found else None

    @property
    def level(self) -> float:
        """The level of each test and interval: α, corrected for all that an audit asks, for each output."""
        return self.alpha / self.judgement.comparisons

    @property
    def differing(self) -> list[Outcome]:
        """One outcome for each gap that was shown to differ by part before, whatever it is on average."""
        found: dict[tuple[str, ...], Outcome] = {}
        for one in self.judgement.outcomes:
            if one.differed:
                found.setdefault((one.output, one.attribute, one.first, one.second), one)
        return list(found.values())

    @property
    def there(self) -> list[Outcome]:
        """The outcomes whose gap was there before."""
        return [one for one in self.judgement.outcomes if one.reduction is not None]

    @property
    def nothing_to_repair(self) -> bool:
        """Whether no held-out gap was significant before, neither on average nor as one that differs by part."""
        return not self.there and not self.differing

    @property
    def advised(self) -> str | None:
        """The fitted method of which a single fit leaves least of the gaps that were there; None where nothing was, or
        none will do.

        One that reversed a gap, introduced one, opened one in a part, or moved sentences past each other within a group
        is not advised. Of methods that are alike to a hundredth, the simplest is taken.
        """
        fitted = [m for m in self.methods if self._family(m) == FITTED and self._is_sound(m)]
        if not self.there or not fitted:
            return None
        closed = {method: round(self._closed(method), 2) for method in fitted}
        best = max(closed.values())
        return next(method for method in fitted if closed[method] == best) if best > 0 else None

    def _family(self, method: str) -> str:
        return next(one.family for one in self.judgement.outcomes if one.method == method)

    def _is_sound(self, method: str) -> bool:
        outcomes = self.outcomes(method=method, scope=None)
        if any(one.verdict in ("reversed", "made a gap", "opened a part") for one in outcomes):
            return False
        prices = [price for price in self.judgement.prices if price.method == method]
        return all(
            (price.within is None or price.within >= WITHIN_AT_LEAST)
            and (price.spread_kept is None or price.spread_kept >= SPREAD_AT_LEAST)
            for price in prices
        )

    def _closed(self, method: str) -> float:
        """What a single fit takes off, as a share of the gap; the mean over all gaps that were there."""
        shares = [_taken_off(one) for one in self.there if one.method == method]
        return sum(shares) / len(shares) if shares else 0.0

    def frame(self) -> pl.DataFrame:
        """One row per method, output, comparison, kind of persons and split; empty cells are undefined."""
        return pl.DataFrame([one.row(self.level) for one in self.judgement.outcomes], infer_schema_length=None)

    def content(self) -> dict[str, Any]:
        """What is advised, every outcome, and what it cost."""
        return {
            "system": self.system,
            "spec": self.spec,
            "sentences": self.sentences,
            "advised": self.advised,
            "nothing_to_repair": self.nothing_to_repair,
            "alpha": self.alpha,
            "comparisons": self.judgement.comparisons,
            "level": self.level,
            "outcomes": [one.to_dict(self.level) for one in self.judgement.outcomes],
            "prices": [asdict(one) for one in self.judgement.prices],
            "layers": [one.to_dict() for one in self.layers],
            "costs": [asdict(one) for one in self.costs],
            "orders": [asdict(one) for one in self.orders],
            "gold": [asdict(one) for one in self.gold],
            "left_out": dict(self.left_out),
            "high_is": dict(self.high_is),
            "does_its_job": dict(self.does_its_job),
            "published": None if self.published is None else asdict(self.published),
            "remarks": [note.text for note in self.notes],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild a repair, with its corpus and calibrators where they were kept."""
        outcomes = tuple(Outcome.from_dict(one) for one in values["outcomes"])
        found = cls(
            judgement=Judgement(
                outcomes, tuple(rebuild(Price, one) for one in values["prices"]), values.get("comparisons", 1)
            ),
            layers=tuple(layer_from(one) for one in values["layers"]),
            costs=tuple(rebuild(Cost, one) for one in values["costs"]),
            orders=tuple(rebuild(WordOrder, one) for one in values["orders"]),
            gold=tuple(rebuild(GoldQuality, one) for one in values["gold"]),
            published=None if values["published"] is None else rebuild(Evaluation, values["published"]),
            corpus=attached(Corpus, folder, CORPUS_FILE),
            **{name: values[name] for name in ("system", "spec", "sentences", "left_out", "alpha")},
            **{name: values.get(name, {}) for name in ("high_is", "does_its_job")},
            **cls.common(values),
        )
        kept = {} if folder is None else {method: folder / calibrator_file(method) for method in found.methods}
        return replace(
            found, calibrators={method: load_calibrator(path) for method, path in kept.items() if path.is_file()}
        )

    def attachments(self) -> Files:
        """The sentences that it was fitted on, and the calibrators."""
        fitted = {calibrator_file(method): one.to_bytes() for method, one in self.calibrators.items()}
        return {**saved_bytes({CORPUS_FILE: self.corpus}), **fitted}


def _taken_off(one: Outcome) -> float:
    if one.left_share is not None:
        return 1 - one.left_share
    # Saved before single fits were looked at: to overshoot is as bad as to fall short.
    return 0.0 if one.reduction is None else min(one.reduction, 2 - one.reduction)


def calibrator_file(method: str) -> str:
    """Where a calibrator lies in the folder of its repair."""
    return f"{CALIBRATORS}/{method}.json"
