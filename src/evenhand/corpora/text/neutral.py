"""What is asked: text about a woman or a man made text about somebody who is nonbinary, with `they` and its verbs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from evenhand.corpora.text.advice import NO_ADVICE, Advice
from evenhand.corpora.text.articles import article_edits
from evenhand.corpora.text.data import text_data
from evenhand.corpora.text.names import DETERMINERS, Names
from evenhand.corpora.text.roles import PRONOUNS, Unclear
from evenhand.corpora.text.tokens import Text, in_case_of
from evenhand.corpora.text.versions import Edit, edited

NEUTRAL = "nonbinary"
TITLES = frozenset(["mr", "mrs", "ms", "miss"])
SUBJECTS = {"she": "they", "he": "they"}
CONTRACTED = {"shes", "hes"}
BY_OTHER = {"his": "their", "him": "them", "her": "their", "hers": "theirs"}
"""By the pronoun of the other gender in the same role, which tells `her` from `her` and `his` from `his`."""
VERB, NOUNS = "VBZ", ("NNS", "NNPS")
"""What a tagger calls `runs` where somebody does, and where it means several of a thing."""
JOINING = ("and", "but", "or", "then", "yet")


class NoWord(Exception):
    """Says which word has no counterpart without a gender."""


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(text_data("neutral")[name])


def neutral_text(text: Text, places: Sequence[int], names: Names, advice: Advice = NO_ADVICE) -> str:
    """The text with everybody at these places nonbinary; `NoWord` and `Unclear` say why it cannot be told.

    >>> from evenhand.corpora.text.names import names_of
    >>> neutral_text(Text("She says she's tired and that the car is hers."), [0, 2, 10], names_of())
    "They say they're tired and that the car is theirs."
    """
    if (other := next((one.text for one in text.tokens if one.lower in _listed("several")), None)) is not None:
        raise Unclear(f"“{other}” may be other people")
    edits: list[Edit] = []
    chosen: dict[str, str] = {}
    taken = {one.lower for one in text.tokens}
    for place in sorted(set(places)):
        word = text.lower(place)
        if word in PRONOUNS:
            edits += _pronoun(text, place, advice)
        elif word in TITLES:
            edits.append(_title(text, place))
        elif names.span(text, place) is not None and word not in text_data("neutral")["words"]:
            edits.append(_name(text, place, names, chosen, taken))
        else:
            edits.append(_noun(text, place))
    made = {one.start: one for one in edits}
    return edited(text.text, [*made.values(), *article_edits(text, made.values())])


def _said(text: Text, place: int, words: str) -> Edit:
    token = text.tokens[place]
    return Edit(token.start, token.end, in_case_of(words, token.text, shouted=text.shouted))


def _title(text: Text, place: int) -> Edit:
    token = text.tokens[place]
    return Edit(token.start, token.end, "mx" if token.text.islower() else in_case_of("Mx", token.text))


def _name(text: Text, place: int, names: Names, chosen: dict[str, str], taken: set[str]) -> Edit:
    span = names.span(text, place)
    words = span[0] if span else 1
    start, end = text.tokens[place].start, text.tokens[place + words - 1].end
    written = text.text[start:end]
    if written.lower() not in chosen:
        other = next((one for one in names.of_both(written.lower()) if one.lower() not in taken), None)
        if other is None:
            raise NoWord(f"no name of the pool that both genders bear is left for {written}")
        chosen[written.lower()] = other
        taken.add(other.lower())
    other = chosen[written.lower()]
    return Edit(start, end, other.lower() if written.islower() else in_case_of(other, written, shouted=text.shouted))


def _noun(text: Text, place: int) -> Edit:
    word = text.lower(place)
    related = "-in-law" in text.gap(place) + text.text[text.tokens[place].end : text.tokens[place].end + 7]
    known: str | None = text_data("neutral")["in_law" if related else "words"].get(word)
    if text.gap(place) in ("'", "’") and word.endswith("men"):
        known = None  # the people's captain is another one
    if known is None or (word in ("female", "male") and text.joined(place)):
        raise NoWord(f"no word without a gender is known for “{word}”")
    return _said(text, place, known)


def _pronoun(text: Text, place: int, advice: Advice) -> list[Edit]:
    word = text.lower(place)
    if word in SUBJECTS:
        return [_said(text, place, "they"), *_verbs(text, place, advice)]
    if word in CONTRACTED:
        return [_said(text, place, "they" + _is_or_has(text, place + 1))]
    if word in ("herself", "himself"):
        return [_said(text, place, "themself")]
    if word == "him":
        return [_said(text, place, "them")]
    if word == "hers":
        return [_said(text, place, "theirs")]
    other, _ = advice.pronoun(text, place)
    return [_said(text, place, BY_OTHER[other])]


def _verbs(text: Text, place: int, advice: Advice) -> list[Edit]:
    """What agrees with the subject at a place: the verb behind it or before it, and those joined to it."""
    gap = text.gap(place)
    if text.lower(place + 1) in ("who", "that", "whom"):
        raise Unclear("what follows “who” may agree with it or not")
    if gap in ("'", "’"):
        ending = text.lower(place + 1)
        if ending != "s":
            return _joined(text, place, place + 2, advice)
        token = text.tokens[place + 1]
        whole = _is_or_has(text, place + 2)
        changed = Edit(token.start, token.end, whole.upper() if token.text.isupper() else whole)
        return [changed, *_joined(text, place, place + 2, advice)]
    if (before := _turned(text, place)) is not None:
        return [before]
    if not text.joined(place):
        if "," in gap:
            raise Unclear("the verb stands apart from its subject")
        return []
    verb = _past_adverbs(text, place + 1)
    edit = _agreeing(text, verb)
    return [*([edit] if edit else []), *_joined(text, place, verb + 1, advice)]


def _turned(text: Text, place: int) -> Edit | None:
    """The verb of a question: `does she`, `isn't he`."""
    verb = place - 1
    if verb > 0 and text.lower(verb) == "t" and text.gap(verb - 1) in ("'", "’"):
        verb -= 1
    if verb < 0 or not text.joined(place - 1) or text.lower(verb) not in text_data("neutral")["verbs"]:
        return None
    after = text.lower(_past_adverbs(text, place + 1))
    if after in text_data("neutral")["verbs"] or text.gap(place) in ("'", "’"):
        return None
    return _agreeing(text, verb)


def _past_adverbs(text: Text, place: int) -> int:
    while text.lower(place) in _listed("adverbs") or (text.lower(place).endswith("ly") and len(text.lower(place)) > 4):
        place += 1
    return place


def _agreeing(text: Text, place: int) -> Edit | None:
    """The verb at a place in the plural; None where it stays."""
    word = text.lower(place)
    known = text_data("neutral")["verbs"].get(word)
    if known is not None:
        return _said(text, place, known)
    if not word.endswith("s") or word.endswith("ss") or word in _listed("unchanged") or len(word) < 4:
        return None
    return _said(text, place, _plain(word))


def _plain(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1]


def _joined(text: Text, subject: int, first: int, advice: Advice) -> list[Edit]:
    """Further verbs of the same subject: `she works hard and is liked`; `Unclear` where a noun may be meant."""
    found: list[Edit] = []
    finite = 0
    verbs = text_data("neutral")["verbs"]
    for place in range(first, len(text)):
        if text.starts_sentence(place) or text.lower(place) in PRONOUNS - {"her", "his", "him", "hers"}:
            break
        if text.lower(place) in ("who", "which", "that", "because", "if", "when", "while", "where", "what"):
            finite += 1
        if text.lower(place) in verbs and text.lower(place - 1) not in JOINING:
            finite += 1
        listed = "," in text.gap(place) and text.lower(_past_adverbs(text, place + 1)).endswith("s")
        if listed and any(text.lower(k) in JOINING for k in range(place + 1, len(text))):
            raise Unclear("a list may be one of verbs or of nouns")
        if text.lower(place) not in JOINING:
            continue
        verb = _past_adverbs(text, place + 1)
        word = text.lower(verb)
        if word in verbs:
            if finite:
                raise Unclear(f"who “{word}” speaks of cannot be told")
            found.append(_said(text, verb, verbs[word]))
        elif word.endswith("s") and not word.endswith("ss") and len(word) > 3 and word not in _listed("unchanged"):
            beside = place == first and text.lower(place - 1).endswith("s")
            if (
                beside
                or (text.joined(verb) and text.lower(verb + 1) in DETERMINERS | {"a", "an"})
                or (tag := advice.tag(text, verb)) == VERB
            ):
                found.append(_said(text, verb, _plain(word)))
            elif tag not in NOUNS and word not in PRONOUNS and word not in ("yours", "ours", "theirs", "this", "its"):
                raise Unclear(f"“{word}” may be a verb or a noun")
    return found


def _is_or_has(text: Text, place: int) -> str:
    """What `'s` stands for."""
    behind = text.lower(_past_adverbs(text, place))
    if behind in _listed("has"):
        return "ve"
    if behind.endswith("ed") and behind not in ("tired", "scared", "worried", "excited", "married", "bored"):
        raise Unclear(f"“’s {behind}” may be “is {behind}” or “has {behind}”")
    return "re"
