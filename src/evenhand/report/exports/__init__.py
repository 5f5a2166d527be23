"""Exports: what those who must answer for a system need, in the form in which they need it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.comparing.audit import Audit
from evenhand.errors import UsageError
from evenhand.gating.result import Check
from evenhand.measuring import Metrics
from evenhand.rating import Ratings
from evenhand.repairs.result import Repair
from evenhand.report.exports.account import Account, Request
from evenhand.report.exports.impact_ratios import impact_ratios, impact_ratios_csv
from evenhand.report.exports.junit import junit
from evenhand.report.exports.lm_eval import lm_eval
from evenhand.report.exports.model_card import model_card
from evenhand.report.exports.of_audit import of_audit
from evenhand.report.exports.of_metrics import of_metrics
from evenhand.report.exports.of_ratings import of_ratings
from evenhand.report.exports.of_repair import of_repair
from evenhand.report.exports.pdf import pdf
from evenhand.report.exports.pull_request import pull_request
from evenhand.report.exports.record import record
from evenhand.settings import check_choice

Made = str | bytes


ACCOUNTS: Mapping[str, Callable[[Request, Any], Account]] = {
    Audit.kind: of_audit,
    Metrics.kind: of_metrics,
    Ratings.kind: of_ratings,
    Repair.kind: of_repair,
}
"""What each kind of result has to say."""


@dataclass(frozen=True)
class Format:
    """A form in which results are exported; text can be printed, and bytes need a file."""

    make: Callable[[Request], Made]
    ending: str
    about: str
    kinds: tuple[str, ...] = tuple(ACCOUNTS)
    also: Mapping[str, Callable[[Request], Made]] = field(default_factory=dict)
    """How it is made for files with other endings."""

    @property
    def binary(self) -> bool:
        """Whether it is nothing to print on a terminal."""
        return self.ending == ".pdf"


def account_of(request: Request) -> Account:
    """What a result has to say, whatever its kind."""
    return ACCOUNTS[request.result.kind](request, request.result)


def _audit_of(request: Request) -> Audit:
    assert isinstance(request.result, Audit)  # noqa: S101 - `exported` looks at the kind first
    return request.result


def _check_of(request: Request) -> Check:
    assert isinstance(request.result, Check)  # noqa: S101 - as above
    return request.result


FORMATS: Mapping[str, Format] = {
    "model-card": Format(
        lambda request: model_card(account_of(request)), ".md", "a section for a Hugging Face model card"
    ),
    "impact-ratios": Format(
        lambda request: impact_ratios(_audit_of(request), system=request.system),
        ".md",
        "scoring rates and impact ratios by group, which are not those of applicants",
        kinds=(Audit.kind,),
        also={".csv": lambda request: impact_ratios_csv(_audit_of(request), system=request.system)},
    ),
    "test-record": Format(
        lambda request: record(account_of(request)), ".md", "plan, environment, digests, deviations, results"
    ),
    "junit": Format(
        lambda request: junit(_check_of(request)), ".xml", "a gate as continuous integration shows it", (Check.kind,)
    ),
    "pull-request": Format(
        lambda request: pull_request(_check_of(request)), ".md", "a gate as a comment on a change", (Check.kind,)
    ),
    "lm-eval": Format(
        lambda request: lm_eval(request, _audit_of(request)), ".json", "a results file as lm-eval has it", (Audit.kind,)
    ),
    "pdf": Format(lambda request: pdf(account_of(request)), ".pdf", "one page to print"),
}


def exported(request: Request, name: str, *, ending: str = "") -> Made:
    """A result in one of the formats, for a file with this ending."""
    check_choice("format", name, FORMATS)
    form = FORMATS[name]
    if request.result.kind not in form.kinds:
        known, kind = ", ".join(form.kinds), request.result.kind
        own = ", ".join(other for other, one in FORMATS.items() if kind in one.kinds)
        has = f"which has {own}" if own else "which has none of the formats; its page and tables: --html, --tables"
        raise UsageError(
            f"the format {name} is for results of these kinds: {known}; this is one of the kind {kind}, {has}"
        )
    return form.also.get(ending, form.make)(request)
