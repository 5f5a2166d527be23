"""One contrast, tested for all columns of a score matrix at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from evenhand.asking import Scores
from evenhand.comparing.general import general_gap, general_p, scale_of
from evenhand.comparing.settings import Settings
from evenhand.contrasts import Contrast, Floats
from evenhand.corpora import Corpus
from evenhand.stats import ROUNDING, Components, PairedTest, paired_test, permutation_p, side_by_side

BLOCK = 64
"""How many columns are tested at a time."""


class Tested:
    """Both answers to "is it significant?", one number per column; NaN where undefined."""

    def __init__(self, contrast: Contrast, corpus: Corpus, scores: Scores, settings: Settings) -> None:
        self.contrast = contrast
        self.corpus = corpus
        self.scores = scores
        self.settings = settings
        self.span = np.array([column.output.span for column in scores.columns])
        self.scale = scale_of(scores.matrix, self.span)
        self._undefined = np.full(len(scores.columns), np.nan)

    @cached_property
    def published(self) -> PairedTest:
        """The published test over all differences."""
        level = 1 - self.settings.alpha
        return side_by_side(
            [
                paired_test(self.contrast.matrix @ self.scores.matrix[:, block], scale=self.scale[block], level=level)
                for block in self.blocks()
            ]
        )

    @cached_property
    def components(self) -> Components | None:
        """The generalising test; None where the design cannot support it."""
        if self.contrast.not_general:
            return None
        return side_by_side(
            [
                general_gap(self.contrast, self.scores.matrix[:, block], scale=self.scale[block])
                for block in self.blocks()
            ]
        )

    def blocks(self) -> list[slice]:
        """Columns do not know of each other; some at a time need no memory to speak of."""
        return [slice(start, start + BLOCK) for start in range(0, len(self.scores.columns), BLOCK)]

    @cached_property
    def general_p(self) -> Floats:
        """The generalising test's p."""
        return self._undefined if self.components is None else general_p(self.components, self.contrast)

    @cached_property
    def permutation_p(self) -> Floats:
        """The permutation test's p; undefined for interactions, which have no exact permutation."""
        if self.components is None or self.contrast.interaction:
            return self._undefined
        return permutation_p(
            self.components.unit_means,
            self.contrast.unit_weights,
            block=self.contrast.block,
            scale=self.scale,
            rng=np.random.default_rng(self.settings.seed),
            draws=self.settings.permutations,
        )

    @cached_property
    def effect_size(self) -> Floats:
        """The gap in standard deviations of the system's own cell means; NaN where those do not vary."""
        rows = np.flatnonzero(self.corpus.mask(self.contrast.subset).to_numpy())
        source = self.corpus.frame["source"][rows].rank("dense").to_numpy().astype(np.int64) - 1
        shares = 1 / np.bincount(source)[source]
        # A product with a sparse matrix makes no copy of the scores.
        average = sparse.csr_array((shares, (source, rows)), shape=(source.max() + 1, len(self.corpus)))
        means = average @ self.scores.matrix
        spread = means.std(axis=0, ddof=1) if len(means) > 1 else np.zeros(len(self.scores.columns))
        effects: Floats = np.divide(
            self.published.mean, spread, out=self._undefined.copy(), where=spread > ROUNDING * self.scale
        )
        return effects
