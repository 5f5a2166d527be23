"""There and back: what a round trip did to the sentences of a corpus, to whom, and which are left to be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.person_forms import GENDER
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.tables import TableFile, table_bytes
from evenhand.numbering import numbered
from evenhand.results import Provenance, Result
from evenhand.results.rendering import Files
from evenhand.results.result import CORPUS_FILE
from evenhand.translation.leaving_out import leave_out
from evenhand.translation.persons import PersonWords
from evenhand.translation.round_trip import Journey, ThereAndBack

FLAGS = ("changed", "lost", "crossed", "empty", "uneven")
BROKEN = ("lost", "crossed", "empty")
"""What makes a sentence useless for comparing persons."""

NOBODY = "(none)"
"""Where a column says nothing of a sentence."""

ROWS_FILE, KEPT_FILE = "sentences.parquet", "kept.parquet"
EXAMPLES = 3
"""Of each flag."""


@dataclass(frozen=True)
class Counts:
    """How many sentences there are, and what became of them.

    `changed`: not the same words any more. `lost`: the person's word is gone, in all its forms. `crossed`: a word of
    another group has come in, so that she became he. `empty`: nothing is left. `uneven`: the person is still there, but
    the rest no longer reads like that of most others in its source. `broken`: lost, crossed or empty.
    `unseen`: the person's word did not stand in it to begin with, so that it cannot be lost. `incomparable`: it cannot
    be uneven, as the person was lost, or as the sentences of its source differed in more than the person before.
    """

    sentences: int
    changed: int
    lost: int
    crossed: int
    empty: int
    uneven: int
    broken: int
    unseen: int
    incomparable: int

    def share(self, flag: str) -> float | None:
        """The share of a flag among the sentences that could have it; None where none could."""
        without = {"lost": self.unseen, "uneven": self.incomparable}.get(flag, 0)
        return getattr(self, flag) / (self.sentences - without) if self.sentences > without else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the shares of all flags."""
        return asdict(self) | {"shares": {flag: self.share(flag) for flag in FLAGS}}


@dataclass(frozen=True)
class LeftOut:
    """Whom and what to do without, so that nobody is compared on broken sentences and the design stays whole."""

    persons: tuple[str, ...]
    sources: tuple[str, ...]
    sentences: int


@dataclass(frozen=True)
class Crossing:
    """How many sentences about one group hold a word of another since the round trip."""

    attribute: str
    before: str
    after: str
    sentences: int


