"""Tagged sentences from JSON lines, with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, one_line
from evenhand.files.opened import naming_its_file
from evenhand.files.structured import json_values
from evenhand.files.tables import TableFile
from evenhand.metrics.sequences import TaggedPredictions, TaggedSentence
from evenhand.schemes import scheme_named

NEEDED = ("source", "group", "tokens", "slot_span", "gold")
HEADER = "tags"


def holds_tags(path: Path | str) -> bool:
    """Whether a file is one of tagged sentences, by its first line: JSON with `tokens`, or the names of the tags.

    Prediction tables, which are JSON lines too, have neither.
    """
    file = TableFile(Path(path))
    if file.ending != ".jsonl":
        return False
    first = file.content.lstrip().partition(b"\n")[0]
    try:
        row = json_values(first, path)
    except EvenhandError:
        return False
    return isinstance(row, dict) and ("tokens" in row or set(row) == {HEADER})


@naming_its_file
def read_tags(path: Path | str, *, scheme: str | None = None) -> TaggedPredictions:
    """Read `source, group, term, tokens, slot_span, gold, pred, probs` from JSON lines, one sentence a line.

    `slot_span` is `[start, end]`: the identity term's tokens, counted from 0, without the one at `end`. `group` may be
    null: the unperturbed sentence of its source. `probs` has an entry for each token: an object from tags to
    probabilities (`{"O": 0.9, "U-LOC": 0.1}`; tags that are left out have 0), or a list of probabilities, for which a
    first line `{"tags": ["O", "U-LOC", ...]}` names the tags once. Without `probs`, metrics on probabilities are
    undefined; without `pred`, the most likely tag of each token is taken. `term` may be left out; other keys are
    ignored. `scheme` is BILOU, BIO or IOBES, and found out by the tags where it is not given.
    """
    file = TableFile(Path(path))
    header: list[str] | None = None
    sentences: list[TaggedSentence] = []
    for line, row in file.objects():
        where = f"{file.path}, line {line}"
        if not sentences and header is None and set(row) == {HEADER}:
            header = _texts(where, HEADER, row[HEADER])
        else:
            sentences.append(_sentence(where, row, header))
    if not sentences:
        raise EvenhandError(f"{file.path} has no tagged sentences")
    named = None if scheme is None else scheme_named(scheme)
    return TaggedPredictions(tuple(sentences), gold_scheme=named, scheme=named)


def _sentence(where: str, row: Mapping[str, Any], header: list[str] | None) -> TaggedSentence:
    for name in NEEDED:
        if name not in row:
            raise EvenhandError(f"{where}: there is no {name!r}; a tagged sentence has {', '.join(NEEDED)}")
    probabilities = None if row.get("probs") is None else _probabilities(where, row["probs"], header)
    if row.get("pred") is None and probabilities is None:
        raise EvenhandError(f"{where}: there is neither 'pred' nor 'probs'")
    tokens = _texts(where, "tokens", row["tokens"])
    slot = _slot(where, row["slot_span"])
    predicted = _most_likely(probabilities or []) if row.get("pred") is None else _texts(where, "pred", row["pred"])
    return TaggedSentence(
        source=_name(where, "source", row["source"]),
        group=None if row["group"] is None else _name(where, "group", row["group"]),
        tokens=tuple(tokens),
        slot=slot,
        gold=tuple(_texts(where, "gold", row["gold"])),
        predicted=tuple(predicted),
        probabilities=None if probabilities is None else tuple(probabilities),
        term=str(row["term"]) if row.get("term") is not None else " ".join(tokens[slice(*slot)]),
        where=where,
    )


def _name(where: str, key: str, value: object) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
        raise EvenhandError(f"{where}: {key!r} is a name, not {one_line(json.dumps(value), 60)}")
    return str(value).strip()


def _texts(where: str, key: str, value: object) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(entry, str) and entry for entry in value):
        raise EvenhandError(f"{where}: {key!r} is a list of texts, not {one_line(json.dumps(value), 60)}")
    return value


def _slot(where: str, value: object) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2 or not all(type(entry) is int for entry in value):
        raise EvenhandError(f"{where}: 'slot_span' is [start, end], not {one_line(json.dumps(value), 60)}")
    return value[0], value[1]


def _probabilities(where: str, value: object, header: list[str] | None) -> list[Mapping[str, float]]:
    if not isinstance(value, list):
        raise EvenhandError(f"{where}: 'probs' is a list with an entry for each token")
    return [_of_token(where, entry, header) for entry in value]


def _of_token(where: str, entry: object, header: list[str] | None) -> Mapping[str, float]:
    if isinstance(entry, list):
        if header is None:
            raise EvenhandError(f"{where}: 'probs' holds lists; a first line {{\"tags\": [...]}} must name their tags")
        if len(entry) != len(header):
            raise EvenhandError(f"{where}: {len(entry)} probabilities for the {len(header)} tags of the first line")
        entry = dict(zip(header, entry, strict=True))
    if not isinstance(entry, dict) or not entry:
        raise EvenhandError(
            f"{where}: 'probs' has {one_line(json.dumps(entry), 60)} where a token's probabilities belong"
        )
    for tag, number in entry.items():
        if not isinstance(number, int | float) or isinstance(number, bool):
            raise EvenhandError(
                f"{where}: the probability of {tag!r} is a number, not {one_line(json.dumps(number), 60)}"
            )
    return entry


def _most_likely(probabilities: list[Mapping[str, float]]) -> list[str]:
    return [max(by_tag, key=by_tag.__getitem__) for by_tag in probabilities]
