"""What is asked: whether a gendered word stands for somebody, or for everybody, for nobody or for a thing."""

from __future__ import annotations

from evenhand.corpora.text.data import word_list
from evenhand.corpora.text.names import DETERMINERS, FOLLOWERS, Names
from evenhand.corpora.text.people import is_person
from evenhand.corpora.text.roles import PRONOUNS
from evenhand.corpora.text.tokens import Text

KIN, BEFORE_NAME, NOBLE = word_list("kin"), word_list("before_name"), word_list("noble")
INTERJECTIONS, VOCATIVE = word_list("interjections"), word_list("vocative")
COUNTED, COMPANIES = word_list("counted"), word_list("companies")
SOCKETS, GAMES, COMPOUNDS, MANKIND = (word_list(one) for one in ("sockets", "games", "compounds", "mankind"))
CALLED, SAID_NEXT, PLURALS = word_list("called"), word_list("said_next"), word_list("plurals")
SAYS_WHO = COUNTED | DETERMINERS | word_list("says_who")
REIGNS = frozenset(["king", "queen", "prince", "princess", "emperor", "empress", "tsar", "tsarina"])


class Senses:
    """Tells the senses of gendered words by what stands beside them."""

    def __init__(self, names: Names, animals: frozenset[str], gendered: frozenset[str]) -> None:
        self.names, self.animals, self.gendered = names, animals, gendered

    def is_noble(self, text: Text, place: int) -> bool:
        """Whether a rank is that of somebody known (the Duke of Norfolk), and not part of a street's name."""
        after = text.lower(place + 1)
        return text.lower(place) in NOBLE and after not in self.names.places_after and text.gap(place)[:1] not in "'’"

    def reigns(self, text: Text, place: int) -> bool:
        """Whether a rank and a name stand for one known person: `King Osric`, and no `King Street`."""
        if text.lower(place) not in REIGNS or not text.capital(place) or not text.joined(place):
            return False
        after = text.lower(place + 1)
        named = text.capital(place + 1) and after not in self.names.places_after and after not in PRONOUNS
        return named and not text.title_case and not text.shouted

    def of_a_thing(self, text: Text, place: int) -> bool:
        """Whether `female` or `male` stands before what is no person: `a female catheter`."""
        after = text.lower(place + 1)
        if not text.joined(place) or after in FOLLOWERS or after in ("pt", "patient", "staff") or after.isdigit():
            return False
        return not any(
            is_person(text.lower(k)) for k in range(place + 1, min(place + 4, len(text))) if text.joined(k - 1)
        )

    def sorts_things(self, text: Text, place: int) -> bool:
        """Whether a plural says for whom things are: `men's coats`, `the ladies' loos`; people it names are people."""
        if text.lower(place) not in PLURALS | {"girls", "boys"} or text.gap(place)[:1] not in ("'", "’"):
            return False
        owned = place + 2 if text.lower(place + 1) == "s" and len(text.gap(place)) == 1 else place + 1
        before = text.lower(place - 1)
        counted = before in ("these", "those", "our", "my", "his", "her", "their", "both")
        behind = [owned, *([owned + 1] if text.joined(owned) and text.lower(owned) not in FOLLOWERS else [])]
        return not counted and not any(is_person(text.lower(k)) for k in behind)

    def is_mankind(self, text: Text, place: int) -> bool:
        """`Manners maketh man`, `no man is an island`: everybody and nobody."""
        before = text.lower(place - 1)
        if before == "no" or (before == "any" and text.lower(place) == "man"):
            return not any(one.lower in PRONOUNS for one in text.tokens) and not any(
                one.lower in ("woman", "women") for one in text.tokens
            )
        return place > 0 and text.joined(place - 1) and before in MANKIND

    def names_an_event(self, text: Text, place: int) -> bool:
        """`Ladies' Day`, `the Women's Institute`."""
        if text.lower(place) not in PLURALS | {"girls", "boys"} or not text.capital(place):
            return False
        if text.shouted or text.title_case:
            return False
        named = place + 1 if text.gap(place) in ("' ", "’ ") else place + 2
        owns = named == place + 1 or (text.gap(place) in ("'", "’") and text.lower(place + 1) == "s")
        return owns and text.capital(named) and text.lower(named) not in self.names.known

    def is_other_sense(self, text: Text, place: int) -> bool:
        """Whether a gendered noun is said to everybody or to nobody, or is another word."""
        word, before, after = text.lower(place), text.lower(place - 1), text.lower(place + 1)
        gap_before = text.gap(place - 1) if place else ""
        gap = text.gap(place)
        if gap.startswith("-") and after not in ("in", "and", "of"):
            return True
        if word in ("son", "sons", "daughters", "daughter", "brothers") and "&" in gap_before:
            return True
        if word in ("fellow", "lady") and text.joined(place) and is_person(after) and before not in COMPANIES:
            return word == "fellow"
        if self.exclaims(text, place):
            return True
        if word in ("female", "male", "females", "males") and (after in self.animals or after in SOCKETS):
            return True
        if text.joined(place) and after in COMPOUNDS:
            return True
        if before in ("to", "please") and after in DETERMINERS | {"a", "an"} and text.joined(place):
            return True
        if before == "you" and word in PLURALS | {"boys", "girls"}:
            return True
        if word in ("man", "woman") and self.is_mankind(text, place):
            return True
        if word in ("guys", "dudes", "gents", "lads"):
            return before not in COUNTED
        if word in VOCATIVE:
            alone = before not in COUNTED or not gap_before.isspace()
            parted = (gap.strip() != "" and gap.strip()[0] in ",!?.") or place + 1 == len(text)
            starts = text.starts_sentence(place)
            if before == "my" and "," in text.gap(place - 2) and (parted or not text.joined(place)):
                return True
            if word == "man" and before == "you" and (parted or not text.joined(place)):
                return True
            if before in INTERJECTIONS and (parted or (before != "no" and word in ("man", "dude", "bro"))):
                return True
            if alone and parted and (starts or "," in gap_before):
                return True
        if word == "man":
            return text.starts_sentence(place) and after in ("has", "is", "will", "can", "and", "must", "cannot")
        if word in ("groom", "grooms"):
            return before not in COUNTED | {"and", "bride", "brides"}
        if word in ("queen", "king", "queens", "kings") and any(one.lower in GAMES for one in text.tokens):
            return True
        if (
            word in ("queen", "king", "prince", "kings", "queens")
            and text.starts_sentence(place)
            and text.capital(place)
            and text.lower(place + 1) != "of"
        ):
            return not text.shouted and not text.chatty
        return word in ("bro", "sis") and before not in COUNTED

    def exclaims(self, text: Text, place: int) -> bool:
        """`Boy was I wrong`, `and man... I had to wait`: said to nobody."""
        word, before, after = text.lower(place), text.lower(place - 1), text.lower(place + 1)
        if before in COUNTED or before in DETERMINERS:
            return False
        if word in CALLED:
            if before in INTERJECTIONS - {"no"} and text.joined(place - 1):
                return True
            opens = text.starts_sentence(place) or before in INTERJECTIONS or before == word
            ends = place + 1 == len(text) or text.gap(place).strip()[:1] in (",", "!", "?") or after == word
            return opens and bool(ends or after in SAID_NEXT)
        if word not in ("man", "boy", "girl", "dude", "bro"):
            return False
        if text.chatty and text.starts_sentence(place) and after in SAID_NEXT | {"im", "same", "u", "you", "no", "yes"}:
            return True
        opens = text.starts_sentence(place) or before in ("but", "and", "o", "so", "cause", "because", "cuz")
        if not opens:
            return False
        if after in ("i", "what", "oh", "do", "did", "does", "this", "that", "it", "we", "are", "am", "was", "is"):
            last = text.lower(place + 2)
            return after not in ("was", "is", "are", "did", "does") or last in (
                "i",
                "we",
                "they",
                "you",
                "it",
                "that",
                "this",
            )
        return word in ("man", "boy") and text.gap(place).startswith(("...", "…", ","))

    def proper(self, text: Text, place: int) -> bool:
        """Whether a gendered noun is part of the name of something."""
        word = text.lower(place)
        if not text.capital(place) or text.shouted or text.title_case:
            return False
        next_name = text.joined(place) and text.capital(place + 1) and text.word(place + 1) != "I"
        if word in BEFORE_NAME and next_name:
            return False
        if text.starts_sentence(place):
            return (
                next_name
                and not text.word(place + 1).isupper()
                and not (len(word) > 5 and word.endswith(("man", "woman")))
            )
        if word in KIN or (word.endswith(("man", "men")) and len(word) > 5):
            return False
        return text.word(place) != text.word(place).upper()

    def is_bare(self, text: Text, place: int) -> bool:
        word = text.lower(place)
        if word in PRONOUNS or word in KIN or word not in self.gendered or text.title_case or text.shouted:
            return False
        if text.gap(place).strip()[:1] == "," and text.word(place + 1).isdigit():
            return False
        for k in range(place - 1, max(place - 6, -1), -1):
            before = text.lower(k)
            if before in SAYS_WHO or before.isdigit() or before in self.gendered or is_person(before):
                return False
            if text.gap(k).strip() not in ("", "-", "'", "’", ",", "&"):
                return True
        return True