@dataclass(frozen=True)
class Example:
    """One sentence's way."""

    id: str
    text: str
    abroad: str
    home: str


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """What a round trip did to a corpus.

    `rows` has one row a sentence: its `id, source, person, term`, attributes and template, the texts `text, abroad,
    home`, the flags `changed, lost, crossed, empty, uneven` (null where a flag is undefined) and `became`, the other
    group's words that came in, as `gender=male`.
    """

    kind: ClassVar[str] = "drift"
    file: ClassVar[str] = "drift.json"

    corpus: Corpus
    translators: str
    via: str
    rows: pl.DataFrame = field(repr=False)
    even: bool = False
    """Whether uneven sentences are left out too, not only broken ones."""

    def __repr__(self) -> str:
        all_ = self.overall
        return f"<Drift via {self.via}: {all_.broken:,} of {all_.sentences:,} sentences of {self.corpus.name} broken>"

    def content(self) -> dict[str, Any]:
        """Counts over all and by group, template and person, who became what, examples, and what to leave out."""
        return {
            "corpus": self.corpus.name,
            "corpus_digest": self.corpus.digest,
            "translators": self.translators,
            "via": self.via,
            "overall": self.overall.to_dict(),
            "by": {
                column: {value: one.to_dict() for value, one in self.by(column).items()}
                for column in (*self.columns, "person")
            },
            "crossings": [asdict(crossing) for crossing in self.crossings],
            "examples": {flag: [asdict(one) for one in self.examples(flag)] for flag in FLAGS},
            "left_out": asdict(self.left_out()) | {"even": self.even},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its sentences, which are saved beside the JSON."""
        if folder is None or not all((folder / name).is_file() for name in (ROWS_FILE, CORPUS_FILE)):
            raise EvenhandError(
                f"a drift is read from its sentences, and {folder or 'the JSON'} lacks {ROWS_FILE} or {CORPUS_FILE}; "
                "measure it again"
            )
        return cls(
            Corpus.load(folder / CORPUS_FILE),
            values["translators"],
            values["via"],
            TableFile(folder / ROWS_FILE).whole,
            values["left_out"]["even"],
            **cls.common(values),
        )

    def attachments(self) -> Files:
        """Every sentence's way, the corpus, and what is left of it to be compared, if two groups are."""
        files = {ROWS_FILE: table_bytes(self.rows, ".parquet"), CORPUS_FILE: self.corpus.to_bytes()}
        try:
            return {**files, KEPT_FILE: self.kept().to_bytes()}
        except EvenhandError:
            return files

    def frame(self) -> pl.DataFrame:
        """One row per sentence."""
        return self.rows

    @property
    def columns(self) -> list[str]:
        """What the counts are given by: attributes, and templates where they are known."""
        return [*self.corpus.attributes, *(["template"] if "template" in self.rows.columns else [])]

    @cached_property
    def overall(self) -> Counts:
        """The counts over all sentences."""
        return _counts(self.rows)

    def by(self, column: str) -> dict[str, Counts]:
        """The counts for each value of an attribute, of `template`, `person` or `source`; nulls as `(none)`."""
        if column not in self.rows.columns:
            raise UsageError(f"drift is not known by {column!r}{did_you_mean(column, self.rows.columns)}")
        filled = self.rows.with_columns(pl.col(column).cast(pl.String).fill_null(NOBODY))
        parts = filled.partition_by(column, as_dict=True, maintain_order=True)
        return {str(value): _counts(part) for (value,), part in parts.items()}

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Who became what, most often first."""
        found = []
        for attribute in self.corpus.attributes:
            became = self.rows.select(before=pl.col(attribute).fill_null(NOBODY), after=pl.col("became"))
            split = became.explode("after").drop_nulls().filter(pl.col("after").str.starts_with(f"{attribute}="))
            for before, after, number in split.group_by("before", "after").len().iter_rows():
                found.append(Crossing(attribute, before, after.removeprefix(f"{attribute}="), number))
        return tuple(sorted(found, key=lambda one: (-one.sentences, one.attribute, one.before, one.after)))

    def examples(self, flag: str, most: int = EXAMPLES) -> list[Example]:
        """Some sentences with a flag, about different persons in different sources as far as there are such."""
        if flag not in FLAGS:
            raise UsageError(f"no flag {flag!r}{did_you_mean(flag, FLAGS)}")
        flagged = self.rows.filter(pl.col(flag))
        chosen = flagged.unique("person", keep="first", maintain_order=True)
        varied = chosen[:: max(1, chosen.height // most)].head(most)
        return [Example(*row) for row in varied.select("id", "text", "abroad", "home").iter_rows()]

    def left_out(self) -> LeftOut:
        """Whom and what to do without so that no broken sentence is left; where `even` is set, no uneven one either.

        Persons (a pair goes as a whole: half of one has nobody to be compared with) and sources, whichever has the
        larger share of such sentences, one after the other. Where everybody stood in all sources, all still do.
        """
        bad = _broken() | pl.col("uneven").fill_null(False) if self.even else _broken()
        persons, sources = self.rows["person"].to_list(), self.rows["source"].to_list()
        pairs = self.rows["pair"].to_list() if "pair" in self.rows.columns else [None] * len(persons)
        pair_of = {person: pair for person, pair in zip(persons, pairs, strict=True) if pair is not None}
        unit = numbered([("pair", pair_of[one]) if one in pair_of else ("person", one) for one in persons])
        source = numbered(sources)
        units_out, sources_out = leave_out(self.rows.select(bad).to_series().to_numpy(), unit, source)
        without, outside = np.isin(unit, units_out), np.isin(source, sources_out)
        return LeftOut(
            persons=tuple(dict.fromkeys(person for person, out in zip(persons, without, strict=True) if out)),
            sources=tuple(dict.fromkeys(one for one, out in zip(sources, outside, strict=True) if out)),
            sentences=int((without | outside).sum()),
        )

    def kept(self) -> Corpus:
        """The corpus without what `left_out` names: audit it as well, and see whether the finding stands."""
        corpus, left = self.corpus, self.left_out()
        gone = pl.col("person").is_in(left.persons) | pl.col("source").is_in(left.sources)
        frame = corpus.frame.filter(~gone)
        groups = {name: tuple(g for g in all_ if (frame[name] == g).any()) for name, all_ in corpus.attributes.items()}
        attributes = {name: left for name, left in groups.items() if len(left) > 1}
        if not attributes:
            raise EvenhandError(
                f"corpus {corpus.name!r}: without the sentences that the round trip broke, no two groups are left"
            )
        if frame.height == len(corpus):
            return corpus
        return replace(corpus, frame=frame, attributes=attributes, drawn_from=corpus.drawn_from or corpus.digest)


def drift(
    corpus: Corpus,
    trip: ThereAndBack,
    *,
    even: bool = False,
    command: str | None = None,
) -> Drift:
    """Send a corpus there and back, and see what became of it.

    With `even`, uneven sentences are left out too, not only broken ones. `command` goes into the provenance.

    >>> from evenhand.corpora import eec
    >>> from evenhand.translation import Dictionary
    >>> there = Dictionary({"he": "ille", "she": "ille"}, source="en", target="la")
    >>> found = drift(eec(), ThereAndBack(there))
    >>> found.crossings
    (Crossing(attribute='gender', before='female', after='male', sentences=82),)
    >>> found.left_out().persons
    ('she', 'he')
    """
    journeys = trip.journeys(corpus.frame["text"].to_list())
    rows = _rows(corpus, journeys, PersonWords(corpus, trip.source))
    fingerprints = {one.name: one.fingerprint for one in (trip.there, trip.back)}
    trip.done()
    return Drift(
        corpus,
        trip.name,
        trip.via,
        rows,
        even,
        provenance=Provenance.collect(
            corpora=[corpus], settings={"even": even}, details={"translators": fingerprints}, command=command
        ),
    )


def _rows(corpus: Corpus, journeys: Sequence[Journey], words: PersonWords) -> pl.DataFrame:
    frame = corpus.frame
    terms = frame["term" if "term" in frame.columns else "person"].fill_null("").to_list()
    lost = [_lost(words, term, journey) for term, journey in zip(terms, journeys, strict=True)]
    became = _became(corpus, words, journeys)
    also = [column for column in ("pair", *corpus.attributes, "template") if column in frame.columns]
    return frame.select("id", "source", "person", *also).with_columns(
        term=pl.Series(terms),
        text=pl.Series([journey.text for journey in journeys]),
        abroad=pl.Series([journey.abroad for journey in journeys]),
        home=pl.Series([journey.home for journey in journeys]),
        changed=pl.Series([journey.text.split() != journey.home.split() for journey in journeys]),
        lost=pl.Series(lost, dtype=pl.Boolean),
        crossed=pl.Series([bool(groups) for groups in became]),
        empty=pl.Series([bool(journey.text.strip()) and not journey.home.strip() for journey in journeys]),
        uneven=_uneven(corpus, terms, journeys, lost, words),
        became=pl.Series(became, dtype=pl.List(pl.String)),
    )


def _became(corpus: Corpus, words: PersonWords, journeys: Sequence[Journey]) -> list[list[str]]:
    """Groups whose words came in, by sentence; of attributes by which the sentences of its source can be compared."""
    became: list[list[str]] = [[] for _ in journeys]
    for attribute in corpus.attributes:
        asked = pl.col(attribute).is_not_null().any().over("source").alias("asked")
        groups = corpus.frame.select(attribute, asked).iter_rows()
        for found, journey, (group, is_asked) in zip(became, journeys, groups, strict=True):
            others = words.newcomers(journey.text, journey.home, attribute) - {group} if is_asked else set()
            found += [f"{attribute}={other}" for other in sorted(others)]
    return became


def _lost(words: PersonWords, term: str, journey: Journey) -> bool | None:
    if not term or not words.holds(journey.text, term):
        return None
    return not words.holds(journey.home, term)


def _uneven(
    corpus: Corpus, terms: Sequence[str], journeys: Sequence[Journey], lost: Sequence[bool | None], words: PersonWords
) -> pl.Series:
    """Whether a sentence without its person differs from the most frequent such sentence of its source.

    Undefined where the person was lost, and where the sentences of the source differed to begin with.
    """
    genders = corpus.frame[GENDER].to_list() if GENDER in corpus.frame.columns else [None] * len(corpus)
    asked = list(zip(terms, genders, journeys, strict=True))
    frames = pl.DataFrame(
        {
            "source": corpus.frame["source"],
            "before": [words.without(journey.text, term, gender) for term, gender, journey in asked],
            "after": [words.without(journey.home, term, gender) for term, gender, journey in asked],
            "there": [one is False for one in lost],
        }
    )
    after = pl.when("there").then("after")
    common = after.drop_nulls().mode(maintain_order=True).first().over("source")
    alike = pl.col("before").n_unique().over("source") == 1
    return frames.select(pl.when(alike).then(after != common)).to_series()


def _broken() -> pl.Expr:
    return pl.any_horizontal(pl.col(*BROKEN).fill_null(False))


def _counts(rows: pl.DataFrame) -> Counts:
    counted = rows.select(
        sentences=pl.len(),
        **{flag: pl.col(flag).sum() for flag in FLAGS},
        broken=_broken().sum(),
        unseen=pl.col("lost").null_count(),
        incomparable=pl.col("uneven").null_count(),
    )
    return Counts(**counted.row(0, named=True))
