"""What is asked: which form of the other pronoun stands for `her`, `his`, `him` and `hers` where they stand."""

from __future__ import annotations

from functools import cache

from evenhand.corpora.text.data import text_data, word_list
from evenhand.corpora.text.people import is_person
from evenhand.corpora.text.tokens import OPENING, Text

PLAIN = {
    "she": "he", "he": "she", "him": "her", "hers": "his", "herself": "himself", "himself": "herself",
    "shes": "hes", "hes": "shes",
}  # fmt: skip
PRONOUNS = frozenset([*PLAIN, "her", "his"])
FEMALE = frozenset(["she", "her", "hers", "herself", "shes"])


EMPHASIS = {"*": "*", "_": "_", "~": "~", '"': '"', "”": "“", "’": "‘", "'": "'"}

FIXED = {
    *((one, "names") for one in ("call", "calls", "called", "calling")),
    *((one, other) for one in ("do", "does", "did") for other in ("credit", "justice", "good", "proud", "harm")),
    *((one, "right") for one in ("serve", "serves", "served")),
    *(
        (one, other)
        for one in ("wish", "wishes", "wished", "wishing")
        for other in ("good", "well", "luck", "happy", "all", "merry", "every")
    ),
    *((one, other) for one in ("bid", "bade", "wave", "waved", "kissed") for other in ("farewell", "goodbye")),
    *((one, "off") for one in ("caught", "catch", "threw", "turned", "cut", "dropped", "picked", "put", "see")),
    ("told", "id"), ("tell", "id"), ("promised", "id"),
    ("voted", "best"), ("beat", "fair"), ("cost", "dearly"), ("cost", "dear"), ("convinced", "otherwise"),
}  # fmt: skip
"""A verb and what follows `her` where she is its object."""
ARTICLES = ("a", "an", "the", "some", "another", "no")
ADJECTIVAL = ("able", "ible", "ous", "ful", "less", "ish", "some", "ic", "ive")


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


def _clause_follows(text: Text, first: int) -> bool:
    """Whether a finite verb comes soon behind a noun: `told her test results were normal`."""
    for place in range(first + 1, min(first + 4, len(text))):
        if not text.joined(place - 1) or text.lower(place) in ("that", "to", "about", "who", "which", "and"):
            return False
        if text.lower(place) in ("was", "were", "is", "are", "had", "would", "will", "could"):
            return True
    return False


def _ends_here(text: Text, place: int) -> bool:
    """Whether something else than a space parts a word from the next: a quotation may open, and nothing else."""
    gap = _unmarked(text, place)
    if place + 1 >= len(text) or not gap:
        return True
    rest = gap.strip(" \t")
    if "\n" in gap:
        return bool(rest.strip("\n")) or "\n\n" in gap
    return bool(rest) and not (gap[0].isspace() and set(rest) <= OPENING and gap.rstrip(" \t") == gap)


def _unmarked(text: Text, place: int) -> str:
    """What stands behind a word, without the marks that only set the word off: `*his* car`, `“her” idea`."""
    gap = text.gap(place)
    before = text.gap(place - 1) if place else text.text[: text.tokens[0].start]
    if gap[:1] and gap[:1] in EMPHASIS and before.endswith(EMPHASIS[gap[0]]):
        return gap.lstrip(gap[0])
    return gap


def _compound(text: Text, place: int) -> bool:
    """Whether a word is the first of a compound or a possessor: `her i-pod`, `his yesterday's visit`."""
    gap = text.gap(place)
    if gap == "-" and place + 1 < len(text):
        return True
    return gap in ("'", "’") and text.lower(place + 1) == "s" and text.lower(place) not in _words("before_is")


