"""The card beside a head trained on sentence vectors: what was trained, on what, with what, and how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from evenhand.errors import UsageError
from evenhand.files.opened import read_bytes
from evenhand.files.whole import finish
from evenhand.systems.trained.card import Part, Quality, read_part

HEAD, CARD = "head.skops", "embedding.json"


class EncoderPart(Part):
    """What the head was trained on top of; `digest` covers its files, its pooling and where texts are cut."""

    name: str
    digest: str
    pooling: str
    normalised: bool
    longest: int


class HeadPart(Part):
    """The regressor; `sha256` is of its file."""

    kind: Literal["ridge", "svr"]
    sha256: str


class Card(Part):
    """What was trained, on what, with what, and how good it is."""

    format: Literal[1] = 1
    encoder: EncoderPart
    head: HeadPart
    output: str
    high_is_desirable: bool | None
    data: str
    data_sha256: str
    quality: Quality
    versions: dict[str, str]


def read_card(folder: Path) -> Card:
    """What a folder says of the head in it."""
    finish(folder)
    if not (folder / CARD).is_file():
        raise UsageError(f"{folder} holds no trained head ({CARD}); make one: evenhand train embedding --out {folder}")
    return read_part(Card, read_bytes(folder / CARD), folder / CARD)
