"""Asking people: sheets for annotators to fill in, and how far they agree once they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError
from evenhand.files.plain import rebuild
from evenhand.files.tables import BYTE_ORDER_MARK
from evenhand.files.whole import check_writable, finish, write_together
from evenhand.results import Provenance, Result
from evenhand.settings import check_count, check_seed
from evenhand.stats.agreement import Agreement, Level, agreement
from evenhand.stats.types import Floats
from evenhand.systems.people.annotations import read_annotations
from evenhand.systems.people.human import SHEETS, annotator_files

INSTRUCTIONS = """# How to label the texts

You have a file of your own, `{sheet}`, with one text a row. Please write a number into the column `label` of each row:

| label | the text sounds |
|---:|---|
| 1 | positive: pleased, friendly, grateful, hopeful … |
| 0 | neutral: it states or asks something, or what is good and bad in it is about even |
| -1 | negative: annoyed, sad, worried, hostile … |

- Judge the words as they stand, as if you had met the text alone. Who said it does not matter, nor whether it is true.
- Judge how it sounds, not whether you agree with it.
- Go by your first impression; half a minute a text is plenty. There are no right answers to look up.
- Leave the cell empty if you cannot tell or would rather not say. An empty cell is better than a guess.
- Work alone, and do not talk about the texts with the other annotators before all of you are done: their order is
  different in each file, on purpose.
- Change nothing but the column `label`, and save the file as CSV (UTF-8) under its own name.

{texts} texts. You may stop at any time and go on later, or not at all. Texts that people wrote may be unpleasant to
read; skip what you do not want to read.
"""

MEANINGS = {-1: "negative", 0: "neutral", 1: "positive"}
FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True)
class Annotator:
    """How much an annotator labelled, and how."""

    name: str
    labelled: int
    missing: int
    negative: int
    neutral: int
    positive: int


@dataclass(frozen=True, eq=False, repr=False)
class Sheets(Result):
    """What the annotators of some texts wrote: how much, how far they agree, and where they are at odds.

    `agreement` is for ordered labels (a −1 beside a 1 is worse than beside a 0), `nominal` for labels as mere names.
    `ties` are texts whose label has to be drawn; `unlabelled` texts that nobody labelled.
    """

    kind: ClassVar[str] = "agreement"
    file: ClassVar[str] = "agreement.json"

    annotators: tuple[Annotator, ...]
    texts: int
    unlabelled: int
    ties: int
    agreement: Agreement
    nominal: Agreement

    def content(self) -> dict[str, Any]:
        """How much each annotator labelled, and the agreement of all and of each two."""
        names = [annotator.name for annotator in self.annotators]
        pairs = [
            {"annotators": [names[first], names[second]], "percent": percent}
            for (first, second), percent in self.agreement.pairs.items()
        ]
        return {
            "annotators": [asdict(annotator) for annotator in self.annotators],
            "texts": self.texts,
            "unlabelled": self.unlabelled,
            "ties": self.ties,
            "labelled_by_two": self.agreement.units,
            "percent_agreement": self.agreement.percent,
            "percent_unanimous": self.agreement.unanimous,
            "pairs": pairs,
            "krippendorff_alpha": {
                one.level: {"alpha": one.alpha, "undefined": one.undefined} for one in (self.agreement, self.nominal)
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            annotators=tuple(rebuild(Annotator, one) for one in values["annotators"]),
            texts=values["texts"],
            unlabelled=values["unlabelled"],
            ties=values["ties"],
            agreement=_agreement(values, "ordinal"),
            nominal=_agreement(values, "nominal"),
            **cls.common(values),
        )

    def frame(self) -> pl.DataFrame:
        """One row per annotator."""
        return pl.DataFrame([asdict(annotator) for annotator in self.annotators])


def _agreement(values: Mapping[str, Any], level: Level) -> Agreement:
    places = {annotator["name"]: place for place, annotator in enumerate(values["annotators"])}
    pairs = [([places[name] for name in pair["annotators"]], pair["percent"]) for pair in values["pairs"]]
    return Agreement(
        annotators=len(places),
        units=values["labelled_by_two"],
        percent=values["percent_agreement"],
        unanimous=values["percent_unanimous"],
        pairs={(first, second): percent for (first, second), percent in pairs},
        level=level,
        **values["krippendorff_alpha"][level],
    )


def write_sheets(corpus: Corpus | str | Path, folder: Path | str, *, annotators: int = 3, seed: int = 0) -> list[Path]:
    """Write a sheet per annotator of a corpus, each in an order of its own, and their instructions; see below."""
    corpus = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    return write_sheets_of(corpus.frame, folder, annotators=annotators, seed=seed)


def write_sheets_of(texts: pl.DataFrame, folder: Path | str, *, annotators: int = 3, seed: int = 0) -> list[Path]:
    """The same for a table with the columns `id` and `text`.

    Each distinct text stands in a sheet once: what people say about it holds wherever it occurs. Sheets that are there
    already are never written over.
    """
    check_count("the number of annotators", annotators, least=1)
    check_seed(seed)
    folder = Path(folder)
    check_writable(folder)
    finish(folder)
    if folder.is_dir() and any(folder.glob(SHEETS)):
        raise UsageError(f"{folder} holds sheets already, and somebody may have filled them in; choose another folder")
    texts = texts.select("id", pl.col("text").str.strip_chars()).unique("text", keep="first", maintain_order=True)
    # What a spreadsheet would take for a formula is shown as text behind a space, which is cut off again on reading.
    texts = texts.with_columns(
        text=pl.when(pl.col("text").str.slice(0, 1).is_in(FORMULA)).then(" " + pl.col("text")).otherwise("text"),
        label=pl.lit(None, dtype=pl.String),
    )
    contents: dict[str, bytes] = {}
    for number in range(1, annotators + 1):
        order = np.random.default_rng([seed, number]).permutation(texts.height)
        # Spreadsheets take a CSV file for UTF-8 only if it begins with a byte-order mark.
        sheet = BYTE_ORDER_MARK + texts[order].write_csv().encode()
        contents[SHEETS.replace("*", str(number))] = sheet
    instructions = INSTRUCTIONS.format(sheet=SHEETS.replace("*", "NUMBER"), texts=f"{texts.height:,}")
    write_together(folder, {"instructions.md": instructions.encode(), **contents})
    return sorted(folder / name for name in contents)


def check_sheets(
    address: str | Path, *, corpus: Corpus | None = None, label: str | None = None, command: str | None = None
) -> Sheets:
    """How far annotators agree: of the sheets in a folder, or of files separated by commas."""
    files = annotator_files(str(address))
    annotations = read_annotations(files, corpus=corpus, label=label)
    corpora = [] if corpus is None else [corpus]
    provenance = Provenance.collect(corpora=corpora, files=files, settings={"label": label}, command=command)
    given = zip(annotations.annotators, annotations.matrix, strict=True)
    return Sheets(
        annotators=tuple(_counted(name, row) for name, row in given),
        texts=len(annotations.texts),
        unlabelled=len(annotations.texts) - len(annotations.votes),
        ties=len(annotations.ties),
        agreement=agreement(annotations.matrix, level="ordinal"),
        nominal=agreement(annotations.matrix, level="nominal"),
        provenance=provenance,
    )


def _counted(name: str, labels: Floats) -> Annotator:
    missing = int(np.isnan(labels).sum())
    each = {meaning: int((labels == label).sum()) for label, meaning in MEANINGS.items()}
    return Annotator(name, len(labels) - missing, missing, **each)
