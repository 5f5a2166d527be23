"""Who answers: anything in Python that can be asked: a function, an object with `predict`, or a scorer as it is."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from evenhand.errors import BadAnswer, EvenhandError, UsageError, foreign_code, one_line
from evenhand.systems.adopted import adopted
from evenhand.systems.base import Array, BaseScorer, Output, Scorer
from evenhand.systems.yours.declared import Declared, leaves_kind_open, named_outputs, recognised

PROBE = "This is a sentence."
PROBES = (PROBE, "I feel wonderful today!", "That was a terrible mistake.")
"""Three texts that answers differ on, to see whether they are probabilities of classes."""
BATCH_SIZE = 256


class CallableScorer(BaseScorer):
    """A function from a list of texts to numbers, or to rows of numbers.

    Its answers are handed on as they are, so that whoever asks can name the sentence behind one that is of no use.
    """

    batch_size = BATCH_SIZE

    def __init__(
        self,
        function: Callable[[list[str]], object],
        *,
        name: str,
        outputs: Sequence[Output],
        version: str | None = None,
        source: object = None,
        remarks: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.outputs: tuple[Output, ...] = tuple(outputs)
        self.fingerprint: str | None = vouched(name, version)
        self.resume_key: str | None = source_hash(function if source is None else source)
        self.samples: bool = bool(getattr(function if source is None else source, "samples", False))
        self._function = function
        self._remarks = tuple(remarks)

    def remarks(self) -> tuple[str, ...]:
        """How its answers are read, where nobody said how to."""
        return self._remarks

    def score(self, texts: Sequence[str]) -> Array:
        """What the function answers; one number a text becomes one column."""
        if not len(texts):  # scikit-learn refuses to be asked nothing
            return np.empty((0, len(self.outputs)))
        return _as_table(self._function(list(texts)))


def as_scorer(
    obj: object,
    *,
    name: str | None = None,
    low: float = 0.0,
    high: float = 1.0,
    outputs: Declared | None = None,
    kind: str | None = None,
    version: str | None = None,
) -> BaseScorer:
    """Make a scorer of an object: a scorer stays as it is; `predict_proba`, `predict` or a plain call answer else.

    `predict_proba` gives one output per class, a probability; of two classes, only the second. Otherwise the outputs
    are those named here (see `named_outputs`), or by the object's own attribute `outputs`; names get the range
    `low`..`high` and the `kind`. Where neither names any, the object is asked one sentence, because a scorer has to say
    how many numbers it gives before the run and a wrong guess would show in the middle of it: one number is `score`,
    several are `score1`, `score2`, ... Several numbers from 0 to 1 that add up to one for three sentences are read as
    the probabilities of classes, unless a kind is declared.

    >>> shout = as_scorer(lambda texts: [text.isupper() for text in texts], name="shout")
    >>> shout.score(["HELLO", "hello"]).tolist()
    [[1.0], [0.0]]
    >>> as_scorer(lambda texts: [[0.2, 0.8]] * len(texts), outputs=["bad", "good"]).outputs[1].kind
    'probability'
    """
    if isinstance(obj, Scorer) and not isinstance(obj, type):
        if outputs is not None or kind is not None:
            raise UsageError(f"{obj.name!r} says itself what its outputs are; leave out outputs and kind")
        return adopted(obj)
    name = name or str(getattr(obj, "__name__", type(obj).__name__))
    remarks: list[str] = []
    if _can(obj, "predict_proba"):
        function: Callable[[list[str]], object] = cast(Any, obj).predict_proba
        kind = kind or "probability"
        if outputs is None:
            outputs = _class_outputs(obj, name, kind)
            if len(outputs) == 2:
                # The first class only mirrors the second, and would count twice in a correction for many tests.
                function, outputs = _last_column(function), outputs[1:]
    elif _can(obj, "predict"):
        function = cast(Any, obj).predict
        if numbers := _numeric_labels(obj, name):
            kind = kind or "ordinal"
            remarks.append(
                f"it gives no probabilities; its class labels {numbers} are read as numbers on a scale (for "
                "probabilities, give it predict_proba, say by CalibratedClassifierCV)"
            )
    elif callable(obj):
        function = obj
    else:
        raise UsageError(f"{name!r} cannot be asked: it is not a scorer, has no predict method, and cannot be called")
    declared = outputs if outputs is not None else getattr(obj, "outputs", None)
    if declared is None:
        declared = _probed(function, name)
    found, remark = recognised(
        named_outputs(declared, low, high, name, kind=kind),
        lambda: _first_answers(function),
        kind_is_open=leaves_kind_open(declared, kind),
    )
    remarks += [remark] if remark else []
    return CallableScorer(function, name=name, outputs=found, version=version, source=obj, remarks=remarks)


def _can(obj: object, method: str) -> bool:
    return not isinstance(obj, type) and callable(getattr(obj, method, None))


def _last_column(function: Callable[[list[str]], object]) -> Callable[[list[str]], object]:
    return lambda texts: np.asarray(function(texts))[:, -1]


def _first_answers(function: Callable[[list[str]], object]) -> object:
    """What it says to a few texts; nothing if it fails, for the run to meet, with the sentence that it is about."""
    try:
        with foreign_code():
            return np.asarray(function(list(PROBES)), dtype=np.float64)
    except Exception:
        return []


def _class_outputs(estimator: object, name: str, kind: str) -> tuple[Output, ...]:
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise UsageError(f"{name!r} has predict_proba but no classes_: fit it first")
    return named_outputs([str(label) for label in classes], 0.0, 1.0, name, kind=kind)


def _numeric_labels(estimator: object, name: str) -> str:
    """The labels that a classifier predicts, in words; empty for what is no classifier, refused where not numbers."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return ""
    if np.asarray(classes).dtype.kind not in "biuf":
        raise UsageError(f"{name!r} predicts labels, not numbers; give it predict_proba (say, CalibratedClassifierCV)")
    return ", ".join(f"{label:g}" for label in classes)


