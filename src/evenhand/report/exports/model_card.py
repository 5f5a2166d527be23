"""A section for a model card as Hugging Face has them, with the metadata that the hub reads before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from evenhand.report.common.markdown import bullets, code_block, plain, printable, table
from evenhand.report.exports.account import Account, Evaluation, said

SEVERAL = "<!-- The metadata that the hub reads is about one model: name it with --system. -->\n\n"


def model_card(account: Account) -> str:
    """A section for each system; where there is one only, metadata (`model-index`) before it.

    A card is about one model: the hub's own library takes the results of several for those of the last.
    """
    sections = "\n".join(_section(account, system) for system in account.systems)
    return (f"---\n{_metadata(account)}---\n\n" if len(account.systems) == 1 else SEVERAL) + sections


def _metadata(account: Account) -> str:
    index = [{"name": printable(account.systems[0]), "results": [_result(account, account.evaluations)]}]
    return yaml.safe_dump({"model-index": index}, sort_keys=False, allow_unicode=True, width=120)


def _result(account: Account, evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    name, title = account.corpus
    used = account.provenance.corpora
    asked = {"digest": used[0].digest, "sentences": used[0].sentences} if len(used) == 1 else {}
    return {
        "task": {"type": account.task, "name": account.question},
        "dataset": {"type": printable(name), "name": printable(title), **({"args": asked} if asked else {})},
        "metrics": [
            {"type": one.metric, "value": one.value, "name": printable(one.name), **_args(one)} for one in evaluations
        ],
    }


def _args(evaluation: Evaluation) -> dict[str, Any]:
    """Without what is undefined, which is no number and would be read as one."""
    known = {name: value for name, value in evaluation.args.items() if value is not None}
    return {"args": known} if known else {}


def _section(account: Account, system: str) -> str:
    heading = "Bias evaluation" if len(account.systems) == 1 else f"Bias evaluation: {system}"
    found = account.main.of(system)
    parts = [
        f"## {plain(heading)}\n",
        f"{plain(account.question)} {_asked(account, system)}\n",
        bullets(f"{name}: {value}" for name, value in said(account.provenance)),
        table(found.headings, [row.cells for row in found.rows], found.alignment),
        *(f"{plain(line)}\n" for line in account.reading),
        "### In words\n",
        bullets(account.about(system, account.words)),
        *_headed("### Keep in mind\n", account.about(system, account.warnings)),
        *_headed("### What was not tested\n", account.limits),
        *_repeating(account),
    ]
    return "\n".join(part for part in parts if part)


def _asked(account: Account, system: str) -> str:
    title = account.corpus[1]
    sizes = {one.sentences for one in account.provenance.corpora}
    on = f"{title} ({sizes.pop():,} sentences)" if len(sizes) == 1 else title
    version = account.provenance.packages.get("evenhand", "")
    return plain(f"Tested: {system}, on {on}, with Evenhand {version}".rstrip()) + "."


def _headed(heading: str, lines: list[str] | tuple[str, ...]) -> list[str]:
    return [heading, bullets(lines)] if lines else []


def _repeating(account: Account) -> list[str]:
    command = account.provenance.command
    if command is None:
        return []
    return ["### How to repeat it\n", code_block(command, "sh")]
