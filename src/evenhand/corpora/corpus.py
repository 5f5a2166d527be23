"""What is asked: an immutable table of sentences that knows its groups, its design and where it comes from."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl

from evenhand.corpora.labels import Labels, names_of
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.plain import rebuild
from evenhand.files.saved import check_columns, read_saved
from evenhand.files.whole import write_whole
from evenhand.settings import check_count, check_seed

REQUIRED = ("id", "text", "source", "person")
METADATA = "evenhand-corpus"
ROWS_AT_A_TIME = 50_000
SEPARATOR, MISSING = "\x1e", "\x00"
"""In digests, what stands between values, and for those that are missing."""
CORE = (
    "id",
    "text",
    "source",
    "person",
    "term",
    "kind",
    "pair",
    "family",
    "nth",
    "role",
    "use",
    "ambiguous",
    "others",
    "label",
)
TAGGED = ("tokens", "tags", "slot_span")
"""What a corpus for taggers has besides, as lists."""

Condition = str | bool | list[str] | None
"""What a subset asks of a column: this value, one of these, any value (true), or none (null)."""


@dataclass(frozen=True)
class About:
    """Where a corpus comes from and what it can say, for people."""

    title: str = ""
    chosen: str = ""
    source: str = ""
    licence: str = ""
    limits: tuple[str, ...] = ()
    selection: Mapping[str, str] = field(default_factory=dict)
    """How each part was chosen, as its authors say: sentences, names, words."""

    def to_dict(self) -> dict[str, object]:
        """Plain values; the selection only where something is known of it."""
        values = asdict(self)
        return values if self.selection else {name: value for name, value in values.items() if name != "selection"}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences that differ only in the person, in sets called sources.

    `frame` has the columns `id, text, source, person, term, kind, pair, role`, one column per attribute (null where it
    does not apply) and one per slot; for identity terms also `use` (preferred, acceptable, contested) and `ambiguous`
    (what else the word means); `others`, the pronouns of other persons in the sentence, where there are some;
    `family`, the same for persons who may be treated as one, where that is known; `nth`, the place of a drawn name in
    its cell; `label` where the right answer is known; for taggers, as lists, `tokens`, their BILOU `tags` and the
    person's tokens as `slot_span`, [start, end). `attributes` lists each attribute's groups; differences are first
    minus second.
    `groupings` are the columns, besides the person, that were sampled from a larger world (templates, words).
    `labels` say what groups are called where people read of them; a group without one goes by its code name.
    """

    frame: pl.DataFrame
    name: str
    attributes: Mapping[str, tuple[str, ...]]
    groupings: tuple[str, ...] = ()
    subsets: Mapping[str, Mapping[str, Condition]] = field(default_factory=dict)
    version: str = "1"
    about: About = About()
    drawn_from: str | None = None
    """The digest of the whole corpus that this is a part of."""
    labels: Labels = field(default_factory=dict)
    whole: Mapping[str, tuple[str, ...]] | None = None
    """The attributes of the corpus that this is a part of: what it asks for, whatever part of it is asked."""
    language: str | None = None
    """The code of its language, where its name does not tell which corpus of Evenhand it is."""

    def __post_init__(self) -> None:
        missing = [column for column in REQUIRED if column not in self.frame.columns]
        if missing:
            raise EvenhandError(f"corpus {self.name!r} has no column {', '.join(map(repr, missing))}")
        doubled = self.frame["id"].is_duplicated()
        if doubled.any():
            raise EvenhandError(f"corpus {self.name!r} repeats the id {self.frame['id'].filter(doubled)[0]!r}")
        for attribute, groups in self.attributes.items():
            present = set(self.frame[attribute].unique())
            empty = [group for group in groups if group not in present]
            if empty:
                raise EvenhandError(f"corpus {self.name!r}: no sentence has {attribute} = {empty[0]!r}")

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {len(self):,} sentences, {', '.join(self.attributes)}>"

    def to_bytes(self) -> bytes:
        """A Parquet file that holds the design and the provenance too."""
        design = {
            "name": self.name,
            "version": self.version,
            "attributes": {name: list(groups) for name, groups in self.attributes.items()},
            "groupings": list(self.groupings),
            "subsets": {name: dict(conditions) for name, conditions in self.subsets.items()},
            "about": self.about.to_dict(),
            "drawn_from": self.drawn_from,
            "labels": {attribute: dict(labels) for attribute, labels in self.labels.items()},
        }
        if self.whole is not None:
            design["whole"] = {name: list(groups) for name, groups in self.whole.items()}
        if self.language is not None:
            design["language"] = self.language
        content = io.BytesIO()
        self.frame.write_parquet(content, metadata={METADATA: json.dumps(design, ensure_ascii=False)})
        return content.getvalue()

    def save(self, path: Path) -> None:
        """Write it to a file."""
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        return read_saved(path, METADATA, cls._of_saved, what="corpora")

    @classmethod
    def _of_saved(cls, frame: pl.DataFrame, design: Mapping[str, Any]) -> Self:
        check_columns(frame, {"id": pl.String, "text": pl.String, "source": pl.String})
        about = rebuild(About, design["about"])
        made = rebuild(cls, {**design, "frame": frame, "about": about})
        for column in [*CORE, *made.attributes]:
            if column in frame.columns and frame[column].dtype not in (pl.String, pl.Int64, pl.Null, pl.Boolean):
                raise ValueError(f"column {column!r} holds {frame[column].dtype}, not texts")
        return made

    @cached_property
    def slots(self) -> list[str]:
        """The columns that are neither core nor attributes: templates, words and the like; also the label, where all
        sentences of a source have the same."""
        others = {*CORE, *self.attributes, *(TAGGED if self.tagged else ())}
        slots = [column for column in self.frame.columns if column not in others]
        return [*slots, *(["label"] if self._label_is_of_source() else [])]

    def _label_is_of_source(self) -> bool:
        if "label" not in self.frame.columns:
            return False
        return self.frame.group_by("source").agg(pl.col("label").n_unique() == 1)["label"].all()

    @property
    def asks(self) -> Mapping[str, tuple[str, ...]]:
        """The attributes and groups that the whole corpus asks about, for a part of it too."""
        return self.attributes if self.whole is None else self.whole

    @property
    def tagged(self) -> bool:
        """Whether its sentences come with tokens and tags."""
        return all(column in self.frame.columns for column in TAGGED)

    @property
    def ambiguous(self) -> dict[str, str]:
        """The persons who are called by a word with another common meaning, and that meaning."""
        if "ambiguous" not in self.frame.columns:
            return {}
        noted = self.frame.select("person", "ambiguous").drop_nulls().unique(maintain_order=True)
        return dict(noted.iter_rows())

    def labels_of(self, attribute: str, *, among: pl.DataFrame | None = None) -> dict[str, str]:
        """What the groups of an attribute are called where people read of them; where all are names, `women's names`.

        `among` are the sentences meant, if not all.

        >>> from evenhand.corpora import eec
        >>> eec().labels_of("gender"), list(eec().labels_of("race").values())
        ({'female': 'women', 'male': 'men'}, ['African American names', 'European American names'])
        """
        labels = dict(self.labels.get(attribute, {}))
        asked = (self.frame if among is None else among).filter(pl.col(attribute).is_not_null())
        if "kind" in asked.columns and set(asked["kind"]) == {"name"}:
            return {group: names_of(label) for group, label in labels.items()}
        return labels

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole table: ids, texts, groups and slots, in order."""
        content = hashlib.sha256(json.dumps([self.frame.columns, sorted(self.attributes.items())]).encode())
        for column in self.frame.columns:
            for number, part in enumerate(self.frame[column].to_frame().iter_slices(ROWS_AT_A_TIME)):
                content.update((SEPARATOR if number else "").encode() + _joined(part.to_series()).encode())
        return content.hexdigest()

    @cached_property
    def sentences_digest(self) -> str:
        """SHA-256 of the sentences alone, sorted bytewise and joined by line feeds: comparable across tools."""
        texts = self.frame["text"].sort()
        content = hashlib.sha256()
        for number, part in enumerate(texts.to_frame().iter_slices(ROWS_AT_A_TIME)):
            content.update(("\n" if number else "").encode() + "\n".join(part.to_series().to_list()).encode())
        return content.hexdigest()

    def mask(self, subset: str = "all") -> pl.Series:
        """Which rows belong to a subset: `all`, a name of this corpus, `COLUMN=VALUE`, or several joined by commas."""
        keep = pl.Series("keep", np.ones(len(self), dtype=bool))
        for part in subset.split(","):
            keep &= self._part_mask(part.strip())
        return keep

    def _part_mask(self, part: str) -> pl.Series:
        if part == "all":
            return pl.Series("keep", np.ones(len(self), dtype=bool))
        if part in self.subsets:
            conditions = [_holds(self.frame[column], value) for column, value in self.subsets[part].items()]
            keep = conditions[0]
            for condition in conditions[1:]:
                keep &= condition
            return keep
        column, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"unknown subset {part!r}{did_you_mean(part, ['all', *self.subsets])} (or COLUMN=VALUE)")
        if column not in self.frame.columns:
            raise UsageError(f"subset {part!r}: no column {column!r}{did_you_mean(column, self.frame.columns)}")
        keep = _holds(self.frame[column], value)
        if not keep.any():
            known = [str(v) for v in self.frame[column].drop_nulls().unique()]
            hint = did_you_mean(value, known) if len(known) <= 50 else ""
            raise UsageError(f"subset {part!r}: no sentence has that value{hint}")
        return keep

    def refuse_unknown(self, attributes: Iterable[str]) -> None:
        """Raise for an attribute that this corpus does not have."""
        for attribute in attributes:
            if attribute not in self.attributes:
                known = did_you_mean(attribute, self.attributes)
                raise UsageError(f"corpus {self.name!r} has no attribute {attribute!r}{known}")

    def narrowed(self, attributes: Sequence[str]) -> Corpus:
        """Only the sources in which somebody has a group of these attributes; itself if those are all sources."""
        known = [attribute for attribute in attributes if attribute in self.attributes]
        if not known:
            return self
        there = self.frame.filter(pl.any_horizontal(pl.col(known).is_not_null()))["source"].unique()
        frame = self.frame.filter(pl.col("source").is_in(there.to_list()))
        if frame.height == self.frame.height:
            return self
        left = {name: groups for name, groups in self.attributes.items() if frame[name].is_not_null().any()}
        return replace(self, frame=frame, attributes=left, drawn_from=self.drawn_from or self.digest, whole=self.asks)

    def without(self, labels: Sequence[str]) -> Corpus:
        """Without these persons, pairs of persons (`she/he`), templates or words; itself where none is named.

        >>> from evenhand.corpora import eec
        >>> len(eec()) - len(eec().without(["Tia", "she/he"]))
        432
        """
        if not labels:
            return self
        columns = [column for column in ("person", "pair", *self.groupings) if column in self.frame.columns]
        gone = pl.Series("gone", np.zeros(len(self), dtype=bool))
        for label in labels:
            found = [held for column in columns if (held := _holds(self.frame[column], label)).any()]
            if not found:
                known = [str(value) for column in columns for value in self.frame[column].drop_nulls().unique()]
                close = get_close_matches(label, known, n=1)
                hint = did_you_mean(label, close) if close else ""
                raise UsageError(f"corpus {self.name!r} has no person, pair or template {label!r} to leave out{hint}")
            gone |= found[0]
        try:
            return replace(self, frame=self.frame.filter(~gone), drawn_from=self.drawn_from or self.digest)
        except EvenhandError as error:
            raise UsageError(f"without {', '.join(labels)} too little is left: {error}") from error

    def sample(self, sentences: int, *, seed: int = 0) -> Corpus:
        """Draw whole sources with all their persons, as many as fit into that number of sentences (at least two)."""
        check_count("a sample, a number of sentences,", sentences, least=1)
        check_seed(seed)
        sizes = dict(self.frame["source"].value_counts().iter_rows())
        sources = self.frame["source"].unique(maintain_order=True).to_list()
        drawn: list[str] = []
        room = sentences
        for place in np.random.default_rng(seed).permutation(len(sources)):
            if sizes[sources[place]] <= room:
                drawn.append(sources[place])
                room -= sizes[sources[place]]
        if len(drawn) < 2:
            smallest = sum(sorted(sizes.values())[:2]) if len(sizes) > 1 else len(self) + 1
            raise UsageError(
                f"a sample of {sentences} sentences holds no two whole sources; ask for at least {smallest}"
            )
        frame = self.frame.filter(pl.col("source").is_in(drawn))
        try:
            return replace(self, frame=frame, drawn_from=self.drawn_from or self.digest)
        except EvenhandError as error:
            raise UsageError(f"a sample of {sentences} sentences is too small: {error}") from error


def _joined(values: pl.Series) -> str:
    """The values as texts, one after the other, with what is missing as a sign of its own."""
    if values.dtype == pl.String:
        return str(values.fill_null(MISSING).str.join(SEPARATOR, ignore_nulls=False).item())
    return SEPARATOR.join(MISSING if value is None else str(value) for value in values.to_list())


def _holds(column: pl.Series, wanted: Condition) -> pl.Series:
    if wanted is None:
        return column.is_null()
    if wanted is True:
        return column.is_not_null()
    values = [str(value) for value in wanted] if isinstance(wanted, list) else [str(wanted)]
    return column.cast(pl.String).is_in(values).fill_null(False)
