"""Asking in waves: how often it is right, and what it saves beside one fixed design, in systems whose gap is known.

Names of four strata (race × gender) in 40 words, each in one template, and four neutral sentences: 44 sources. Waves
bring every stratum to 5, 10, 15, 20 and 25 names. The fixed design asks 20 names a stratum in all 144 sources.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand.stats.components import Components, GroupedMeans, variance_components
from evenhand.stats.looks import Look, hopeless, look, out_of_reach
from evenhand.stats.spending import anytime_radius, spent_levels

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]

SYSTEMS, CHUNK = 4_000, 250
SEED = 20_261_118
ALPHA, DELTA = 0.05, 0.02
WAVES = (5, 10, 15, 20, 25)
COEFFICIENTS = np.array([0.5, 0.5, -0.5, -0.5])
LEAST_COVERAGE = 0.935
MOST_ERRORS = 0.06
"""5 %, and three standard errors of a share of 4,000."""
BLOCKS = 200


@dataclass(frozen=True)
class Design:
    """Which template and which word each source has, and how many names a stratum each wave reaches."""

    template: Ints
    word: Ints
    waves: tuple[int, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        return tuple(names / self.waves[-1] for names in self.waves)

    @property
    def calls(self) -> Floats:
        """What has been asked by each wave."""
        return np.array([len(COEFFICIENTS) * names * len(self.template) for names in self.waves], dtype=np.float64)

    @property
    def largest(self) -> float:
        return float(self.calls[-1])


def _sources(words_of_template: list[list[int]]) -> tuple[Ints, Ints]:
    pairs = [(number, word) for number, words in enumerate(words_of_template) for word in words]
    return np.array([one for one, _ in pairs]), np.array([word for _, word in pairs])


STATES, SITUATIONS, NEUTRAL = list(range(20)), list(range(20, 40)), [[40], [41], [42], [43]]
IN_WAVES = Design(
    *_sources([*(STATES[start::4] for start in range(4)), *(SITUATIONS[start::3] for start in range(3)), *NEUTRAL]),
    WAVES,
)
"""Each word in one template."""
FIXED = Design(*_sources([*[STATES] * 4, *[SITUATIONS] * 3, *NEUTRAL]), (20,))
"""Each word in each of its templates, as on the original corpus, and one look."""
FEW_SOURCES = replace(IN_WAVES, waves=WAVES[-1:])
"""The largest design that waves can come to, in one: what fewer sources save without any early stop."""


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Standard normal; all such draws have mean 0 and standard deviation 1."""
    return rng.normal(size=shape)


