"""What is asked: one door to the versions of a text, whichever attribute they differ in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol, get_args

from evenhand.corpora.lexicon import Lexicon, lexicon, lexicon_names
from evenhand.corpora.text.advice import NO_ADVICE, Advice
from evenhand.corpora.text.age import AgeRules
from evenhand.corpora.text.data import word_list
from evenhand.corpora.text.gender import GenderRules
from evenhand.corpora.text.gender_words import MEN, WOMEN
from evenhand.corpora.text.identity import IdentityRules
from evenhand.corpora.text.names import names_of
from evenhand.corpora.text.neutral import NEUTRAL
from evenhand.corpora.text.race import RaceRules
from evenhand.corpora.text.versions import CHANGED, SKIPPED, UNCHANGED, Analysis, Version
from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml, validated

Couples = Literal["keep", "skip"]
"""What becomes of texts about people of both genders: everybody swaps, so that couples stay as they are, or nobody."""
LONGEST = 20_000
"""A text with more characters is a document and not a sentence, and is left alone."""
FOREIGN = word_list("foreign")
ENGLISH = word_list("english")


class Rules(Protocol):
    """Finds people of an attribute's groups in a text."""

    def analysis(self, content: str) -> Analysis:
        """What was found, and the text about other groups."""
        ...


class Perturber:
    """Makes the versions of a text that differ in one attribute of the people in it.

    >>> [version.text for _, version in Perturber("gender").versions("Her boss fired her.")]
    ['Her boss fired her.', 'His boss fired him.']
    """

    def __init__(
        self,
        attribute: str,
        *,
        to: Sequence[str] | None = None,
        lexicon_file: Path | None = None,
        couples: Couples = "keep",
        advice: Advice = NO_ADVICE,
    ) -> None:
        if couples not in get_args(Couples):
            raise UsageError(f"couples {couples!r}: say {' or '.join(get_args(Couples))}")
        self.attribute, self.couples, self.advice = attribute, couples, advice
        self.rules, self.known = _rules(attribute, lexicon_file, neutral=NEUTRAL in (to or ()), advice=advice)
        for group in to or ():
            if group not in self.known:
                raise UsageError(f"{attribute} has no group {group!r}{did_you_mean(group, self.known)}")
        if to is not None and len(set(to)) < 2:
            raise UsageError(f"name two groups at least, of {', '.join(self.known)}")
        usual = tuple(one for one in self.known if one != NEUTRAL or lexicon_file is not None)
        self.groups = tuple(dict.fromkeys(to)) if to else usual

    def analysis(self, text: str) -> Analysis:
        """What is found in a text, whichever groups are asked for."""
        if len(text) > LONGEST:
            return Analysis(None, SKIPPED, f"it has more than {LONGEST:,} characters")
        found = self.rules.analysis(text)
        if found.mixed and found.status == CHANGED and self.couples == "skip":
            return Analysis(found.group, SKIPPED, "people of both genders are mentioned", mixed=True)
        if found.group is None and found.status == UNCHANGED and _foreign(text):
            return Analysis(None, SKIPPED, "it does not read as English")
        return found

    def versions(self, text: str) -> list[tuple[str, Version]]:
        """The text about each group that is asked for."""
        found = self.analysis(text)
        return [(group, found.version(text, group)) for group in self.groups]


def attributes() -> list[str]:
    """The attributes for which there are rules or a lexicon with identity terms."""
    return sorted(
        {
            "gender",
            "race",
            *(one for one in lexicon_names() if one in lexicon(one).attributes),
        }
    )


def _rules(
    attribute: str, lexicon_file: Path | None, *, neutral: bool, advice: Advice
) -> tuple[Rules, tuple[str, ...]]:
    if lexicon_file is not None:
        own = _read_lexicon(lexicon_file)
        if attribute not in own.attributes:
            raise UsageError(
                f"{lexicon_file} has no attribute {attribute!r}{did_you_mean(attribute, list(own.attributes))}"
            )
        rules = IdentityRules(own, attribute)
        return rules, rules.groups
    if attribute == "gender":
        return GenderRules(names_of(), neutral=neutral, advice=advice), (WOMEN, MEN, NEUTRAL)
    if attribute == "race":
        of_names = RaceRules(names_of())
        return of_names, of_names.groups
    if attribute == "age":
        return AgeRules(), AgeRules.groups
    if attribute not in attributes():
        raise UsageError(
            f"no rules and no lexicon for the attribute {attribute!r}{did_you_mean(attribute, attributes())}"
        )
    rules = IdentityRules(lexicon(attribute), attribute)
    return rules, rules.groups


def _read_lexicon(path: Path) -> Lexicon:
    return validated(Lexicon, read_yaml(path), path, shape="a lexicon")


def _foreign(text: str) -> bool:
    words = text.lower().split()[:60]
    return sum(one in FOREIGN for one in words) >= 2 and not any(one in ENGLISH for one in words)