def _probed(function: Callable[[list[str]], object], name: str) -> list[str]:
    """Names for as many numbers as it gives for one sentence."""
    try:
        with foreign_code():
            answer = function([PROBE])
    except EvenhandError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {one_line(error, 1_000)}".rstrip(": ")
        raise EvenhandError(f"{name!r} failed on a first sentence, {PROBE!r}: {why}") from error
    table = _as_table(answer)
    if not isinstance(table, np.ndarray) or table.ndim != 2 or len(table) != 1 or not table.shape[1]:
        got = one_line(repr(answer))
        raise BadAnswer(f"{name!r} answered {got} to the list of one sentence; expected one number, or one row of them")
    width = table.shape[1]
    return ["score"] if width == 1 else [f"score{place + 1}" for place in range(width)]


def _as_table(answer: object) -> Array:
    try:
        table = np.asarray(answer)
    except Exception:  # ragged rows, or an object of a library with errors of its own: for the asker to name
        return cast(Array, answer)
    if table.dtype.kind not in "biuf" or isinstance(answer, np.ma.MaskedArray):
        return cast(Array, answer)
    numbers: Array = table.astype(np.float64)
    return numbers.reshape(-1, 1) if numbers.ndim == 1 else numbers


def vouched(name: str, version: str | None) -> str | None:
    """The fingerprint of a function: what it answers cannot be known, unless its user vouches for it by a version."""
    return None if version is None else _hash(f"{name}\0{version}".encode())


def source_hash(obj: object) -> str | None:
    """Hash the file that the function or the object's class is written in, if there is one."""
    code = obj if inspect.isroutine(obj) or isinstance(obj, type) else type(obj)
    try:
        file = inspect.getfile(cast(Any, inspect.unwrap(cast(Any, code))))
        return _hash(Path(file).read_bytes())
    except (OSError, TypeError, ValueError):
        return None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
