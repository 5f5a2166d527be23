"""A repair as an account: every gap before and after, on what the repair had not seen."""

from __future__ import annotations

from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import Repair
from evenhand.report.exports.account import (
    ELSEWHERE,
    NOT_PEOPLE,
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
    tolerance_deviations,
    tolerance_facts,
)
from evenhand.report.repair.advice import headline, main_outcomes, outcome_in_words
from evenhand.report.repair.words import comparison, gap, gone, methods_of, unseen, verdict

HEADINGS = ("method", "comparison", "judged on", "before", "after", "gone", "verdict")


def of_repair(request: Request, repair: Repair) -> Account:
    """What every format says of a repair."""
    systems = request.chosen([repair.system])
    found = headline(repair)
    method = repair.advised or next(iter(methods_of(repair)), None)
    main = main_outcomes(repair, method) if method is not None else []
    names = repair.provenance.corpus_names
    return Account(
        request=request,
        title=f"Repair of {repair.system}",
        question="What becomes of the gaps on people, templates and words that the repair has not seen?",
        task="text-classification",
        corpus=(", ".join(names), repair.corpus.about.title if repair.corpus is not None else ", ".join(names)),
        systems=systems,
        main=_table(repair, main),
        every=_table(repair, repair.judgement.outcomes),
        reading=found.notes,
        words=tuple(Sentence(repair.system, text) for text in (found.lead, *found.lines, *found.others)),
        in_full=tuple(
            Sentence(repair.system, f"{one.method}: {outcome_in_words(repair, one)}")
            for one in repair.judgement.outcomes
        ),
        warnings=(),
        limits=(*(repair.corpus.about.limits if repair.corpus is not None else ()), NOT_PEOPLE, ELSEWHERE),
        plan=_plan(repair),
        deviations=(
            *tolerance_deviations(repair.provenance.statement),
            *common_deviations(repair),
            *(f"Not tried: {name}: {sentence(why)}" for name, why in repair.left_out.items()),
        ),
        evaluations=tuple(
            Evaluation(
                repair.system,
                "mean_difference",
                f"gap after {one.method}, {comparison(one)}, on {unseen(one.new, one.scope)}",
                one.after.value,
                {"before": one.before.value, "verdict": one.verdict},
            )
            for one in main
            if one.after is not None and one.before is not None
        ),
    )


def _table(repair: Repair, outcomes: list[Outcome] | tuple[Outcome, ...]) -> Table:
    return Table(HEADINGS, "lllrrrl", tuple(_row(repair, one) for one in outcomes))


def _row(repair: Repair, one: Outcome) -> Row:
    cells = (
        one.method,
        comparison(one),
        unseen(one.new, one.scope),
        gap(one.before, repair.level),
        gap(one.after, repair.level),
        gone(one),
        verdict(one),
    )
    return Row(repair.system, cells, one.verdict)


def _plan(repair: Repair) -> Facts:
    settings = repair.provenance.settings
    shown = {
        name.replace("_", " ").capitalize(): ", ".join(map(str, value))
        if isinstance(value, list | tuple)
        else str(value)
        for name, value in settings.items()
        if value is not None
    }
    corpora = "; ".join(corpora_in_words(repair.provenance))
    return (("Corpus", corpora), *shown.items(), *tolerance_facts(repair.provenance.statement))
