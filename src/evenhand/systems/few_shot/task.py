"""What a language model is asked: an instruction, labelled examples, labels, and the prompt that they make."""

from __future__ import annotations

import hashlib
import json
import math
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml, validated
from evenhand.systems.base import DESIRABLE, HighIs, high_is_if, is_desirable

DEFAULT = "intensity"
"""The task that is put unless another is named."""

TEXT, LABEL, QUESTION = "{text}", "{label}", "{question}"
BETWEEN = "\n\n"
"""What stands between instruction, examples and the sentence that is asked about."""

OWN, EMOTIONS, ALL = "own", "emotions", "all"
"""What may be asked for, besides a question by its name."""

STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_text(value: object) -> object:
    """A label as text; numbers may be written without quotation marks."""
    if isinstance(value, bool):
        raise ValueError(f"YAML reads this label as {value}; put it in quotation marks")
    return str(value) if isinstance(value, int | float) else value


class Example(BaseModel):
    """A sentence and its label."""

    model_config = STRICT

    text: str
    label: str

    _label_as_text = field_validator("label", mode="before")(_as_text)


class Question(BaseModel):
    """One thing that is asked about a sentence: its examples, and its `wording` where that is not its name."""

    model_config = STRICT

    examples: list[Example] = []
    wording: str | None = None
    instruction: str | None = None
    """In place of the task's."""
    high_is: HighIs | None = None
    """What a high value means for the person; `high_is_desirable: true` says that it is good."""

    @model_validator(mode="before")
    @classmethod
    def _desirable_is_good(cls, given: object) -> object:
        if not isinstance(given, dict) or not isinstance(given.get(DESIRABLE), bool):
            return given
        meant = high_is_if(given[DESIRABLE])
        return {"high_is": meant} | {key: value for key, value in given.items() if key != DESIRABLE}


class Task(BaseModel):
    """A few-shot task.

    `labels` are what the model may answer, with a value each, or a list where they have none. `shot` is how a sentence
    and its label are written, `{text}` before `{label}`; `{question}` in it and in the instruction is the question's
    wording. `emotions` are the questions that a corpus's column `emotion` chooses from. `output` names the answer where
    that column has chosen.
    """

    model_config = STRICT

    name: Annotated[str, Field(min_length=1)]
    source: str = ""
    output: Annotated[str, Field(min_length=1)] = "score"
    instruction: str
    shot: str
    labels: dict[str, float] | list[str]
    emotions: list[str] = []
    questions: Annotated[dict[str, Question], Field(min_length=1)]

    @field_validator("labels", mode="before")
    @classmethod
    def _labels_as_text(cls, labels: object) -> object:
        if isinstance(labels, dict):
            return {_as_text(label): value for label, value in labels.items()}
        return [_as_text(label) for label in labels] if isinstance(labels, list) else labels

    @field_validator("shot")
    @classmethod
    def _shot_ends_in_the_label(cls, shot: str) -> str:
        if shot.count(TEXT) != 1 or shot.count(LABEL) != 1 or shot.index(TEXT) > shot.index(LABEL):
            raise ValueError(f"it holds {TEXT} once and, after that, {LABEL} once")
        return shot.strip("\n")

    @model_validator(mode="after")
    def _parts_agree(self) -> Task:
        names = self.label_names
        if len(names) < 2 or len(set(names)) < len(names) or not all(name.strip() for name in names):
            raise ValueError("labels: there are at least two, all different and none empty")
        if self.values is not None and not (all(map(math.isfinite, self.values)) and len(set(self.values)) > 1):
            raise ValueError("labels: their values are finite numbers, and not all the same")
        for name, question in self.questions.items():
            if not name.strip() or "\t" in name or name in (OWN, EMOTIONS, ALL):
                raise ValueError(f"questions: none can be called {name!r}")
            for example in question.examples:
                if example.label not in names:
                    raise ValueError(f"questions.{name}: the example's label {example.label!r} is none of the labels")
        for name in self.emotions:
            if name not in self.questions:
                raise ValueError(f"emotions: there is no question {name!r}{did_you_mean(name, self.questions)}")
        return self

    @property
    def label_names(self) -> tuple[str, ...]:
        """What the model may answer."""
        return tuple(self.labels)

    @property
    def values(self) -> tuple[float, ...] | None:
        """What each label counts as; None where labels are names only."""
        return tuple(self.labels.values()) if isinstance(self.labels, dict) else None

    @property
    def digest(self) -> str:
        """Hash of all that the prompts are made of."""
        told = self.model_dump(exclude={"source"})
        for question in told["questions"].values():  # under the name that it always had in digests
            question[DESIRABLE] = is_desirable(question.pop("high_is"))
        content = json.dumps(told, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

    def prefix(self, question: str) -> str:
        """What all prompts of a question share: instruction, examples, and what stands before the sentence."""
        asked = self.questions[question]
        shots = [self._shot(question, one.text, one.label) for one in asked.examples]
        opening = (asked.instruction or self.instruction).strip().replace(QUESTION, self._wording(question))
        return BETWEEN.join([opening, *shots, self._around(question)[0]]).strip()

    def ending(self, question: str, text: str) -> str:
        """What is a prompt's own: the sentence, and what stands between it and the label.

        A space before the sentence goes with it, as most tokenisers join the two.
        """
        before, between, _ = self._around(question)
        return before[len(before.rstrip()) :] + text + between

    def _shot(self, question: str, text: str, label: str) -> str:
        before, between, after = self._around(question)
        return f"{before}{text}{between}{label}{after}"

    def _around(self, question: str) -> tuple[str, str, str]:
        """What stands before the sentence, between sentence and label, and after the label."""
        before, _, rest = self.shot.replace(QUESTION, self._wording(question)).partition(TEXT)
        between, _, after = rest.partition(LABEL)
        return before, between, after

    def _wording(self, question: str) -> str:
        return self.questions[question].wording or question


def task_names() -> list[str]:
    """The tasks that come with Evenhand."""
    folder = files("evenhand") / "data" / "prompts"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


@cache
def packaged_task(name: str = DEFAULT) -> Task:
    """A task that comes with Evenhand."""
    with as_file(files("evenhand") / "data" / "prompts" / f"{name}.yaml") as path:
        return read_task(path)


def read_task(path: Path) -> Task:
    """Read a task from a YAML file; what is wrong with it is said with its place."""
    if not path.is_file():
        known = "" if path.suffix else f"; tasks that come with Evenhand: {', '.join(task_names())}"
        raise UsageError(f"no such file: {path} (the file of a task for language models){known}")
    return validated(Task, read_yaml(path), path, shape=SHAPE)


SHAPE = "a task is a mapping with the keys name, instruction, shot, labels and questions"
