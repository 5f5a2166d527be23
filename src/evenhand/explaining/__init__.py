"""Where a gap comes from: words whose swap moves a score, words and training texts that carry a gap; `Explanation`."""

from evenhand.explaining.result import Explanation, GroupEffect, Question, Swap, TextInfluence, WordShare
from evenhand.explaining.training import Taught

__all__ = ["Explanation", "GroupEffect", "Question", "Swap", "Taught", "TextInfluence", "WordShare"]
