"""Who stands in each sentence that is repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.corpora import Corpus

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
        """The sentences of a corpus."""
        frame = corpus.frame
        paired = frame["pair"].is_not_null().to_numpy() if "pair" in frame.columns else np.zeros(len(frame), dtype=bool)
        return cls(
            texts=_labels(frame["text"].to_list()),
            persons=_labels(frame["person"].to_list()),
            groups={attribute: _labels(frame[attribute].to_list()) for attribute in corpus.attributes},
            paired=paired,
            sources=_labels(frame["source"].to_list()),
            slots={slot: _labels(frame[slot].to_list()) for slot in corpus.slots},
        )


def _labels(values: Sequence[object]) -> Labels:
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels
