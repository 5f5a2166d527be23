"""Who answers: anything in Python that can be asked: a function, an object with `predict`, or a scorer as it is."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np

from evenhand.errors import BadAnswer, EvenhandError, UsageError, did_you_mean
from evenhand.systems.adopted import adopted
from evenhand.systems.base import CLASSES, Array, BaseScorer, Output, OutputKind, Scorer

PROBE = "This is a sentence."
BATCH_SIZE = 256

Declared = Output | str | Mapping[str, Any] | Sequence[Output | str | Mapping[str, Any]]
"""How outputs may be declared; see `named_outputs`."""


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
    ) -> None:
        self.name = name
        self.outputs: tuple[Output, ...] = tuple(outputs)
        self.fingerprint: str | None = vouched(name, version)
        self.resume_key: str | None = source_hash(function if source is None else source)
        self.samples: bool = bool(getattr(function if source is None else source, "samples", False))
        self._function = function

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
    version: str | None = None,
) -> BaseScorer:
    """Make a scorer of an object: a scorer stays as it is; `predict_proba`, `predict` or a plain call answer else.

    `predict_proba` gives one output per class, a probability; of two classes, only the second. Otherwise the outputs
    are those named here (see `named_outputs`), or by the object's own attribute `outputs`; names get the range
    `low`..`high`. Where neither names any, the object is asked one sentence, because a scorer has to say how many
    numbers it gives before the run and a wrong guess would show in the middle of it: one number is `score`, several
    are `score1`, `score2`, ...

    >>> shout = as_scorer(lambda texts: [text.isupper() for text in texts], name="shout")
    >>> shout.score(["HELLO", "hello"]).tolist()
    [[1.0], [0.0]]
    """
    if isinstance(obj, Scorer) and not isinstance(obj, type):
        return adopted(obj)
    name = name or str(getattr(obj, "__name__", type(obj).__name__))
    if _can(obj, "predict_proba"):
        function: Callable[[list[str]], object] = cast(Any, obj).predict_proba
        if outputs is None:
            outputs = _class_outputs(obj, name)
            if len(outputs) == 2:
                # The first class only mirrors the second, and would count twice in a correction for many tests.
                function, outputs = _last_column(function), outputs[1:]
            elif _adds_up(function):
                outputs = tuple(replace(output, of=CLASSES) for output in outputs)
    elif _can(obj, "predict"):
        function = cast(Any, obj).predict
        _refuse_labels(obj, name)
    elif callable(obj):
        function = obj
    else:
        raise UsageError(f"{name!r} cannot be asked: it is no scorer, has no predict, and cannot be called")
    declared = outputs if outputs is not None else getattr(obj, "outputs", None)
    found = named_outputs(declared, low, high, name) if declared is not None else _probed(function, low, high, name)
    return CallableScorer(function, name=name, outputs=found, version=version, source=obj)


def _can(obj: object, method: str) -> bool:
    return not isinstance(obj, type) and callable(getattr(obj, method, None))


def _last_column(function: Callable[[list[str]], object]) -> Callable[[list[str]], object]:
    return lambda texts: np.asarray(function(texts))[:, -1]


def _adds_up(function: Callable[[list[str]], object]) -> bool:
    """Whether probabilities are those of classes that exclude each other; a classifier need not say so."""
    try:
        return bool(np.allclose(np.sum(np.asarray(function([PROBE]), dtype=np.float64), axis=-1), 1.0, atol=1e-5))
    except Exception:  # for the run to meet, with the sentence that it is about
        return False


def _class_outputs(estimator: object, name: str) -> tuple[Output, ...]:
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise UsageError(f"{name!r} has predict_proba but no classes_: fit it first")
    return tuple(Output(str(label), low=0.0, high=1.0, kind="probability") for label in classes)


def _refuse_labels(estimator: object, name: str) -> None:
    classes = getattr(estimator, "classes_", None)
    if classes is not None and np.asarray(classes).dtype.kind not in "biuf":
        raise UsageError(f"{name!r} predicts labels, not numbers; give it predict_proba (say, CalibratedClassifierCV)")


def named_outputs(declared: object, low: float, high: float, name: str) -> tuple[Output, ...]:
    """Outputs as people declare them: names, mappings with `name`, `low`, `high`, `kind`, ..., or `Output` objects.

    >>> named_outputs(["joy", {"name": "mood", "low": -1}], 0.0, 1.0, "mine")[1].span
    2.0
    """
    outputs = (declared,) if isinstance(declared, str | Output | Mapping) else declared
    if not isinstance(outputs, Sequence) or not outputs:
        raise UsageError(f"{name!r}: its outputs must be names or Output objects, not {declared!r}")
    return tuple(_output(one, low, high, name) for one in outputs)


def _output(declared: object, low: float, high: float, name: str) -> Output:
    if isinstance(declared, Output):
        return declared
    given = {"name": declared} if isinstance(declared, str) else declared
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise UsageError(f"{name!r}: its outputs must be names or Output objects, not {declared!r}")
    known = [field.name for field in fields(Output)]
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise UsageError(f"{name!r}: an output has no {unknown[0]!r}{did_you_mean(unknown[0], known)}")
    kind = given.get("kind", "score")
    if kind not in get_args(OutputKind):
        raise UsageError(f"{name!r}: no kind of output {kind!r}{did_you_mean(str(kind), get_args(OutputKind))}")
    for end in ("low", "high", "unit"):
        if given.get(end) is not None and (isinstance(given[end], bool) or not isinstance(given[end], int | float)):
            raise UsageError(f"{name!r}: {end} of the output {given['name']!r} must be a number, not {given[end]!r}")
    return Output(**{"low": low, "high": high, **given})


def _probed(function: Callable[[list[str]], object], low: float, high: float, name: str) -> tuple[Output, ...]:
    try:
        answer = function([PROBE])
    except EvenhandError:
        raise
    except Exception as error:
        why = " ".join(str(error).split())
        raise EvenhandError(f"{name!r} failed on a first sentence, {PROBE!r}: {type(error).__name__}: {why}") from error
    table = _as_table(answer)
    if not isinstance(table, np.ndarray) or table.ndim != 2 or len(table) != 1 or not table.shape[1]:
        got = " ".join(repr(answer).split())[:200]
        raise BadAnswer(f"{name!r} answered {got} to the list of one sentence; expected one number, or one row of them")
    names = ["score"] if table.shape[1] == 1 else [f"score{place + 1}" for place in range(table.shape[1])]
    return tuple(Output(output, low=low, high=high) for output in names)


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