def heavy(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Student's t with three degrees of freedom: now and then a name stands far out."""
    return np.asarray(rng.standard_t(3, size=shape) / np.sqrt(3))


def skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Exponential: most names a little low, a few high."""
    return np.asarray(rng.exponential(size=shape) - 1)


@dataclass(frozen=True)
class World:
    """What varies in a simulated system, as standard deviations, and its true gap."""

    gap: float = 0.0
    names: tuple[float, float, float, float] = (0.03, 0.03, 0.03, 0.03)
    noise: float = 0.05
    name_template: float = 0.02
    gap_by_template: float = 0.0
    gap_by_word: float = 0.0
    draw: Draw = normal
    step: float = 0.0
    """Scores are rounded to multiples of this; 0: not at all."""

    def systems(self, design: Design, rng: np.random.Generator, n: int) -> Floats:
        """Scores of n systems: (strata, names, sources, n)."""
        strata, names = len(COEFFICIENTS), design.waves[-1]
        side = np.sign(COEFFICIENTS)[:, None, None, None] / 2
        templates = rng.normal(0, self.gap_by_template, size=(int(design.template.max()) + 1, n))
        words = rng.normal(0, self.gap_by_word, size=(int(design.word.max()) + 1, n))
        scores = rng.normal(0, self.noise, size=(strata, names, len(design.template), n))
        by_template = rng.normal(0, self.name_template, size=(strata, names, len(templates), n))
        scores += by_template[:, :, design.template]
        scores += (np.array(self.names)[:, None, None] * self.draw(rng, (strata, names, n)))[:, :, None]
        scores += side * (self.gap + templates[design.template] + words[design.word])
        return np.round(scores / self.step) * self.step if self.step else scores


WORLDS = {
    "gap 0": World(),
    "gap δ": World(gap=DELTA),
    "gap 1.5 δ": World(gap=1.5 * DELTA),
    "gap 2.5 δ": World(gap=2.5 * DELTA),
    "gap 0, names .01": World(names=(0.01,) * 4),
}
ROUGH = {
    "t3 names": World(draw=heavy),
    "skewed names": World(draw=skewed),
    "unequal spreads": World(names=(0.05, 0.05, 0.01, 0.01)),
    "gap by template .01": World(gap_by_template=0.01),
    "gap by template .03": World(gap_by_template=0.03),
    "gap by word .03": World(gap_by_word=0.03),
    "rounded to .05": World(step=0.05),
}
"""Worlds that are not as the formulas have them; each is tried with a gap of 0 and of δ."""
ONE_SIDED_SKEW = World(names=(0.05, 0.05, 0.01, 0.01), draw=skewed)
"""The names of one group are skewed, those of the other hardly vary: no test of means holds its level here."""
MOST_ERRORS_OF_SKEW = 0.12


@dataclass(frozen=True)
class Outcomes:
    """How a number of systems came out: shares, and means over the systems."""

    equivalent: float
    different: float
    hopeless: float
    coverage: float
    calls: float
    wave: float
    """After how many waves they stopped, on average."""

    @property
    def open(self) -> float:
        """Asked to the end, or stopped because names alone will not settle it."""
        return max(0.0, 1 - self.equivalent - self.different)

    @property
    def saved(self) -> float:
        """The share of the fixed design's calls that was not needed."""
        return 1 - self.calls / FIXED.largest


def estimated(scores: Floats, design: Design, names: int, *, name: int = -1, template: int = -1) -> Components:
    """The generalising test on the first so many names of each stratum; without one name or one template, if given."""
    strata = len(COEFFICIENTS)
    units = np.flatnonzero(np.arange(strata * names) != name)
    sources = np.flatnonzero(design.template != template)
    asked = scores[:, :names].reshape(strata * names, *scores.shape[2:])
    if name >= 0 or template >= 0:
        asked = asked[units][:, sources]
    return variance_components(
        [_grouped(asked, codes[sources]) for codes in (design.template, design.word)],
        stratum=np.repeat(np.arange(strata), names)[units],
        coefficients=COEFFICIENTS,
        scale=np.ones(scores.shape[-1]),
    )


def _grouped(asked: Floats, codes: Ints) -> GroupedMeans:
    codes = np.unique(codes, return_inverse=True)[1]
    sizes = np.bincount(codes)
    averaging = (codes[None, :] == np.arange(len(sizes))[:, None]) / sizes[:, None]
    return GroupedMeans(np.asarray(averaging @ asked), sizes / len(codes))


@dataclass(frozen=True)
class Rule:
    """When systems stop."""

    spending: bool = True
    """Without it, every look tests at 5 %, as if it were the only one."""
    equivalence: bool = True
    """Without it, systems stop for a difference only."""
    steadiness: bool = False
    """With it, what hangs on one name or one template stays open."""
    early: bool = True
    """Without it, none stops because names alone will not settle it."""
    within_reach: bool = True
    """Without it, systems are given up once equivalence is hopeless, even where a difference might still be found."""

    def levels(self, design: Design) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """For differences (two-sided) and for equivalence (one-sided)."""
        if not self.spending:
            return (ALPHA,) * len(design.waves), (ALPHA,) * len(design.waves)
        return spent_levels(ALPHA, design.shares), spent_levels(ALPHA, design.shares, two_sided=False)

    def seen(self, parts: Components, design: Design, wave: int, steady: Bools | None = None) -> Look:
        """What the rule says at this wave."""
        a, b = self.levels(design)
        return look(
            parts.estimate,
            parts.standard_error,
            degrees_of_freedom=parts.degrees_of_freedom,
            delta=np.full(parts.estimate.shape, DELTA),
            difference_level=a[wave],
            equivalence_level=b[wave],
            persons_vary=(parts.persons > 0) & self.equivalence,
            steady=steady,
        )

    def steady(self, scores: Floats, design: Design, wave: int) -> Bools:
        """Where the outcome is the same without any one name or template."""
        names = design.waves[wave]
        whole = self.seen(estimated(scores, design, names), design, wave)
        holds = np.ones(scores.shape[-1], dtype=bool)
        for kind, number in (("name", len(COEFFICIENTS) * names), ("template", int(design.template.max()) + 1)):
            for one in range(number):
                # What does not hold any more, or was open anyway, need not be tried again.
                tried = np.flatnonzero(holds & ~whole.open)
                parts = estimated(scores[..., tried], design, names, **{kind: one})
                again = self.seen(parts, design, wave)
                holds[tried] = (again.equivalent == whole.equivalent[tried]) & (
                    again.different == whole.different[tried]
                )
        return holds

    def stuck(self, parts: Components, design: Design) -> Bools:
        """Where names alone will not settle it."""
        a, b = self.levels(design)
        rest, df = np.maximum(parts.variance - parts.persons, 0), parts.degrees_of_freedom
        delta = np.full(rest.shape, DELTA)
        unreachable = out_of_reach(parts.estimate, rest, df, difference_level=a[-1])
        never_small = hopeless(rest, df, delta=delta, equivalence_level=b[-1])
        return never_small & (unreachable | (not self.within_reach)) & self.early


PAID = Rule()


def outcomes(
    world: World, design: Design = IN_WAVES, *, rule: Rule = PAID, systems: int = SYSTEMS, seed: int = SEED
) -> Outcomes:
    """Ask so many systems, wave by wave, until each is settled."""
    rng = np.random.default_rng(seed)
    found = [_asked(world.systems(design, rng, CHUNK), design, world.gap, rule) for _ in range(0, systems, CHUNK)]
    return Outcomes(*(float(row.mean()) for row in np.concatenate(found, axis=1)))


def _asked(scores: Floats, design: Design, gap: float, rule: Rule) -> Floats:
    """One column a system, with the rows of `Outcomes`."""
    rows = np.zeros((6, scores.shape[-1]))
    going = np.arange(scores.shape[-1])
    for wave, names in enumerate(design.waves):
        left = scores[..., going]
        parts = estimated(left, design, names)
        seen = rule.seen(parts, design, wave, rule.steady(left, design, wave) if rule.steadiness else None)
        stuck = seen.open & rule.stuck(parts, design)
        stops = ~seen.open | stuck | (wave == len(design.waves) - 1)
        holds = (seen.low <= gap) & (gap <= seen.high)
        stopped = going[stops]
        rows[:4, stopped] = [row[stops] for row in (seen.equivalent, seen.different, stuck, holds)]
        rows[4:, stopped] = [[design.calls[wave]], [wave + 1]]
        going = going[~stops]
        if not len(going):
            break
    return rows


@dataclass(frozen=True)
class WithoutMaximum:
    """How systems came out that were asked name by name until they were settled."""

    equivalent: float
    different: float
    coverage: float
    """How often the interval held the truth after every single block."""
    blocks: float
    """New names a stratum, on average."""

    @property
    def open(self) -> float:
        return max(0.0, 1 - self.equivalent - self.different)


def without_maximum(world: World, *, systems: int = SYSTEMS, seed: int = SEED, first: int = 5) -> WithoutMaximum:
    """Look after every block (one new name a stratum) from the fifth on, up to 200, at the same sources."""
    rng = np.random.default_rng(seed)
    sd = np.sqrt(world.noise**2 / len(IN_WAVES.template) + world.name_template**2 * _concentration(IN_WAVES.template))
    means = np.array(world.names)[:, None, None] * world.draw(rng, (len(COEFFICIENTS), BLOCKS, systems))
    means += rng.normal(0, sd, size=means.shape)
    blocks = world.gap + np.einsum("s,sbn->bn", COEFFICIENTS, means)
    n = np.arange(1, BLOCKS + 1)[:, None]
    mean = np.cumsum(blocks, axis=0) / n
    variance = np.maximum(np.cumsum(blocks**2, axis=0) / n - mean**2, 0)
    wide, narrow = (anytime_radius(variance, n, alpha=alpha)[first - 1 :] for alpha in (ALPHA, 2 * ALPHA))
    mean = mean[first - 1 :]
    small, large = np.abs(mean) + narrow <= DELTA, np.abs(mean) > wide
    settled = small | large
    stop = np.where(settled.any(axis=0), settled.argmax(axis=0), len(mean) - 1)
    at = stop, np.arange(systems)
    return WithoutMaximum(
        equivalent=float(small[at].mean()),
        different=float((large & ~small)[at].mean()),
        coverage=float((np.abs(mean - world.gap) <= wide).all(axis=0).mean()),
        blocks=float((stop + first).mean()),
    )


def _concentration(codes: Ints) -> float:
    weights = np.bincount(codes) / len(codes)
    return float(weights @ weights)


def run() -> list[tuple[str, str, str, str]]:
    """How each world comes out, the wrong way to look, and asking without a maximum."""
    rows = [_row(f"waves: {name}", world, outcomes(world)) for name, world in WORLDS.items()]
    for name, world in ROUGH.items():
        rows += [_row(f"waves: {name}, {called}", made, outcomes(made)) for called, made in _at_both_gaps(world)]
    for called, made in _at_both_gaps(World()):
        rows.append(_row(f"waves, steady: {called}", made, outcomes(made, rule=Rule(steadiness=True))))
    for called, made in _at_both_gaps(ONE_SIDED_SKEW):
        for how, rule in (("waves", PAID), ("waves, steady", Rule(steadiness=True))):
            what = f"{how}: one group skewed, {called}"
            rows.append(_row(what, made, outcomes(made, rule=rule), most=MOST_ERRORS_OF_SKEW, least=0.9))
    far = World(gap=2.5 * DELTA, gap_by_template=1.5 * DELTA)
    for how, rule in (
        ("", PAID),
        (" where equivalence is hopeless", Rule(within_reach=False)),
        (" never", Rule(early=False)),
    ):
        rows.append(_row(f"waves, giving up{how}: gap 2.5 δ, by template 1.5 δ", far, outcomes(far, rule=rule)))
    for name in ("gap 0", "gap δ", "gap 2.5 δ"):
        for sources, design in ((144, FIXED), (44, FEW_SOURCES)):
            found = outcomes(WORLDS[name], design)
            rows.append(_row(f"all at once, {sources} sources: {name}", WORLDS[name], found))
    for spending, goal in ((True, f"at most {100 * MOST_ERRORS:g} %"), (False, "the wrong way: over 10 %")):
        share = outcomes(World(), rule=Rule(spending=spending, equivalence=False)).different
        how = "levels that are spent" if spending else "5 % at every look"
        ok = share <= MOST_ERRORS if spending else share > 0.1
        rows.append((f"five looks for a difference: gap 0, {how}", f"{100 * share:.1f} % different", goal, _met(ok)))
    return rows + [_endless(name, world) for name, world in {**WORLDS, "gap 0, t3 names": ROUGH["t3 names"]}.items()]


def _at_both_gaps(world: World) -> list[tuple[str, World]]:
    return [("gap 0", replace(world, gap=0.0)), ("gap δ", replace(world, gap=DELTA))]


def _row(
    what: str, world: World, found: Outcomes, *, most: float = MOST_ERRORS, least: float = LEAST_COVERAGE
) -> tuple[str, str, str, str]:
    stuck = f" ({100 * found.hopeless:.1f} names alone)" if found.hopeless >= 0.0005 else ""
    measured = (
        f"{100 * found.equivalent:.1f} / {100 * found.different:.1f} / {100 * found.open:.1f} %{stuck}; "
        f"{found.calls:,.0f} calls, {100 * found.saved:.0f} % saved; holds {100 * found.coverage:.1f} %"
    )
    goal = f"{'a known limit: ' if most > MOST_ERRORS else ''}wrong <= {100 * most:g} %, holds >= {100 * least:g} %"
    ok = _wrong(world, found.equivalent, found.different) <= most and found.coverage >= least
    return f"{what} (equivalent / different / open)", measured, goal, _met(ok)


def _endless(name: str, world: World) -> tuple[str, str, str, str]:
    found = without_maximum(world)
    measured = (
        f"{100 * found.equivalent:.1f} / {100 * found.different:.1f} / {100 * found.open:.1f} %; "
        f"{2 * found.blocks:.0f} names a group; holds throughout {100 * found.coverage:.1f} %"
    )
    ok = _wrong(world, found.equivalent, found.different) <= MOST_ERRORS and found.coverage >= 1 - ALPHA
    return f"without a maximum: {name}", measured, f"wrong <= {100 * MOST_ERRORS:g} %, holds >= 95 %", _met(ok)


def _wrong(world: World, equivalent: float, different: float) -> float:
    """What is wrong to say: a difference where there is none, equivalence where the gap is δ or more."""
    return equivalent if abs(world.gap) >= DELTA else different


def _met(ok: bool) -> str:
    return "yes" if ok else "no"
