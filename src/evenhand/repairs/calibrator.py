"""What a calibrator is: fitted on scores, applied to scores, kept as JSON, and true to the system it was fitted for."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from evenhand.asking import Scores, read_only
from evenhand.corpora import Corpus
from evenhand.corpora.coded import coded
from evenhand.corpora.once import once
from evenhand.corpora.persons import Directory
from evenhand.errors import EvenhandError, UsageError, did_you_mean, one_line
from evenhand.files.plain import Noting, check_types, rebuild
from evenhand.files.saved import UNREADABLE, noting
from evenhand.files.structured import read_json
from evenhand.files.whole import write_whole
from evenhand.repairs.rows import Rows, labels_of
from evenhand.repairs.variables import Variable, variables
from evenhand.systems.base import Array, Output

FORMAT = 1


@dataclass(frozen=True)
class FittedFor:
    """Whom a calibrator was fitted for, and on what."""

    system: str
    fingerprint: str | None
    outputs: tuple[Output, ...]
    attributes: Mapping[str, tuple[str, ...]]
    corpus: str
    corpus_digest: str
    directory: Directory | None = field(default=None, repr=False)
    """To find the persons that it was fitted on in any text."""
    paired: tuple[str, ...] = field(default=(), repr=False)
    """Those of them who correspond one to one."""

    @classmethod
    def of(cls, scores: Scores, corpus: Corpus) -> FittedFor:
        """The one system whose scores these are."""
        names = {column.system for column in scores.columns}
        if len(names) != 1:
            raise UsageError(f"a calibrator is fitted for one system, not for {len(names)}: {', '.join(sorted(names))}")
        column = scores.columns[0]
        outputs = tuple(column.output for column in scores.columns)
        return cls(
            column.system,
            column.fingerprint,
            outputs,
            dict(corpus.attributes),
            corpus.name,
            corpus.digest,
            Directory.of(corpus),
            once(corpus, "paired", lambda: _paired(corpus)),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(replace(self, directory=None)) | {
            "outputs": [output.to_dict() for output in self.outputs],
            "directory": None if self.directory is None else self.directory.to_json(),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> FittedFor:
        """Rebuild it from its plain values."""
        directory = content["directory"]
        rebuilt = {
            "outputs": tuple(Output.from_dict(output) for output in content["outputs"]),
            "directory": None if directory is None else Directory.from_json(directory),
        }
        return rebuild(cls, {**content, **rebuilt})

    def refuse_another(self, fingerprint: str | None, outputs: Sequence[Output], system: str) -> None:
        """Raise if another system, or one with other labels, is to be repaired with this."""
        have, want = [output.name for output in outputs], [output.name for output in self.outputs]
        if have != want:
            raise UsageError(
                f"this calibrator was fitted for the outputs {', '.join(want)}, but {system!r} gives {', '.join(have)}"
            )
        if self.fingerprint is not None and fingerprint is None:
            raise UsageError(
                f"this calibrator was fitted for {self.system!r} in a version that was named, and {system!r} comes "
                "without one; name the version"
            )
        if self.fingerprint != fingerprint:
            raise UsageError(
                f"this calibrator was fitted for {self.system!r} as it was then, and {system!r} is another system or "
                "has changed; fit it again: evenhand repair"
            )


class Calibrator(ABC):
    """A correction of a system's answers, fitted from its scores.

    Subclasses are frozen dataclasses whose first field is `fitted_for`; they give `corrected`, and `content` and
    `from_content` for their other fields as JSON.
    """

    method: ClassVar[str]
    fitted_for: FittedFor

    @abstractmethod
    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers after the correction, (rows, outputs); rows without a known person are returned as they are."""

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """What was fitted, as JSON takes it."""

    @classmethod
    @abstractmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that are corrected."""
        return variables(self.fitted_for.outputs)

    def apply(self, scores: Scores, corpus: Corpus) -> Scores:
        """The scores of a corpus after the correction."""
        if scores.corpus_digest != corpus.digest:
            raise EvenhandError("these scores were made for another corpus (or another version of it)")
        found = FittedFor.of(scores, corpus)
        self.fitted_for.refuse_another(found.fingerprint, found.outputs, found.system)
        return replace(scores, matrix=read_only(self.corrected(scores.matrix, Rows.of(corpus))))

    def to_bytes(self) -> bytes:
        """A JSON file."""
        content = {
            "evenhand_calibrator": FORMAT,
            "method": self.method,
            "fitted_for": self.fitted_for.to_json(),
            "fitted": self.content(),
        }
        return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"

    def save(self, path: Path | str) -> None:
        """Write it to a file, whole or not at all."""
        write_whole(Path(path), self.to_bytes())


METHODS: dict[str, type[Calibrator]] = {}
"""The calibrators by the name of their method, for reading them back."""


def calibrator(method: str) -> Any:
    """Enter a class of calibrators into the table."""

    def enter(cls: type[Calibrator]) -> type[Calibrator]:
        cls.method = method
        METHODS[method] = cls
        return cls

    return enter


def load_calibrator(path: Path | str) -> Calibrator:
    """Read what `save` wrote."""
    content = read_json(Path(path))
    if not isinstance(content, dict) or "evenhand_calibrator" not in content:
        raise UsageError(f"{path} holds no calibrator; one comes from: evenhand repair")
    if content["evenhand_calibrator"] != FORMAT:
        raise EvenhandError(f"{path} was written by another version of Evenhand; fit it again: evenhand repair")
    values, method = Noting(content), content.get("method")
    if not isinstance(method, str) or method not in METHODS:
        raise EvenhandError(f"{path}: unknown method {one_line(repr(method), 60)}{did_you_mean(str(method), METHODS)}")
    try:
        fitted_for = FittedFor.from_json(values["fitted_for"])
        made = METHODS[method].from_content(fitted_for, noting(values["fitted"], "what was fitted"))
        check_types(made)
        _try(made)
    except (EvenhandError, *UNREADABLE) as error:
        raise EvenhandError(
            f"{path} does not hold a whole calibrator ({values.said(error)}); fit it again: evenhand repair"
        ) from error
    return made


def _try(made: Calibrator) -> None:
    """Refuse a calibrator whose parts do not fit together: it corrects an answer about each group, and about nobody."""
    outputs, attributes = made.fitted_for.outputs, made.fitted_for.attributes
    about = [(name, group) for name, groups in attributes.items() for group in groups] + [(None, None)]
    rows = Rows(
        texts=labels_of([f"It was {number}." for number in range(len(about))]),
        persons=labels_of([group for _, group in about]),
        groups={name: labels_of([group if own == name else None for own, group in about]) for name in attributes},
        paired=np.arange(len(about)) % 2 == 0,
    )
    usual = np.array([_middle(output, outputs) for output in outputs])
    try:
        after = made.corrected(np.tile(usual, (len(about), 1)), rows)
    except EvenhandError:
        return  # it says by itself what it lacks, once it is asked in earnest
    if after.shape != (len(about), len(outputs)) or not np.isfinite(after).all():
        raise ValueError("fitted: what it corrects comes out as no number")


def _middle(output: Output, outputs: Sequence[Output]) -> float:
    """An answer in the middle of the range; of a distribution, the share of each label."""
    if output.of is not None:
        return 1.0 / sum(other.of == output.of for other in outputs)
    return 0.0 if output.low is None or output.high is None else (output.low + output.high) / 2


def _paired(corpus: Corpus) -> tuple[str, ...]:
    """The persons who have a counterpart."""
    if "pair" not in corpus.frame.columns:
        return ()
    persons = coded(corpus, "person").at(np.flatnonzero(coded(corpus, "pair").numbers >= 0)).labels
    return tuple(persons)


def numbers(values: Sequence[float]) -> Array:
    """A vector that was read from JSON; refuses what is no finite number."""
    vector = np.array(values, dtype=np.float64)
    if not np.isfinite(vector).all():
        raise ValueError("not all numbers are finite")
    return vector
