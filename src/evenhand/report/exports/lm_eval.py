"""An audit of one system in the shape of the results files of lm-eval: a task for each comparison."""

from __future__ import annotations

import json
import re
from typing import Any

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.errors import UsageError
from evenhand.report.exports.account import Request

FILTER = "none"
"""What lm-eval says of answers that went through no filter."""
CONFIG = "evenhand"


def lm_eval(request: Request, audit: Audit) -> str:
    """`gap` with its error, for names like those tested, and the verdict; what is undefined is left out.

    No dates in it, and neither samples nor few-shot examples: the same audit gives the same file.
    """
    systems = request.chosen(dict.fromkeys(one.system for one in audit.findings))
    if len(systems) != 1:
        raise UsageError(f"a results file of lm-eval is about one model: name one with --system ({', '.join(systems)})")
    findings = [one for one in audit.findings if one.system == systems[0]]
    tasks = {_task(one): one for one in findings}
    if len(tasks) < len(findings):
        tasks = {f"{_task(one)}_{number}": one for number, one in enumerate(findings, start=1)}
    digests = [one.digest for one in audit.provenance.corpora]
    made: dict[str, Any] = {
        "results": {name: {"alias": name, **_numbers(one)} for name, one in tasks.items()},
        "group_subtasks": {},
        "configs": {name: {"task": name, "metadata": _about(one)} for name, one in tasks.items()},
        "versions": dict.fromkeys(tasks, digests[0][:12] if digests else ""),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {name: {"gap": None} for name in tasks},
        "n-samples": {name: {"original": one.n, "effective": one.n} for name, one in tasks.items()},
        "config": {"model": systems[0], "model_args": "", "source": CONFIG},
        "model_name": systems[0],
        "model_name_sanitized": re.sub(r"[^\w.-]+", "__", systems[0]),
    }
    return json.dumps(made, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _task(one: Finding) -> str:
    parts = [CONFIG, one.output, one.attribute, one.first, one.second, *([] if one.subset == "all" else [one.subset])]
    return re.sub(r"[^\w.-]+", "_", "_".join(parts))


def _numbers(one: Finding) -> dict[str, float | str]:
    general = one.generalising
    low, high = general.interval or (None, None)
    told = {"gap": general.estimate, "gap_stderr": general.standard_error, "gap_lower": low, "gap_upper": high}
    numbers: dict[str, float | str] = {
        f"{name},{FILTER}": float(value) for name, value in told.items() if value is not None and value == value
    }
    return {**numbers, f"verdict,{FILTER}": one.verdict}


def _about(one: Finding) -> dict[str, Any]:
    return {"attribute": one.attribute, "first": one.first, "second": one.second, "subset": one.subset}
