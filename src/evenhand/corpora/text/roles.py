"""What is asked: which form of the other pronoun stands for `her`, `his`, `him` and `hers` where they stand."""

from __future__ import annotations

from functools import cache

from evenhand.corpora.text.data import text_data, word_list
from evenhand.corpora.text.tokens import OPENING, Text

PLAIN = {
    "she": "he", "he": "she", "him": "her", "hers": "his", "herself": "himself", "himself": "herself",
    "shes": "hes", "hes": "shes",
}  # fmt: skip
PRONOUNS = frozenset([*PLAIN, "her", "his"])
FEMALE = frozenset(["she", "her", "hers", "herself", "shes"])


class Unclear(Exception):
    """Says which word could be read in two ways."""


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(str(one) for one in text_data("roles")[name])


def other_pronoun(text: Text, place: int) -> str:
    """The pronoun of the other gender in the same role; `Unclear` where the role cannot be told.

    >>> [other_pronoun(Text(one), 1) for one in ("saw her", "lost her keys", "lost his keys", "is his.")]
    ['him', 'his', 'her', 'hers']
    """
    word = text.lower(place)
    if word == "her":
        return "his" if _owns(text, place) else "him"
    if word == "his":
        return "hers" if _stands_alone(text, place) else "her"
    return PLAIN[word]


def _ends_here(text: Text, place: int) -> bool:
    """Whether something else than a space parts a word from the next: a quotation may open, and nothing else."""
    gap = text.gap(place)
    if place + 1 >= len(text) or not gap:
        return True
    rest = gap.strip(" \t")
    if "\n" in gap:
        return bool(rest.strip("\n")) or "\n\n" in gap
    return bool(rest) and not (gap[0].isspace() and set(rest) <= OPENING and gap.rstrip(" \t") == gap)


def _stands_alone(text: Text, place: int) -> bool:
    if _ends_here(text, place):
        return True
    following = text.lower(place + 1)
    if following not in _words("after_alone"):
        return False
    if following in _words("alone_if_last"):
        after = text.lower(place + 2)
        return (
            _ends_here(text, place + 1)
            or after in _words("after_object") - {"own"}
            or (
                following == "will"
                and after
                in (
                    "be",
                    "have",
                )
            )
        )
    return True


def _owns(text: Text, place: int) -> bool:
    """Whether `her` is possessive; else it is an object."""
    if _ends_here(text, place):
        return False
    before, following, after = text.lower(place - 1), text.lower(place + 1), text.lower(place + 2)
    last = _ends_here(text, place + 1)
    linked = last or after in _words("after_object")
    if before in ("call", "called", "name", "named", "christened", "nicknamed") and text.capital(place + 1):
        return False
    if (following == "well" and linked) or (last and following in ("first", "most", "best")):
        return False
    if following in ("last", "next") and after in _words("times"):
        return text.starts_sentence(place)
    if before in _words("elects") and following in _words("offices") and linked:
        return False
    if before == "and" and following in _words("after_subject"):
        return False
    if following == "home":
        return before not in _words("moves")
    if before in _words("tells") and text.capital(place + 1) and after in _words("after_alone"):
        return False
    if following == "very":
        return before not in _words("makes") and after not in ("much", "well", "often", "little")
    if following == "only" and linked:
        return False
    if following.endswith("ed") and before in _words("after_object") and after in _words("objects"):
        return False
    if following in _words("after_object"):
        return following in _words("possible_possessive") and not linked
    if following in _words("bare_verbs") and before in _words("lets"):
        return _owns_verb(before, following, linked=linked)
    if following.endswith("ing") and before in _words("lets") | _words("makes") | {
        "caught",
        "remember",
        "remembers",
        "stopped",
        "stop",
    }:
        return not linked and following not in ("walking", "talking", "going", "leaving", "coming", "sitting")
    if following.endswith("ly") and following not in _words("not_adverbs"):
        return not linked and _noun_like(after)
    if following in _words("adjectives") and linked and before in _words("makes"):
        return False
    if before in _words("gives"):
        return _owned_gift(text, place, linked=linked)
    if following in _words("numbers") or following.isdigit():
        return not (last and following == "one")
    if following == "back" and linked:
        return before in _BODY
    return True


_BODY = word_list("body")


def _noun_like(word: str) -> bool:
    return bool(word) and word not in _words("after_object")


def _owns_verb(before: str, following: str, *, linked: bool) -> bool:
    if before in _words("strong_lets") or following not in _words("may_be_nouns"):
        return False
    if linked:
        raise Unclear(f"“her {following}” may be a noun or a verb")
    return False


def _owned_gift(text: Text, place: int, *, linked: bool) -> bool:
    """After a verb of giving: `gave her chocolate`, and yet `gave her name`."""
    following, after = text.lower(place + 1), text.lower(place + 2)
    if following in _words("numbers") or following.isdigit():
        return after not in _words("measures") | {"thousand", "million", "hundred"} and not linked
    if following == "back":
        return False
    if following not in _words("things") or (following == "money" and after == "back"):
        return True
    if following in ("first", "best", "new", "little", "few", "last", "great", "good", "way", "time", "leave", "bad"):
        return following not in ("little", "few", "good", "great") if linked else True
    return False
