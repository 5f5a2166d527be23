"""What is asked: first names that one race bears most, in the place of one another."""

from __future__ import annotations

from evenhand.corpora.text.articles import article_edits
from evenhand.corpora.text.names import NOT, SURELY, Names
from evenhand.corpora.text.tokens import Text, in_case_of
from evenhand.corpora.text.versions import CHANGED, NOBODY, SKIPPED, UNCHANGED, UNSURE, Analysis, Edit, edited


class RaceRules:
    """Finds first names that tell of a race in English text; the gender of each stays."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.groups = names.pool.races

    def analysis(self, content: str) -> Analysis:
        """The text with names of each other race, or why not."""
        text = Text(content)
        found: list[tuple[int, int, str, str]] = []
        place = 0
        while place < len(text):
            if length := self.names.brands.length(text, place):
                place += length
                continue
            if length := self.names.figures.length(text, place):
                return Analysis(
                    None, SKIPPED, f"{' '.join(text.word(place + k) for k in range(length))} is known by name"
                )
            spanned = self.names.span(text, place)
            if spanned is None:
                place += 1
                continue
            words, one = spanned
            if self.names.evidence(text, place, words, one) == SURELY and one.race and one.gender:
                if self.names.doubled(text, place, one):
                    return Analysis(
                        one.race, UNSURE, f"{text.word(place)} {text.word(place + 1)} may be one name or two"
                    )
                start, end = text.tokens[place].start, text.tokens[place + words - 1].end
                found.append((start, end, one.race, one.gender))
            place += words
        if not found:
            return Analysis(None, UNCHANGED, NOBODY)
        if len({one[2] for one in found}) > 1:
            return Analysis(found[0][2], SKIPPED, "people of several groups are mentioned", mixed=True)
        own = found[0][2]
        texts = {
            group: made
            for group in self.groups
            if group != own and (made := self._version(text, found, group)) is not None
        }
        return Analysis(own, CHANGED, "", texts)

    def _version(self, text: Text, found: list[tuple[int, int, str, str]], group: str) -> str | None:
        taken, chosen, edits = {one.lower for one in text.tokens}, dict[str, str](), list[Edit]()
        for start, end, _, gender in found:
            written = text.text[start:end]
            other = chosen.get(written.lower()) or self.names.counterpart(written, gender, group, taken)
            if other is None:
                return None
            chosen[written.lower()] = other
            taken.add(other.lower())
            said = other.lower() if written.islower() else in_case_of(other, written, shouted=text.shouted)
            edits.append(Edit(start, end, said))
        return edited(text.text, [*edits, *article_edits(text, edits)])


__all__ = ["NOT", "RaceRules"]
