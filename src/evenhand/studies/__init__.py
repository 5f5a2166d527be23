"""Studies of many systems: submissions to a shared task → tables, ranks and findings, all of them at once."""

from evenhand.studies.entries import Problem, find_entries
from evenhand.studies.gold import read_gold
from evenhand.studies.reading import Reader
from evenhand.studies.study import Examined, Study, examine
from evenhand.studies.tables import Table

__all__ = ["Examined", "Problem", "Reader", "Study", "Table", "examine", "find_entries", "read_gold"]
