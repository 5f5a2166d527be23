"""`evenhand advise`: which metrics to report for your question and your data."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import AsJson
from evenhand.errors import UsageError
from evenhand.printing import say, tell, tell_json

if TYPE_CHECKING:
    from evenhand.metrics.advice import Advice, Question

HEADINGS = {
    "prediction-based": "On predictions",
    "probability-based": "On probabilities or scores",
    "signed": "With a direction",
    "test": "Tests",
    "quality": "Quality by group",
}


def advise(
    question: Annotated[
        str | None, typer.Option(help="What you want to know: errors, scores, counterfactual or quality.")
    ] = None,
    harm: Annotated[
        str | None, typer.Option(help="Harm to look for: allocation, sanction, representation, service or unsure.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="What the system does: binary, multiclass, regression, ordinal or tagging.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Your texts: templates (or swapped people), or natural.")] = None,
    groups: Annotated[int | None, typer.Option(help="Number of groups to compare.")] = None,
    gold: Annotated[bool | None, typer.Option("--gold/--no-gold", help="Whether you have gold labels.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recommend metrics to report, with reasons; asks for what you leave out."""
    from evenhand.metrics.advice import Answers, question_texts
    from evenhand.metrics.advice import advise as advised

    texts = question_texts()
    given = {"question": question, "harm": harm, "task": task, "data": data}
    missing = [name for name, value in given.items() if value is None]
    if (missing or groups is None or gold is None) and not at_terminal():
        raise UsageError(f"missing: {_wanted(texts, missing, groups, gold)}; in a terminal, you are asked for them")
    chosen = {name: _asked(texts[name]) if value is None else value for name, value in given.items()}
    number = _number() if groups is None else groups
    labelled = typer.confirm("Do you have gold labels?", err=True) if gold is None else gold
    found = advised(Answers(**chosen, gold=labelled, groups=number))
    if as_json:
        tell_json(json.dumps(found.to_dict() | {"commands": commands(found)}, indent=2, ensure_ascii=False))
    else:
        tell(*_shown(found).split("\n"))


def at_terminal() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty()


def commands(advice: Advice) -> list[str]:
    """Commands that measure what is advised; metrics of an ordered pair, which look at no other groups, apart."""
    from evenhand.metrics import METRICS

    paired = [name for name in advice.metrics if METRICS[name].two_groups]
    others = [name for name in advice.metrics if name not in paired]
    found = [
        f"evenhand measure PREDICTIONS{''.join(f' --metric {name}' for name in names)}{groups}"
        for names, groups in ((others, ""), (paired, " --groups A,B"))
        if names
    ]
    by = any(one.quality for one in advice.recommendations)
    return [*found, "evenhand measure TEXTS --by COLUMN"] if by else found


def _wanted(texts: dict[str, Question], missing: list[str], groups: int | None, gold: bool | None) -> str:
    wanted = [f"--{name} ({', '.join(texts[name].options)})" for name in missing]
    wanted += ["--groups N"] if groups is None else []
    wanted += ["--gold or --no-gold"] if gold is None else []
    return ", ".join(wanted)


def _asked(question: Question) -> str:
    """One of the options, by name or by number; asked again until it is one."""
    names = list(question.options)
    say(question.ask)
    for number, (name, meaning) in enumerate(question.options.items(), start=1):
        say(f"  {number}  {name}: {meaning}")
    while True:
        answer = str(typer.prompt("Number or name", err=True)).strip()
        if answer in names:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        say(f"{answer!r} is not one of the options.")


def _number() -> int:
    return int(typer.prompt("How many groups do you compare?", type=int, err=True))


def _shown(advice: Advice) -> str:
    from textwrap import fill

    def said(text: str, first: str = "- ") -> str:
        return fill(text, width=100, initial_indent=first, subsequent_indent=" " * len(first))

    lines = ["Report"]
    for one in advice.recommendations:
        lines += [f"\n{HEADINGS[one.role]}: {', '.join(one.names)}", said(one.why, "  ")]
    if advice.missing:
        lines += ["\nMissing", *(said(text) for text in advice.missing)]
    lines += ["\nKeep in mind", *(said(text) for text in advice.notes)]
    return "\n".join([*lines, "\nMeasure", *commands(advice)])