def _stands_alone(text: Text, place: int) -> bool:
    if _ends_here(text, place):
        return True
    before, following, after = text.lower(place - 1), text.lower(place + 1), text.lower(place + 2)
    if following not in _words("after_alone") or _compound(text, place + 1):
        if before == "of" and text.lower(place - 3) in ("that", "this") and following.endswith("s"):
            raise Unclear("“of his” may be of what is his")
        return False
    if following in ("a", "i", "u") and text.capital(place + 1) and not text.shouted and following != "i":
        return False
    if following == "will":
        return after in _words("after_will") and before not in _words("before_will")
    if before == "of" and following in _words("plurals"):
        if text.lower(place - 2) not in _words("parts"):
            raise Unclear(f"“his {following}” can be read in two ways")
        return False
    if following in _words("plurals") | {"cost"} and after in ("were", "are", "have", "include", "included", "of"):
        return False
    if following == "while" and before == "worth":
        return False
    if following in ("and", "or") and before != "of" and _owned_with_others(text, place + 2):
        raise Unclear("“his” may go with what others own")
    if following in _words("alone_if_last"):
        if following in _words("plurals") | {"cost"} and after in ("and", "or"):
            return text.lower(place + 3) in _words("subjects")
        if following == "not" and after in _words("subjects"):
            return True
        return _ends_here(text, place + 1) or _follows_alone(following, after)
    return True


def _follows_alone(following: str, after: str) -> bool:
    known = _words("after_object") - {"own"}
    return after in known or (after in _words("after_verb") and following not in ("once", "always", "never", "still"))


def _owned_with_others(text: Text, place: int) -> bool:
    """Whether what others own follows: `his and my friends`, `his and Ann's house`."""
    if text.lower(place) in ("my", "your", "our", "their"):
        return True
    return any(
        text.gap(k) in ("'", "’") and text.lower(k + 1) == "s" and text.joined(k + 1)
        for k in range(place, min(place + 3, len(text)))
    ) and all(text.joined(k) for k in range(place - 2, place))


def _owns(text: Text, place: int) -> bool:
    """Whether `her` is possessive; else it is an object."""
    if _ends_here(text, place):
        return False
    before, following, after = text.lower(place - 1), text.lower(place + 1), text.lower(place + 2)
    if _compound(text, place + 1):
        return not (before in _words("gives") and (following in _words("numbers") or following.isdigit()))
    last = _ends_here(text, place + 1)
    linked = last or after in _words("after_object")
    if text.starts_sentence(place) and following not in _words("after_object"):
        return True
    if (told := _fixed(text, place, linked=linked, last=last)) is not None:
        return told
    if before in _words("tells") and text.capital(place + 1) and after in _words("after_alone"):
        return False
    noun = following not in _words("after_object") and following not in _words("possible_possessive")
    if before in _words("tells") and noun and not linked and _clause_follows(text, place + 1):
        raise Unclear(f"“her {following}” may be the subject of what is told")
    if following == "very":
        return before not in _words("makes") and after not in ("much", "well", "often", "little")
    if following in _words("degrees") and before in _words("makes") | _words("gives") | _words("lets"):
        return False
    if following == "only" and linked:
        return False
    told = after in _words("objects") or text.lower(place - 2) in _words("things_about")
    if following.endswith("ed") and before in _words("after_object") and told:
        return False
    if following in _words("told_of") and before in _words("after_object"):
        return False
    if following in _words("after_object"):
        return following in _words("possible_possessive") and not linked
    if linked and before in _words("strong_lets") and following in _words("sworn"):
        return False
    if following in _words("bare_verbs") and before in _words("lets"):
        if after in ("me", "him", "us", "them", "you", "it"):
            return False
        return _owns_verb(before, following, linked=linked)
    if _undergoes(before, following) and linked:
        return False
    if following in _words("ing_nouns") and not (linked and before in _words("lets") - _words("strong_lets")):
        return True
    if following.endswith("ing") and before in _words("lets") | _words("makes") | _words("catches"):
        return not linked and following not in ("walking", "talking", "going", "leaving", "coming", "sitting")
    if following.endswith("ly") and following not in _words("not_adverbs"):
        return not linked and _noun_like(after) and before not in _words("makes")
    told = following in _words("adjectives") or (len(following) > 5 and following.endswith(ADJECTIVAL))
    if told and linked and before in _words("makes"):
        return False
    if following in _words("never_nouns") and linked:
        return False
    if before in _words("gives"):
        return _owned_gift(text, place, linked=linked)
    if following in _words("numbers") or following.isdigit():
        return not (last and following == "one")
    if following == "back" and linked:
        return before in _BODY
    return True


