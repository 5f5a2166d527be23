"""Who stands in each sentence that is repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.corpora import Corpus
from evenhand.corpora.once import once

Labels = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Rows:
    """The sentences that scores belong to: text, person, and group by attribute; None where there is none.

    `paired` tells persons that correspond one to one (this woman, this man) from those that do not (names). `sources`
    and `slots` are known for sentences of a corpus only.
    """

    texts: Labels
    persons: Labels
    groups: Mapping[str, Labels]
    paired: npt.NDArray[np.bool_]
    sources: Labels | None = None
    slots: Mapping[str, Labels] | None = None
    terms: Labels | None = None
    """The words that name the person, as they stand in the text or nearly so."""

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def named(self) -> npt.NDArray[np.bool_]:
        """Where somebody is named who has a group."""
        there = np.zeros(len(self), dtype=bool)
        for labels in self.groups.values():
            there |= np.array([label is not None for label in labels], dtype=bool)
        return there

    @classmethod
    def of(cls, corpus: Corpus) -> Rows:
        """The sentences of a corpus; those of one corpus are read once, whoever asks."""
        return once(corpus, "rows", lambda: _read(corpus))


def _read(corpus: Corpus) -> Rows:
    frame = corpus.frame
    paired = frame["pair"].is_not_null().to_numpy() if "pair" in frame.columns else np.zeros(len(frame), dtype=bool)
    return Rows(
        texts=labels_of(frame["text"].to_list()),
        persons=labels_of(frame["person"].to_list()),
        groups={attribute: labels_of(frame[attribute].to_list()) for attribute in corpus.attributes},
        paired=paired,
        sources=labels_of(frame["source"].to_list()),
        slots={slot: labels_of(frame[slot].to_list()) for slot in corpus.slots},
        terms=labels_of(frame["term"].to_list()) if "term" in frame.columns else None,
    )


def labels_of(values: Sequence[object]) -> Labels:
    """Values as an array of objects."""
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    labels.flags.writeable = False
    return labels
