"""A generalised fairness metric (Czarnowska et al. 2021): shape, score φ, comparison d, normaliser N, background β."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

from evenhand.errors import UsageError
from evenhand.metrics.comparisons import Among, Comparison, OfSets
from evenhand.metrics.scores import Basis, Score, Values

if TYPE_CHECKING:
    from evenhand.metrics.design import Design, Prepared

Shape = Literal["PCM", "BCM", "VBCM", "MCM", "own"]
EVERYONE, REST, UNPERTURBED = "everyone", "rest", "unperturbed"
BACKGROUNDS = (EVERYONE, REST, UNPERTURBED)


def one(groups: int) -> float:
    """N = 1: the comparisons are added up."""
    return 1.0


def groups(groups: int) -> float:
    """N = |T|: a mean over groups; for pairs, something that grows with the number of groups."""
    return float(groups)


def pairs(groups: int) -> float:
    """N = |T|(|T| − 1)/2: a mean over pairs of groups."""
    return groups * (groups - 1) / 2


@dataclass(frozen=True)
class Described:
    """What every metric says about itself."""

    name: str
    _: KW_ONLY
    background: str | None = None
    """`everyone`, `rest`, `unperturbed` or the name of a privileged group; None where nothing is a background."""
    normaliser: Callable[[int], float] = one
    counterfactual: bool = False
    """Whether it compares within each source, rather than whole groups."""
    two_groups: bool = False
    """Whether it is defined for an ordered pair of groups only."""
    symbol: str = ""
    source: str = ""
    """Where it was proposed."""
    ideal: float = 0.0
    range: tuple[float | None, float | None] = (0.0, 1.0)
    """For probabilities and rates; None: no bound, or one that grows with the number of groups."""
    notion: str = ""
    """Which notion of fairness it targets."""
    definition: str = ""


@dataclass(frozen=True)
class Metric(Described):
    """One row of the table of metrics; a metric of one's own is made of the same five parts.

    `PCM` compares all pairs of groups and divides the sum by N; `BCM` compares each group with its background and does
    the same; `VBCM` keeps the groups apart (its value is their mean); `MCM` compares all groups at once. The
    counterfactual versions compare within each source and average over sources.

    >>> from evenhand.metrics import comparisons, scores
    >>> gap = Metric("precision_gap", "PCM", scores.PRECISION, comparisons.ABSOLUTE, normaliser=pairs)
    >>> gap.basis, gap.signed
    ('predictions', False)
    """

    shape: Shape
    phi: Score
    d: Comparison

    def __post_init__(self) -> None:
        wrong = self._wrong()
        if wrong:
            raise UsageError(f"metric {self.name!r}: {wrong}")

    @property
    def signed(self) -> bool:
        """Whether it says which group is better off."""
        return self.d.signed

    @property
    def basis(self) -> Basis:
        """Whether it looks at predicted classes or at probabilities."""
        return self.phi.basis

    @property
    def per_class(self) -> bool:
        """Whether there is a value for each class, or one for all."""
        return self.phi.per_class

    def _wrong(self) -> str | None:
        if self.shape not in ("PCM", "BCM", "VBCM", "MCM"):
            return f"the shape is PCM, BCM, VBCM or MCM, not {self.shape!r}"
        if isinstance(self.d, Among) != (self.shape == "MCM"):
            return f"an MCM, and only that, compares all groups at once; {self.d.name!r} does not fit"
        if isinstance(self.phi, Values) and self.phi.each and not self.counterfactual:
            return f"{self.phi.name!r} is about single examples, which only a counterfactual metric compares"
        if isinstance(self.d, OfSets) != (isinstance(self.phi, Values) and not self.phi.each):
            return f"{self.phi.name!r} and {self.d.name!r} do not fit: one is about sets, the other about numbers"
        if (self.background is None) == (self.shape in ("BCM", "VBCM")):
            return "a BCM or VBCM, and only that, has a background"
        if self.counterfactual and self.background in (EVERYONE, REST):
            return "the background of a counterfactual metric is the unperturbed sentence or one group"
        return None


@dataclass(frozen=True)
class OwnMetric(Described):
    """A metric that is none of the three shapes and brings a function of its own."""

    compute: Callable[[OwnMetric, Design, int], Prepared]
    """Prepares it for a class."""
    basis: Basis
    per_class: bool = True
    signed: bool = False
    shape: Shape = "own"


AnyMetric = Metric | OwnMetric