def _fixed(text: Text, place: int, *, linked: bool, last: bool) -> bool | None:
    """What a few words beside `her` tell; None where they tell nothing."""
    before, following, after = text.lower(place - 1), text.lower(place + 1), text.lower(place + 2)
    if before in ("call", "called", "name", "named", "christened", "nicknamed") and text.capital(place + 1):
        return False
    if following == "own":
        return True
    if (before, following) in FIXED:
        return False
    if before in ("take", "takes", "took", "taking", "taken"):
        measured = (following in _words("numbers") or following.isdigit()) and after in _words("measures")
        told = _words("after_object") | _words("degrees") | {"back"}
        if following in told or following.endswith("ly"):
            return None
        return not measured and following not in _words("spans")
    if following == "well" and linked:
        return False
    if following == "best" and linked:
        return before not in _words("prefers")
    if last and following in ("first", "most"):
        return bool(place) and not text.joined(place - 1)
    if following == "all":
        return _ends_here(text, place + 1) and before in ("give", "gave", "gives", "given", "giving")
    if following in ("last", "next") and after in _words("times"):
        return text.starts_sentence(place)
    if following == "last" and linked and before in ("saw", "see", "seen", "heard", "met"):
        return False
    if before in _words("elects") and following in _words("offices") and linked:
        return False
    if before == "and" and following in _words("after_subject"):
        return False
    if following == "home":
        return before not in _words("moves")
    return None


def _undergoes(before: str, following: str) -> bool:
    """`had her beaten`, `saw her injured`."""
    return before in _words("lets") | {"found", "find", "want", "wanted", "got", "get", "kept", "left"} and (
        following in _words("participles") or (following.endswith("ed") and following not in ("bed", "seed", "feed"))
    )


_BODY = word_list("body")


def _noun_like(word: str) -> bool:
    return bool(word) and word not in _words("after_object") | _words("numbers") | {"several", "many", "few"}


def _owns_verb(before: str, following: str, *, linked: bool) -> bool:
    if before not in _words("strong_lets") and following in _words("rather_nouns"):
        return True
    if before in _words("strong_lets") or following not in _words("may_be_nouns"):
        return False
    if linked and following not in _words("rather_verbs"):
        raise Unclear(f"“her {following}” may be a noun or a verb")
    return False


def _owned_gift(text: Text, place: int, *, linked: bool) -> bool:
    """After a verb of giving: `gave her chocolate`, and yet `gave her name`."""
    before, following, after = text.lower(place - 1), text.lower(place + 1), text.lower(place + 2)
    if following in _words("numbers") or following.isdigit():
        return after not in _words("measures") | {"thousand", "million", "hundred"} and not linked
    if following == "back":
        return False
    if before in ("ask", "asks", "asked"):
        return True
    if following in _words("gifts"):
        if after == "to":
            raise Unclear(f"“her {following}” may be hers or given to her")
        return False
    if following not in _words("things") or (following == "money" and after == "back"):
        if (
            linked
            and after not in ARTICLES
            and before in _words("hands_over")
            and not is_person(following)
            and following not in _words("owned")
        ):
            raise Unclear(f"“her {following}” may be hers or given to her")
        return True
    if following in ("time", "leave", "notice") and (linked or after == "to"):
        return False
    if after == "to" and before in ("owe", "owes", "owed"):
        return True
    if following in ("first", "best", "new", "little", "few", "last", "great", "good", "way", "time", "leave", "bad"):
        return following not in ("little", "few", "good", "great") if linked else True
    return False
