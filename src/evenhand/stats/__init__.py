"""Arrays in, numbers out: tests, corrections, intervals, effect sizes and power. Knows no text."""

from evenhand.stats.components import Components, GroupedMeans, two_sided_p, variance_components
from evenhand.stats.correlation import pearson, spearman
from evenhand.stats.looks import Look, hopeless, look, out_of_reach
from evenhand.stats.multiplicity import CORRECTIONS, kept_threshold, raw_threshold
from evenhand.stats.paired import PairedTest, paired_test
from evenhand.stats.permutation import permutation_p
from evenhand.stats.power import persons_to_settle, smallest_visible_gap
from evenhand.stats.spending import anytime_radius, spent_levels
from evenhand.stats.types import ROUNDING, side_by_side

__all__ = [
    "CORRECTIONS",
    "ROUNDING",
    "Components",
    "GroupedMeans",
    "Look",
    "PairedTest",
    "anytime_radius",
    "hopeless",
    "kept_threshold",
    "look",
    "out_of_reach",
    "paired_test",
    "pearson",
    "permutation_p",
    "persons_to_settle",
    "raw_threshold",
    "side_by_side",
    "smallest_visible_gap",
    "spearman",
    "spent_levels",
    "two_sided_p",
    "variance_components",
]
