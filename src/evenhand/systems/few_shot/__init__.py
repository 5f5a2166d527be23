"""Who answers: language models that are shown a few labelled examples, and read by how probable each label is."""

from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.models import LabelModel
from evenhand.systems.few_shot.reader import LabelReader
from evenhand.systems.few_shot.reading import expected, most_likely
from evenhand.systems.few_shot.task import Task, read_task

__all__ = ["FewShot", "LabelModel", "LabelReader", "Task", "expected", "most_likely", "read_task"]
