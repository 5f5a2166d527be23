"""A repair in words: what methods, splits, scopes and verdicts are called, and numbers as they are read."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.contrasts import EVERYBODY, PAIRED, UNPAIRED
from evenhand.repairs.estimates import Estimate
from evenhand.repairs.layers import ANYBODY, Layer
from evenhand.repairs.outcomes import Outcome, Verdict
from evenhand.repairs.paired_means import PairedMeans
from evenhand.repairs.parts import PartOutcome
from evenhand.repairs.result import EXACT, FITTED, PUBLISHED, Repair
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.audit.naming import listed

UNDEFINED = "undefined"
NO_GAP = "no gap visible"
HALF = 0.5
"""A gap of which less than this is left may be called closed."""
NEXT_TO_NONE = 0.005
FAR = 10.0
"""Beyond so many times the gap, the end of an interval says only that the gap before was hardly visible."""

METHODS = {
    "layers": "Moves each group towards the mean of all groups, by as much as the evidence supports.",
    "layers-neutral": "Layers that also move everybody towards a neutral person in the same sentence.",
    "terms": "Corrects each known name or phrase separately, pulled towards its group's correction; new ones get that.",
    "sentence-weights": "Layers whose strength is learned from the words of each sentence without its person.",
    "alignment": "Moves the scores of each group to the same spread around the same middle, rank by rank.",
    "averaging": "Asks about every version of a sentence, one for each person, and gives them all the mean.",
    "neutral": "Asks about a neutral person instead, so that the system never sees who it is about.",
    "multiplicative": "Multiplies probabilities by what the bare phrases of each group call for.",
    "multiplicative-mean": "The same, with half of each attribute's factors.",
    "multiplicative-ratio": "The same, with shares by how large the gap of each attribute was.",
    "additive": "Adds to probabilities what the bare phrases of each group call for.",
    "additive-mean": "The same, with half of each attribute's part.",
    "additive-ratio": "The same, with shares by how large the gap of each attribute was.",
    "contextual": "Divides by what the system says about a text without content; it knows nothing of groups.",
}
"""What each method does, in one sentence."""

FAMILIES = {FITTED: "fitted", EXACT: "exact", PUBLISHED: "published"}
FAMILY_MEANINGS = {
    FITTED: "Learned on one half of the people, templates or words, and judged on the other half.",
    EXACT: "Equal by construction: nothing is learned, but more or other questions are asked.",
    PUBLISHED: "The calibration of Huang, Wang and Zhang, from bare phrases such as “A woman”, and plain contextual "
    "calibration. Shown for comparison, including where it over-corrects.",
}

SPLITS = {"person": "new people", "template": "new templates", "emotion_word": "new emotion words"}
SCOPES = {EVERYBODY: "everybody", PAIRED: "pairs of noun phrases", UNPAIRED: "names"}
PREFERRED = (EVERYBODY, UNPAIRED, PAIRED)
"""Among whom a gap is told, where one sentence has to do: the first among whom it was visible."""

VERDICTS: dict[Verdict, tuple[str, str]] = {
    # Not green: that a gap is no longer visible does not make a system fair.
    "nothing to repair": (NO_GAP, "cannot-tell"),
    "closed": ("closed", "lower"),
    "reduced": ("reduced", "lower"),
    "not reduced": ("not reduced", "higher"),
    "reversed": ("reversed", "higher"),
    "made a gap": ("introduced a gap", "higher"),
    "opened a part": ("opened a part", "higher"),
    "undefined": (UNDEFINED, "cannot-tell"),
}
"""What verdicts are called, and their colour on the page."""

VERDICT_MEANINGS = {
    NO_GAP: "Neither before nor after. That does not mean that there is none.",
    "closed": "A gap was visible before. It no longer is, and less than half of it is left, on average and in each "
    "emotion (or other kind of sentence); what is left may lie anywhere in its interval.",
    "reduced": "The gap is smaller, but still visible, or more than half of it is left, on average or in one emotion.",
    "opened a part": "The average moved by what some emotions (or other kinds of sentences) called for, and others now "
    "have a gap that they did not have, or one of the opposite sign. Nothing is closed that way.",
    "not reduced": "The gap is as large as before, or larger.",
    "reversed": "A visible gap of the opposite sign: over-corrected.",
    "introduced a gap": "No gap was visible before, and one is after.",
    UNDEFINED: "There is no answer; the reason is given next to it.",
}


def split_name(new: str) -> str:
    """
    >>> split_name("emotion_word"), split_name("city_name")
    ('new emotion words', 'new values of city name')
    """
    return SPLITS.get(new, f"new values of {new.replace('_', ' ')}")


def scope_name(scope: str) -> str:
    """Whom a gap is about."""
    return SCOPES.get(scope, scope)


def unseen(new: str, scope: str) -> str:
    """What a method was judged on.

    >>> unseen("person", "unpaired"), unseen("template", "everybody"), unseen("template", "paired")
    ('names not seen before', 'templates not seen before', 'templates not seen before (pairs of noun phrases)')
    """
    if new == "person":
        return f"{'people' if scope == EVERYBODY else scope_name(scope)} not seen before"
    among = "" if scope == EVERYBODY else f" ({scope_name(scope)})"
    return f"{split_name(new).removeprefix('new ')} not seen before{among}"


def comparison(one: Outcome) -> str:
    """`gender: women − men`."""
    return f"{one.attribute}: {' − '.join(sides(one))}"


def sides(one: Outcome | PairedMeans) -> tuple[str, str]:
    """What the two groups are called: as in the data where the corpus has no labels for them."""
    return one.first_label or one.first, one.second_label or one.second


def outputs_of(repair: Repair) -> list[str]:
    """The outputs that were judged, in order."""
    return list(dict.fromkeys(one.output for one in repair.judgement.outcomes))


def attributes_of(repair: Repair) -> list[str]:
    """The attributes that were judged, in order."""
    return list(dict.fromkeys(one.attribute for one in repair.judgement.outcomes))


def methods_of(repair: Repair) -> list[str]:
    """The advised one first, then the fitted ones, the exact ones and the published ones."""
    families = {one.method: one.family for one in repair.judgement.outcomes}
    places = list(FAMILIES)

    def place(method: str) -> tuple[bool, int]:
        family = families[method]
        return method != repair.advised, places.index(family) if family in places else len(places)

    return sorted(repair.methods, key=place)


def family_of(repair: Repair, method: str) -> str:
    """`fitted`, `exact` or `published`."""
    return next(one.family for one in repair.judgement.outcomes if one.method == method)


def family_name(family: str) -> str:
    """As it is called in tables and charts."""
    return FAMILIES.get(family, family)


def percent(share: float) -> str:
    """In per cent, which no line break parts from its number.

    >>> [percent(share).split() for share in (0.953, -0.2, 0.0)]
    [['95', '%'], ['−20', '%'], ['0', '%']]
    """
    return f"{round(100 * share)}\N{NO-BREAK SPACE}%".replace("-", "−")


def correlation(value: float | None) -> str:
    """A rank correlation; one that is not quite perfect is never shown as 1.

    >>> correlation(0.86437), correlation(0.99984), correlation(1.0), correlation(None)
    ('0.864', '> 0.999', '1', 'undefined')
    """
    if value is None:
        return UNDEFINED
    if value >= 1 - 1e-12:
        return "1"
    return "> 0.999" if value > 0.9995 else number(value)


def kept(share: float | None) -> str:
    """The spread between sentences that is kept.

    >>> kept(0.502).split(), kept(None)
    (['50', '%'], 'undefined')
    """
    return UNDEFINED if share is None else percent(share)


def interval(estimate: Estimate, alpha: float) -> str:
    """The generalising interval, or that there is none.

    >>> interval(Estimate(0.1, 0.0, None), 0.05), interval(Estimate(0.1, 0.1, 0.5), 0.05)
    ('0.100 to 0.100', 'no interval: too few to tell')
    """
    ends = estimate.ends(alpha)
    return "no interval: too few to tell" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def gap(estimate: Estimate | None, alpha: float) -> str:
    """`0.059 (0.031 to 0.086)`."""
    return UNDEFINED if estimate is None else f"{number(estimate.value)} ({interval(estimate, alpha)})"


def left_in_words(one: Outcome) -> str:
    """`a single fit leaves about 20 % of the gap`; empty where there was none to see, or single fits are not known."""
    if one.left_share is None:
        return ""
    left = f"about {percent(one.left_share)}" if one.left_share >= NEXT_TO_NONE else "next to none"
    return f"a single fit leaves {left} of the gap"


def gone(one: Outcome) -> str:
    """How much of the gap is gone, `95 % (65 % to 179 %)`; a dash where there was none to see."""
    return "–" if one.reduction is None else f"{percent(one.reduction)} ({gone_interval(one)})"


def gone_interval(one: Outcome) -> str:
    """`65 % to 179 %`, or why there is none; an end that says next to nothing is not given to the last digit."""
    if one.reduction is None:
        return ""
    if one.reduction_interval is None:
        return "no interval: the gap was too close to zero"
    return " to ".join(_end(end) for end in one.reduction_interval)


def _end(share: float) -> str:
    """One end of an interval of shares.

    >>> [_end(share).split() for share in (0.6, 36.62, -12.5)]
    [['60', '%'], ['more', 'than', '1000', '%'], ['less', 'than', '−1000', '%']]
    """
    if abs(share) <= FAR:
        return percent(share)
    return f"more than {percent(FAR)}" if share > 0 else f"less than {percent(-FAR)}"


def sign(one: Outcome, alpha: float) -> str:
    """Whether the gap has the opposite sign after; a dash where there was no gap to turn."""
    if one.reduction is None or one.before is None or one.after is None:
        return "–"
    if one.before.value * one.after.value >= 0:
        return "no"
    return "yes, significantly" if one.after.is_there(alpha) else "yes, not significantly"


def reversed_halves(one: Outcome) -> str:
    """In how many single halves a gap of the other sign was significant, `0 of 10 halves`; empty without a gap."""
    if one.reduction is None or one.reversed_share is None:
        return ""
    return f"{round(one.reversed_share * one.splits)} of {one.splits} halves"


def verdict(one: Outcome) -> str:
    """In a word, with the reason where there is no answer."""
    shown = _in_parts(one) or VERDICTS[one.verdict][0]
    return shown if one.undefined is None else f"{shown}: {one.undefined}"


def _in_parts(one: Outcome) -> str:
    """What a verdict rests on where the average and the parts do not agree."""
    closed = one.reduction is not None and abs(one.reduction - 1) < HALF
    if one.verdict == "opened a part":
        average = "" if one.reduction is None else f"{'closed' if closed else 'reduced'} on average, "
        return f"{average}opened a gap in {listed(part.level for part in one.opened)}"
    if one.verdict == "reduced" and closed and one.not_closed:
        return f"reduced: closed on average, but not in {listed(part.level for part in one.not_closed)}"
    return ""


def parts_below(one: Outcome) -> str:
    """The parts that a verdict rests on, for a narrow cell: `in joy and sadness`; empty where the average says all."""
    if not _in_parts(one):
        return ""
    named = one.opened if one.verdict == "opened a part" else one.not_closed
    return f"{'' if one.verdict == 'opened a part' else 'not closed '}in {listed(part.level for part in named)}"


def parts_in_words(one: Outcome) -> str:
    """`By emotion: anger 0.096 → 0.055, joy −0.004 → −0.046 (opened)`, where the parts tell more than the average."""
    if not tells_more(one):
        return ""
    by_column: dict[str, list[str]] = {}
    for part in one.parts:
        gaps = f"{part.level} {number(part.before.value)} → {part_after(part)}"
        by_column.setdefault(part.grouping, []).append(gaps)
    return " ".join(f"By {column.replace('_', ' ')}: {', '.join(gaps)}." for column, gaps in by_column.items())


def tells_more(one: Outcome) -> bool:
    """Whether the parts of a gap tell more than its average."""
    return bool(one.differed or one.opened or _in_parts(one))


def part_after(part: PartOutcome) -> str:
    """The gap after, and what is to be said of it."""
    called = "" if part.verdict == "within bounds" else f" ({part.verdict})"
    return f"{number(part.after.value)}{called}"


def shown_scope(outcomes: Sequence[Outcome]) -> Outcome:
    """Of the same question among several kinds of persons: the first among whom a gap was visible, else everybody."""
    ordered = sorted(outcomes, key=lambda one: PREFERRED.index(one.scope) if one.scope in PREFERRED else 99)
    return next((one for one in ordered if one.reduction is not None), ordered[0])


def layer_name(layer: Layer) -> str:
    """`gender, names`; the layer of everybody towards a neutral person has a name of its own."""
    if layer.attribute == ANYBODY:
        return "anybody, towards a neutral person"
    return layer.attribute if layer.kind == EVERYBODY else f"{layer.attribute}, {scope_name(layer.kind)}"


def layer_in_words(layer: Layer) -> str:
    """How much of the correction the evidence supports."""
    if layer.p is None:
        tested = "" if layer.deserved else "there is nothing to test it against"
    else:
        tested = f"p {shown_p(layer.p)}"
    if not layer.deserved:
        return f"left alone: the evidence is too weak ({tested})"
    because = f" ({tested})" if tested else ""
    return f"the evidence supports {percent(layer.deserved)} of the correction{because}"


def far_in_words(layer: Layer) -> str:
    """How far each group lies off: `female +0.021, male −0.021`; a number for each label of a distribution."""
    return ", ".join(f"{group} {_vector(list(far))}" for group, far in layer.far.items())


def _vector(values: Sequence[float]) -> str:
    shown = [("+" if value > 0 else "") + number(float(value)) for value in values]
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"


def gold_in_words(repair: Repair) -> str:
    """Whether texts that name nobody keep their scores."""
    if not repair.gold:
        return "No gold data was given, so agreement with people is unknown, and no texts that name nobody were tried."
    changed = list(dict.fromkeys(one.method for one in repair.gold if not one.kept))
    some = repair.gold[0]
    others = f"{some.texts - some.named:,} of {some.texts:,} texts name nobody whom a repair knows"
    if not changed:
        return f"{others}: all of them kept their scores exactly, under every method."
    return f"{others}. Methods that changed some of their scores: {', '.join(changed)}; all others kept them exactly."
