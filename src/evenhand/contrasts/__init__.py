"""Corpus → comparisons: a declared contrast becomes sparse matrices, and `contrast.matrix @ scores` every difference.

A contrast answers two questions, so it carries two views of the same sentences:

* `matrix`, one row per comparison as published: within one source, each pair of corresponding noun phrases, and the
  average over names of the first group against the average over names of the second. No row crosses a source.
* `units`, the persons (or pairs of persons) as a sample: each belongs to a stratum with a coefficient, and the
  contrast's estimate is Σ coefficient · mean of the stratum's units.

A contrast depends on its corpus and question alone, and is made once for both.
"""

from evenhand.contrasts.contrast import Contrast, Floats, Grouping, Ints
from evenhand.contrasts.declare import (
    REST,
    against_rest,
    comparisons_asked,
    contrast,
    contrasts,
    general_comparisons,
    general_contrast,
    general_contrasts,
    groups_of,
    interaction,
    on_demand,
    sides_asked,
)
from evenhand.contrasts.kinds import EVERYBODY, PAIRED, UNPAIRED, joined, kinds_of
from evenhand.contrasts.labels import group_label, side_labels
from evenhand.contrasts.levels import level
from evenhand.contrasts.parts import OverCells, Parts
from evenhand.settings import CROSS

__all__ = [
    "CROSS",
    "EVERYBODY",
    "PAIRED",
    "REST",
    "UNPAIRED",
    "Contrast",
    "Floats",
    "Grouping",
    "Ints",
    "OverCells",
    "Parts",
    "against_rest",
    "comparisons_asked",
    "contrast",
    "contrasts",
    "general_comparisons",
    "general_contrast",
    "general_contrasts",
    "group_label",
    "groups_of",
    "interaction",
    "joined",
    "kinds_of",
    "level",
    "on_demand",
    "side_labels",
    "sides_asked",
]
