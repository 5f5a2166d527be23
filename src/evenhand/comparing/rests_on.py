"""What a gap rests on: leave one person out, and who, where and which word adds how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evenhand.comparing.findings import Part, Pieces, RestsOn, SentencePair, Share
from evenhand.contrasts import Contrast, Floats, Grouping, Ints
from evenhand.corpora import Corpus
from evenhand.stats.confound import adjusted_gap
from evenhand.stats.types import ROUNDING

TOP = 5
ALONE = 0.05
"""A gap of which less than this share is left without one person rests on that person alone."""


class Evidence:
    """Where the gaps of one contrast come from, for all columns of a score matrix."""

    def __init__(self, contrast: Contrast, corpus: Corpus, scores: Floats, *, scale: Floats) -> None:
        self._contrast = contrast
        self._groupings = corpus.groupings
        self._scores = scores
        self._tolerance = ROUNDING * scale
        self._pairs = _SentencePairs(contrast, corpus, scores)
        # Without a source that holds everybody there are only the sentences to show.
        self._crossed = contrast.cells.height > 0
        self._shows_pieces = self._crossed and not contrast.interaction
        columns = [column for column in contrast.cells.columns if column != "source"] if self._crossed else []
        self._gaps = {column: self._gaps_by(contrast.by(column)) for column in columns}
        self._categories = contrast.categories if self._crossed else ()
        self._unit_means = contrast.unit_means(scores) if self._crossed else np.zeros((len(contrast.units), 0))

    def _gaps_by(self, grouping: Grouping) -> tuple[Grouping, Floats]:
        means = (grouping.operator @ self._scores).reshape(len(self._contrast.units), len(grouping.labels), -1)
        return grouping, np.einsum("u,ugk->gk", self._contrast.unit_weights, means)

    def rests_on(self, column: int, *, pieces: Mapping[str, int] | None = None) -> RestsOn:
        """The evidence for one column of the score matrix."""
        person, without, alone = self._leave_one_out(column) if self._crossed else (None, None, False)
        return RestsOn(
            person=person,
            without=without,
            alone=alone,
            persons=self._person_shares(column) if self._crossed else (),
            templates=self._group_shares([name for name in self._groupings if name == "template"], column),
            words=self._group_shares([name for name in self._groupings if name != "template"], column),
            parts=self._parts(column),
            # An interaction compares gaps, and no two sentences show a gap of gaps.
            sentences=()
            if self._contrast.interaction
            else self._pairs.most_different(column, floor=self._tolerance[column]),
            pieces=self._pieces(column, pieces) if pieces and self._shows_pieces else None,
        )

    def _leave_one_out(self, column: int) -> tuple[str | None, float | None, bool]:
        contrast, tolerance = self._contrast, float(self._tolerance[column])
        if len(contrast.lonely) or contrast.torn:
            return None, None, False
        sizes = contrast.stratum_sizes
        means = self._unit_means[:, column]
        stratum_means = np.bincount(contrast.stratum, weights=means) / sizes
        gap = float(contrast.coefficients @ stratum_means)
        change = (contrast.coefficients / np.maximum(sizes - 1, 1))[contrast.stratum]
        change *= stratum_means[contrast.stratum] - means
        for stratum in np.flatnonzero(sizes < 2).tolist():
            change[contrast.stratum == stratum] = _without_group(contrast, stratum, stratum_means)
        most = int(np.argmax(np.abs(change)))
        if abs(change[most]) <= tolerance:
            return None, None, False
        without = gap + float(change[most])
        alone = abs(gap) > tolerance and abs(without) < ALONE * abs(gap)
        return contrast.units[most], 0.0 if abs(without) <= tolerance else without, alone

    def _person_shares(self, column: int) -> tuple[Share, ...]:
        # The coefficients of unpaired strata add up to zero, so shares taken from a common centre sum to the gap; the
        # median leaves the many who are treated alike out of it.
        means, unpaired = self._unit_means[:, column], self._contrast.block >= 0
        centre = np.where(unpaired, np.median(means[unpaired]) if unpaired.any() else 0.0, 0.0)
        return self._top(self._contrast.units, self._contrast.unit_weights * (means - centre), column)

    def _group_shares(self, names: Sequence[str], column: int) -> tuple[Share, ...]:
        found = [self._gaps[name] for name in names if name in self._gaps]
        labels = [label for grouping, _ in found for label in grouping.labels]
        shares = [grouping.weights * gaps[:, column] for grouping, gaps in found]
        return self._top(labels, np.concatenate(shares) if shares else np.zeros(0), column)

    def _top(self, labels: Sequence[str], shares: Floats, column: int) -> tuple[Share, ...]:
        order = np.argsort(-np.abs(shares), kind="stable")[:TOP]
        return tuple(Share(labels[i], float(shares[i])) for i in order if abs(shares[i]) > self._tolerance[column])

    def _parts(self, column: int) -> tuple[Part, ...]:
        """The gap by every category of the words, such as the emotion; sentences without one are `neutral`."""
        found: list[Part] = []
        for name in self._categories:
            grouping, gaps = self._gaps[name]
            weights, bare = grouping.weights, grouping.unlabelled
            lead = f"{name} " if len(self._categories) > 1 else ""
            found += [
                self._part(f"{lead}{grouping.labels[i]}", gaps[[i]], weights[[i]], column)
                for i in np.flatnonzero(~bare)
            ]
            if bare.any():
                found.append(self._part(f"{lead}neutral", gaps[bare], weights[bare], column))
        return tuple(found)

    def _part(self, label: str, gaps: Floats, weights: Floats, column: int) -> Part:
        gap = float(np.average(gaps[:, column], weights=weights))
        return Part(label, 0.0 if abs(gap) <= self._tolerance[column] else gap, float(weights.sum()))

    def _pieces(self, column: int, pieces: Mapping[str, int]) -> Pieces:
        contrast = self._contrast
        sides = [[[pieces[person] for person in side] for side in unit] for unit in contrast.members]
        # A pair's nuisance is a difference, as its score is.
        nuisance = [np.mean(a) - np.mean(b) if a and b else np.mean(a or b) for a, b in sides]
        gap = adjusted_gap(
            self._unit_means[:, [column]],
            np.array(nuisance, dtype=np.float64),
            stratum=contrast.stratum,
            coefficients=contrast.coefficients,
        )[0]
        first, second = (np.mean([count for unit in sides for count in unit[side]]) for side in (0, 1))
        by_person = {person: pieces[person] for unit in contrast.members for side in unit for person in side}
        return Pieces(float(first), float(second), by_person, None if np.isnan(gap) else float(gap))


def _without_group(contrast: Contrast, stratum: int, means: Floats) -> float:
    """How the gap changes where a rest does without a group, whose only person is left out."""
    assert contrast.in_rest is not None  # noqa: S101
    rest = np.flatnonzero(contrast.in_rest & (contrast.stratum_blocks == contrast.stratum_blocks[stratum]))
    weight = float(contrast.coefficients[rest].sum())
    return weight * float(means[rest[rest != stratum]].mean() - means[rest].mean())


class _SentencePairs:
    """The sentences that differ most, among those of each published comparison."""

    def __init__(self, contrast: Contrast, corpus: Corpus, scores: Floats) -> None:
        self._frame = corpus.frame
        self._scores = scores
        self._person = corpus.frame["person"].rank("dense").to_numpy()
        entries = contrast.matrix.tocoo()
        row, sentence = entries.coords
        # Persons are paired within their stratum: two that differ in another attribute too would show its gap as well.
        block = np.full(contrast.shape[1], -1, dtype=np.int64)
        unit, _, where, _ = contrast.entries
        block[where] = contrast.block[unit]
        key = row.astype(np.int64) * (int(contrast.block.max(initial=0)) + 2) + block[sentence] + 1
        first, second = entries.data > 0, entries.data < 0
        both = np.intersect1d(key[first], key[second])
        # The sentences of each comparison's first side lie together, and so do those of its second.
        self._first, self._second = (
            _together(key, sentence.astype(np.int64), side & np.isin(key, both)) for side in (first, second)
        )

    def most_different(self, column: int, *, floor: float) -> tuple[SentencePair, ...]:
        """The pairs with the largest differences above `floor`, each about persons whom none before it is about.

        One person to whom a system reacts would fill the list, and hide everybody else.
        """
        found: list[SentencePair] = []
        shown = np.zeros(len(self._frame), dtype=bool)
        while len(found) < TOP and (most := self._most_different(column, shown)) is not None and most[0] > floor:
            _, first, second = most
            found.append(self._pair(first, second, column))
            shown |= np.isin(self._person, self._person[[first, second]])
        return tuple(found)

    def _most_different(self, column: int, shown: npt.NDArray[np.bool_]) -> tuple[float, int, int] | None:
        """The largest difference without those that are shown already, and its sentences."""
        (first_rows, first_starts), (second_rows, second_starts) = self._first, self._second
        if not len(first_starts):
            return None
        first, second = self._scores[first_rows, column], self._scores[second_rows, column]
        highest, lowest = (np.where(shown[first_rows], end, first) for end in (-np.inf, np.inf))
        top, bottom = (np.where(shown[second_rows], end, second) for end in (-np.inf, np.inf))
        up = np.maximum.reduceat(highest, first_starts) - np.minimum.reduceat(bottom, second_starts)
        down = np.maximum.reduceat(top, second_starts) - np.minimum.reduceat(lowest, first_starts)
        row = int(np.argmax(np.maximum(up, down)))
        above, below = ((highest, bottom), (lowest, top))[int(up[row] < down[row])]
        one, other = _segment(above, first_starts, row), _segment(below, second_starts, row)
        i, j = (one.argmax(), other.argmin()) if up[row] >= down[row] else (one.argmin(), other.argmax())
        size = float(max(up[row], down[row]))
        return size, int(first_rows[first_starts[row] + i]), int(second_rows[second_starts[row] + j])

    def _pair(self, first: int, second: int, column: int) -> SentencePair:
        texts, scores = self._frame["text"], self._scores[:, column]
        return SentencePair(
            source=self._frame["source"][first],
            first_text=texts[first],
            second_text=texts[second],
            first_score=float(scores[first]),
            second_score=float(scores[second]),
            difference=float(scores[first] - scores[second]),
        )


def _together(key: Ints, sentence: Ints, chosen: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """The chosen sentences sorted by key, and where each key begins."""
    order = np.argsort(key[chosen], kind="stable")
    _, starts = np.unique(key[chosen][order], return_index=True)
    return sentence[chosen][order], starts


def _segment(values: Floats, starts: Ints, number: int) -> Floats:
    end = starts[number + 1] if number + 1 < len(starts) else len(values)
    return values[starts[number] : end]
