"""A repair for reading in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evenhand.contrasts import EVERYBODY
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import WITHIN_AT_LEAST, Repair
from evenhand.report.audit.amounts import level_percent, number
from evenhand.report.common.console import Column, print_table
from evenhand.report.repair.advice import headline, outcomes_by_gap
from evenhand.report.repair.harm import does_not_do_its_job
from evenhand.report.repair.tables import part_tables, price_rows
from evenhand.report.repair.words import (
    UNDEFINED,
    VERDICTS,
    comparison,
    correlation,
    gap,
    gold_in_words,
    kept,
    layer_in_words,
    layer_name,
    methods_of,
    outputs_of,
    scope_name,
    split_name,
    tells_more,
    verdict,
)

COLOURS = {"lower": "cyan", "higher": "bold red", "cannot-tell": "yellow"}
KINDS = {"advised": "bold green", "no method will do": "bold red", "cannot tell": "bold yellow"}
READING = (
    "Gap: first group minus second, in the output's own units, with the {level} interval for people, templates and "
    "words like these. The tables show what is left of it on people, templates or emotion words that the method had "
    "not seen, on average over both halves. Closed: no longer visible, and less than half is left, on average and in "
    "each emotion or other kind of sentence; that does not mean “fair”. {corrected}"
)
CORRECTED = (
    "Intervals and tests are corrected for {asked} comparisons: all that an audit asks of this corpus, for each output."
)
ALONE = "This corpus has one pair of groups, so there is nothing to correct for."


def print_repair(repair: Repair, console: Console) -> None:
    """What is advised, each gap before and after, the price, and the weights."""
    found = headline(repair)
    style = "bold yellow" if does_not_do_its_job(repair) else KINDS.get(found.kind, "bold")
    console.print(Text(found.lead, style=style))
    _bullets(found.lines, console)
    for note in found.notes:
        console.print(Text(note, style="dim"))
    if found.kind != "cannot tell":
        _gaps(repair, console)
    _price(repair, console)
    _weights(repair, console)
    for method, why in repair.left_out.items():
        console.print(Text(f"not tried: {method}: {why}"), soft_wrap=True)
    _bullets([note.text for note in repair.notes], console)


def _gaps(repair: Repair, console: Console) -> None:
    quiet = 0
    for splits in _by_comparison(repair).values():
        if not any(one.verdict != "nothing to repair" or tells_more(one) for own in splits for one in own):
            quiet += 1
            continue
        console.print()
        _print_left(repair, splits, console)
        for table in part_tables(splits[0]):
            console.print()
            columns = [Column(heading) for heading in table.headings]
            print_table(console, columns, [tuple(map(Text, row)) for row in table.rows], title=table.title)
    console.print()
    if quiet:
        many = f"{quiet:,} comparisons" if quiet > 1 else "one comparison"
        console.print(f"In {many} no gap was visible, and no method introduced one.")
        console.print()
    asked = repair.judgement.comparisons
    corrected = ALONE if asked == 1 else CORRECTED.format(asked=asked)
    console.print(Text(READING.format(level=level_percent(repair.level), corrected=corrected), style="dim"))


def _by_comparison(repair: Repair) -> dict[tuple[str, str], list[list[Outcome]]]:
    found: dict[tuple[str, str], list[list[Outcome]]] = {}
    for outcomes in outcomes_by_gap(repair):
        found.setdefault((outcomes[0].output, comparison(outcomes[0])), []).append(outcomes)
    return found


def _title(repair: Repair, one: Outcome) -> str:
    name = comparison(one) if len(outputs_of(repair)) == 1 else f"{one.output}, {comparison(one)}"
    among = "" if one.scope == EVERYBODY else f" ({scope_name(one.scope)})"
    return f"{name}{among}: {verdict(one) if one.before is None else 'before ' + gap(one.before, repair.level)}"


def _print_left(repair: Repair, splits: list[list[Outcome]], console: Console) -> None:
    """What is left under each method, a column for each split; the gap before is the same for all."""
    columns = [Column("method"), *(Column(split_name(own[0].new)) for own in splits)]
    rows = [
        (
            Text(outcomes[0].method, style="bold" if outcomes[0].method == repair.advised else ""),
            *(Text(_left(one), style=COLOURS[VERDICTS[one.verdict][1]]) for one in outcomes),
        )
        for outcomes in zip(*splits, strict=True)
    ]
    print_table(console, columns, rows, title=_title(repair, splits[0][0]))


def _left(one: Outcome) -> str:
    return UNDEFINED if one.after is None else f"{number(one.after.value)} {VERDICTS[one.verdict][0]}"


def _price(repair: Repair, console: Console) -> None:
    _heading(
        "The cost (rank correlation of the scores before and after, the lowest of all splits; 1 means none)",
        console,
    )
    several = len(outputs_of(repair)) > 1
    for row in price_rows(repair):
        name = f"{row.method} ({row.output})" if several else row.method
        reordered = row.within is not None and row.within < WITHIN_AT_LEAST
        parts = [
            f"within groups {correlation(row.within)}{' (too low)' if reordered else ''}",
            f"all sentences {correlation(row.overall)}",
            f"words {correlation(row.words)}",
            f"spread kept {kept(row.spread_kept)}",
        ]
        if row.order_before is not None or row.order_after is not None:
            parts.append(f"words as intended {correlation(row.order_before)} → {correlation(row.order_after)}")
        if row.calls_per_sentence is not None and row.calls_per_sentence != 1:
            parts.append(f"{row.calls_per_sentence:,.4g} questions per sentence")
        console.print(Text(f"• {name}: {', '.join(parts)}"))
    _gold(repair, console)


def _gold(repair: Repair, console: Console) -> None:
    if not repair.gold:
        return
    _heading("Agreement with people (Spearman's rank correlation, before → after)", console)
    for method in methods_of(repair):
        for one in (each for each in repair.gold if each.method == method):
            before, after = (correlation(value) for value in one.spearman)
            console.print(Text(f"• {one.method} ({one.output}): {before} → {after}"))
    console.print(Text(gold_in_words(repair)))


def _weights(repair: Repair, console: Console) -> None:
    if not repair.layers:
        return
    _heading("The weights of the layers", console)
    several = len(outputs_of(repair)) > 1
    for one in repair.layers:
        name = f"{one.variable}, {layer_name(one)}" if several else layer_name(one)
        console.print(Text(f"• {name}: weight {number(one.weight, span=10)}; {layer_in_words(one)}"))


def _heading(text: str, console: Console) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def _bullets(lines: list[str] | tuple[str, ...], console: Console) -> None:
    for line in lines:
        console.print(Text(f"• {line}"))
