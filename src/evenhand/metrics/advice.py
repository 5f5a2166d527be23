"""Which metrics to report: a few questions in, a small set of metrics and tests with reasons out.

After the three steps of Czarnowska et al. (2021), section 7. The rules are data (data/advice.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml

Role = Literal["prediction-based", "probability-based", "signed", "test", "quality"]
NEEDED: tuple[Role, ...] = ("prediction-based", "probability-based", "signed", "test")
"""Roles that every advice fills, or says why it cannot."""
TERMS = "terms"
"""The name of the test that generalises over terms, beside those of `evenhand.stats.ranks`."""
STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True)
class Answers:
    """What the adviser asks for; `question_texts` has the words."""

    question: str
    harm: str
    task: str
    data: str
    gold: bool
    groups: int

    def __post_init__(self) -> None:
        for name, question in question_texts().items():
            given = getattr(self, name)
            if given not in question.options:
                raise UsageError(f"unknown {name} {given!r}{did_you_mean(given, question.options)}")
        if self.groups < 2:
            raise UsageError(f"groups is {self.groups}; at least two groups are needed to compare them")

    def fits(self, when: Mapping[str, tuple[str | bool, ...]]) -> bool:
        """Whether a rule with these conditions is for these answers."""
        given = asdict(self) | {"groups": "two" if self.groups == 2 else "more"}
        return all(given[name] in allowed for name, allowed in when.items())


@dataclass(frozen=True)
class Recommendation:
    """What fills one role, and why; or, with no names, what is missing for it."""

    role: Role
    why: str
    metrics: tuple[str, ...] = ()
    """Names in the table of metrics."""
    quality: tuple[str, ...] = ()
    """Measures of quality by group."""
    tests: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All that is to be reported; empty where the role cannot be filled."""
        return self.metrics + self.quality + self.tests


@dataclass(frozen=True)
class Advice:
    """A small set of metrics with reasons, what is missing, and what to keep in mind."""

    answers: Answers
    recommendations: tuple[Recommendation, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics to measure, each once."""
        return tuple(dict.fromkeys(name for one in self.recommendations for name in one.metrics))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "answers": asdict(self.answers),
            "metrics": list(self.metrics),
            "recommendations": [asdict(one) for one in self.recommendations],
            "missing": list(self.missing),
            "notes": list(self.notes),
        }


def advise(answers: Answers) -> Advice:
    """At least one prediction-based, one probability-based and one signed metric, and a test, where the data allow it.

    >>> found = advise(Answers("counterfactual", "representation", "binary", "templates", gold=True, groups=2))
    >>> found.metrics
    ('label_flip_rate', 'cf_gap_tc', 'avg_score_difference')
    """
    book = _book()
    chosen, missing = [], [limit.say for limit in book.limits if answers.fits(limit.when)]
    for role, rules in book.rules.items():
        rule = next((rule for rule in rules if answers.fits(rule.when)), None)
        if rule is None:
            continue
        if rule.missing is not None:
            missing.append(rule.missing)
        else:
            named = (tuple(rule.metrics), tuple(rule.quality), tuple(rule.tests))
            chosen.append(Recommendation(role, rule.why or "", *named))
    notes = tuple(note.say for note in book.notes if answers.fits(note.when))
    return Advice(answers, tuple(chosen), tuple(missing), notes)


def metrics_for_task(task: str) -> tuple[str, ...]:
    """All metrics that may be advised for a task, whatever the question and the data.

    >>> metrics_for_task("regression")
    ('avg_gf', 'avg_score_difference', 'cf_gap')
    """
    options = question_texts()["task"].options
    if task not in options:
        raise UsageError(f"unknown task {task!r}{did_you_mean(task, options)}")
    found = (name for answers in all_answers() if answers.task == task for name in advise(answers).metrics)
    return tuple(dict.fromkeys(found))


def all_answers() -> Iterable[Answers]:
    """Every combination of answers, with two groups and with three."""
    options = {name: list(question.options) for name, question in question_texts().items()}
    for chosen in product(*options.values()):
        for gold, groups in product((True, False), (2, 3)):
            yield Answers(**dict(zip(options, chosen, strict=True)), gold=gold, groups=groups)


class Question(BaseModel):
    """What is asked, and the answers with what they mean."""

    model_config = STRICT

    ask: str
    options: dict[str, str]


class _Conditional(BaseModel):
    model_config = STRICT

    when: dict[str, tuple[str | bool, ...]]

    @model_validator(mode="before")
    @classmethod
    def _one_answer_or_several(cls, values: dict[str, Any]) -> dict[str, Any]:
        when = {name: tuple(given) if isinstance(given, list) else (given,) for name, given in values["when"].items()}
        return values | {"when": when}


class _Rule(_Conditional):
    metrics: list[str] = []
    quality: list[str] = []
    tests: list[str] = []
    why: str | None = None
    missing: str | None = None

    @model_validator(mode="after")
    def _whole(self) -> _Rule:
        if bool(self.metrics or self.quality or self.tests) == (self.missing is not None):
            raise ValueError("a rule names metrics, quality or tests, or else says what is missing")
        if self.missing is None and not self.why:
            raise ValueError("a rule says why")
        return self


class _Remark(_Conditional):
    say: str


class _Book(BaseModel):
    model_config = STRICT

    sources: dict[str, str]
    questions: dict[str, Question] = Field(min_length=1)
    rules: dict[Role, list[_Rule]]
    limits: list[_Remark]
    notes: list[_Remark]

    @model_validator(mode="after")
    def _conditions_are_answers(self) -> _Book:
        known: dict[str, Iterable[str | bool]] = {name: question.options for name, question in self.questions.items()}
        known |= {"gold": (True, False), "groups": ("two", "more")}
        for conditional in (*(rule for rules in self.rules.values() for rule in rules), *self.limits, *self.notes):
            for name, given in conditional.when.items():
                if name not in known or not set(given) <= set(known[name]):
                    raise ValueError(f"no answer to {name!r} is one of {', '.join(map(str, given))}")
        return self


@cache
def _book() -> _Book:
    file = files("evenhand") / "data" / "advice.yaml"
    return _Book.model_validate(read_yaml(file))


def question_texts() -> dict[str, Question]:
    """What is asked with a choice of answers: `question`, `harm`, `task` and `data`."""
    return _book().questions
