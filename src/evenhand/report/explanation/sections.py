"""The parts of an explanation: tables and sentences, for the terminal and the page."""

from __future__ import annotations

from evenhand.explaining import Explanation
from evenhand.report.audit.figures import Spec, svg_bytes
from evenhand.report.common.plain import Listing, Section
from evenhand.report.explanation.figures import group_chart, swap_chart, word_chart
from evenhand.report.explanation.words import UNDEFINED, amount, between, called, headline

HEADLINES = "Gaps"
LEAD = "Where does a gap come from: which words move the score, and which texts were they learned from?"
QUOTED = 110
SWAPPED = (
    "Each person stands in for all others in the same sentence, each other word for those that fit the same template. "
    "Intervals hold for all words of a table together, with templates and words (or people) as samples."
)
SHARED = (
    "A word's share is its weight times how much more often it stands in the first group's sentences; all shares add "
    "up to the gap before clipping. Intervals: had other texts been learned from."
)
RETRAINED = (
    "Trained again without these texts, on the same settings. Carries: the gap shrinks without them by more than "
    "chance among them explains; masks: it grows, maybe on the other side. r: correlation with people's scores of "
    "texts not learned from, without the group (and with it)."
)
SINGLE = "By how much the gap would change without this one text, to first order."


def title(found: Explanation) -> str:
    """What the page is about."""
    corpus = ", ".join(found.provenance.corpus_names) or "a corpus"
    return f"Where the gaps of {found.system} come from, on {corpus}"


def sections(found: Explanation, *, most: int, drawn: bool = False) -> list[Section]:
    """The parts that there are; tables of `most` rows, charts only where they are `drawn`."""
    made = [Section(HEADLINES, "What was found", items=[headline(found, one) for one in found.questions])]
    if found.swaps:
        made.append(_swaps(found, most, drawn))
    for part in (_words, _groups, _texts):
        made += part(found, most, drawn)
    return made


def _swaps(found: Explanation, most: int, drawn: bool) -> Section:
    spans = {question.output: question.span for question in found.questions}
    several = len(spans) > 1
    listings, drawings = [], {}
    for output, span in spans.items():
        for kind in dict.fromkeys(swap.kind for swap in found.swaps if swap.output == output):
            mine = [swap for swap in found.swaps if (swap.output, swap.kind) == (output, kind)]
            called_by = "person" if kind == "person" else kind.replace("_", " ")
            rows = [
                (swap.word, *((", ".join(swap.groups),) if kind == "person" else ()), amount(swap.effect, span),
                 between(swap.interval, span))
                for swap in mine[:most]
            ]  # fmt: skip
            headings = ("word", *(("group",) if kind == "person" else ()), "moves the score by", "interval")
            of = f" ({output})" if several else ""
            name = f"By {called_by}{of}: the {len(rows)} strongest of {len(mine)}"
            listings.append(Listing(headings, rows, title=name, numbers_from=len(headings) - 2))
            if drawn:
                drawings[f"{name}, as bars"] = _drawn(swap_chart(mine, kind))
    return Section("Swaps", "The words whose swap moves the score most", listings=listings, drawings=drawings,
                   remarks=[SWAPPED])  # fmt: skip


def _drawn(chart: Spec) -> str:
    return svg_bytes(chart).decode()


def _words(found: Explanation, most: int, drawn: bool) -> list[Section]:
    listings, drawings = [], {}
    for question in found.questions:
        shares = found.about(question, "words")
        if not shares:
            continue
        span = question.span
        rows = [
            (one.word, one.more_in, amount(one.share, span), between(one.interval, span), _count(one.texts),
             amount(one.mean, span))
            for one in shares[:most]
        ]  # fmt: skip
        rest = f"; the gap before clipping is {amount(question.raw, span)}"
        name = f"{called(question)}: the {len(rows)} words that add most, of {len(shares)}{rest}"
        headings = ("word", "more in", "adds", "interval", "texts", "their mean")
        listings.append(Listing(headings, rows, title=name, numbers_from=2))
        if drawn:
            drawings[f"{called(question)}: what each word adds"] = _drawn(word_chart(found, question))
    return [] if not listings else [Section("Words", "The words that carry a gap", listings=listings,
                                            drawings=drawings, remarks=[SHARED])]  # fmt: skip


def _count(number: int | None) -> str:
    return "not known" if number is None else f"{number:,}"


def _groups(found: Explanation, most: int, drawn: bool) -> list[Section]:
    listings, drawings = [], {}
    for question in found.questions:
        effects = sorted(found.about(question, "groups"), key=lambda one: -abs(one.change))
        if not effects:
            continue
        span = question.span
        rows = [
            (one.group, f"{one.texts:,}", amount(one.left, span), amount(one.change, span),
             between(one.interval, span), one.role, f"{_r(one.pearson)} ({_r(one.whole_pearson)})")
            for one in effects[:most]
        ]  # fmt: skip
        name = f"{called(question)}: {amount(question.gap, span)} with all texts"
        headings = ("group", "texts", "gap left", "change", "interval", "these texts", "r")
        listings.append(Listing(headings, rows, title=name, numbers_from=1))
        if drawn:
            drawings[f"{called(question)}: the gap without each group"] = _drawn(group_chart(found, question))
    if not listings:
        return []
    learned = [f"Learned from {found.trained_on}."] if found.trained_on else []
    return [Section("Training texts", "Which training texts carry a gap", learned, listings, drawings,
                    remarks=[RETRAINED])]  # fmt: skip


def _r(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.3f}".replace("-", "−")


def _texts(found: Explanation, most: int, drawn: bool) -> list[Section]:
    listings = [
        Listing(
            ("text", "score", "predicted", "change"),
            [
                (_quoted(one.text), amount(one.score, question.span), amount(one.predicted, question.span),
                 f"{one.influence:+.1e}".replace("-", "−"))
                for one in found.about(question, "texts")[: max(most // 2, 3)]
            ],
            title=called(question),
            numbers_from=1,
        )
        for question in found.questions
        if found.about(question, "texts")
    ]  # fmt: skip
    return (
        [Section("Single texts", "The single texts that matter most", listings=listings, remarks=[SINGLE])]
        if listings
        else []
    )


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTED else f"{line[: QUOTED - 1]}…"
