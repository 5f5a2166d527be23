"""What is asked: the first names of people in a text, found by evidence, and the names that take their place."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files

import numpy as np

from evenhand.corpora.pools import Pool, PoolName, load_pool
from evenhand.corpora.text.data import Phrases, text_data, word_list
from evenhand.corpora.text.people import is_person
from evenhand.corpora.text.tokens import Text

POOL, SURNAMES = "us-names", "us-surnames"
SURE_GENDER = 0.90
BOTH = 0.75
"""A name that no gender bears more often than this tells none."""
SURE_RACE = 0.70
BORNE_BY_ALL = 1_000_000
"""A White name with more bearers than this is borne by so many of every group that it tells nothing of a race."""
SURELY, PERHAPS, NOT = "surely", "perhaps", "not"

SURNAME_AFTER = frozenset(["mr", "mrs", "ms", "miss"])
OFFICES = word_list("offices")
BEFORE_FIRST = word_list("before_first")
KIN_BEFORE = word_list("before_name") - {"dame", "sir"} | {"nurse", "chef"}
GREETINGS = word_list("greetings")
PREPOSITIONS = word_list("prepositions")
DETERMINERS = word_list("determiners")
PERSON_VERBS = word_list("person_verbs")
NO_NAME_BEFORE = DETERMINERS | {"a", "an", "you", "i", "we", "they", "he", "she", "it", "there", "of"}
MONTHS = frozenset(["april", "may", "june", "august"])
DATED = word_list("dated")
"""Beside one of these, the name of a month is a month."""
WORKS = word_list("works")
OPENERS = word_list("openers")
EPONYMS = word_list("named_after"), word_list("named_after_owner")
"""What is called by somebody's name: `a Victoria sponge`, `Boyle's law`."""
COUNTRIES = word_list("countries")
ACTING, MASSES, STATES = word_list("acting"), word_list("masses"), word_list("states")
FOLLOWERS = word_list("followers") | PERSON_VERBS | PREPOSITIONS


@dataclass(frozen=True)
class Known:
    """A first name as it may be met in a text."""

    gender: str | None
    race: str | None
    weak: bool
    """Whether it is a word, a place or a brand too."""
    place: bool
    about: PoolName | None
    met: bool = False
    """Whether it is one of the further names that few bear, and no name where it is short and in lower case."""


class Names:
    """The first names of a pool and further ones, to find them; what takes their place is of the pool."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        data = text_data("known")
        self.places_before, self.places_after = set(data["places_before"]), {str(one) for one in data["places_after"]}
        self.known = self._known()
        figures = [one for one in data["figures"] if " " in one or one.lower() not in self.known]
        self.figures = Phrases(figures, as_written=True)
        self.brands = Phrases(data["brands"], as_written=True)

    def _known(self) -> dict[str, Known]:
        either, places = set(text_data("first_names")["either"]), set(text_data("known")["also_places"])
        found: dict[str, Known] = {}
        for gender in ("female", "male"):
            for race, names in text_data("first_names")[gender].items():
                for name in names:
                    found[name.lower()] = Known(
                        gender, race or None, weak=False, place=name.lower() in places, about=None
                    )
        for one in self.pool.names:
            key = one.name.lower()
            sure = (one.sex_share or 0) >= SURE_GENDER and key not in either
            told = one.share >= SURE_RACE and not (one.race == "White" and one.bearers > BORNE_BY_ALL)
            race = one.race if told else found[key].race if key in found else None
            listed = found[key].gender if key in found and key not in either else None
            found[key] = Known(one.gender if sure else listed, race, one.word, key in places, one)
        for gender, names in text_data("first_names")["words"].items():
            for name in names:
                found.setdefault(name.lower(), Known(gender, None, weak=True, place=False, about=None))
        figures = {one.lower() for one in text_data("known")["figures"] + text_data("known")["brands"]}
        for name, gender in _met_names():
            if name not in places | either | figures:
                found.setdefault(name, Known(gender, None, weak=False, place=False, about=None, met=True))
        for name in either - set(found):
            found[name] = Known(None, None, weak=True, place=False, about=None)
        return found

    def span(self, text: Text, place: int) -> tuple[int, Known] | None:
        """How many words a known name takes at a place, and what is known about it."""
        if text.gap(place) == "-" and place + 1 < len(text):
            whole = self.known.get(f"{text.lower(place)}-{text.lower(place + 1)}")
            first, second = self.known.get(text.lower(place)), self.known.get(text.lower(place + 1))
            if whole is not None:
                return 2, whole
            return (2, first) if first and second and text.capital(place + 1) else None
        one = self.known.get(text.lower(place))
        return None if one is None else (1, one)

    def doubled(self, text: Text, place: int, one: Known) -> bool:
        """Whether a second first name follows: `Sarah Jane Smith`."""
        other = self.known.get(text.lower(place + 1)) if text.joined(place) and text.capital(place + 1) else None
        if other is None or other.met or other.gender is None or other.gender != one.gender:
            return False
        return other.gender == "female" or (text.joined(place + 1) and text.capital(place + 2))

    def reigns(self, text: Text, place: int) -> bool:
        """Whether a number behind a name makes it that of a monarch or a pope: `Henry VIII`."""
        after = text.word(place + 1)
        return text.joined(place) and len(after) > 0 and set(after) <= set("IVX") and after != "I"

    def evidence(self, text: Text, place: int, words: int, one: Known) -> str:
        """Whether a known name is somebody's first name where it stands."""
        if not text.capital(place):
            return self._lower_case(text, place, one)
        before, after = text.lower(place - 1), text.lower(place + words)
        joined_before = place > 0 and text.joined(place - 1)
        joined_after = text.joined(place + words - 1)
        surname = joined_after and text.capital(place + words) and not text.shouted and not text.title_case
        starts = text.starts_sentence(place)
        if text.gap(place + words - 1) in ("'", "’") and after == "t":
            return NOT
        if self._is_acronym(text, place, words, surname=surname):
            return NOT
        if text.gap(place + words - 1).startswith("-") or (joined_after and after.isdigit()):
            return NOT
        if (joined_before or text.gap(place - 1) in (". ", "-")) and place and before in self.places_before:
            return NOT
        if (
            (surname or text.gap(place + words - 1).startswith((" & ", "'s ", "’s ")))
            and after in self.places_after
            and text.capital(place + words)
        ):
            return NOT
        if (joined_before and before == "the") or (place and text.gap(place - 1) == "-" and text.capital(place - 1)):
            return NOT
        if (joined_before or text.gap(place - 1) == ". ") and place and (before in SURNAME_AFTER or before in OFFICES):
            return SURELY if surname and after != "and" else NOT
        if joined_before and before in KIN_BEFORE and one.gender and after not in self.places_after:
            return SURELY
        if place and text.gap(place - 1) in (". ", ".") and len(before) == 1 and text.capital(place - 1):
            return NOT
        if any(text.lower(k) in WORKS for k in range(place, min(place + 9, len(text)))):
            return PERHAPS
        eponym = place + words + (1 if text.gap(place + words - 1) in ("'", "’") and after == "s" else 0)
        if not text.capital(eponym) and text.lower(eponym) in EPONYMS[eponym > place + words]:
            return PERHAPS
        if (
            joined_before
            and text.capital(place - 1)
            and not text.shouted
            and not text.title_case
            and before not in BEFORE_FIRST
        ):
            if before in self.known and not is_person(before):
                return NOT
            if not is_person(before) and not (text.starts_sentence(place - 1) and _opens(before)):
                return PERHAPS if surname else NOT
        if text.lower(place) in MONTHS and (before.isdigit() or before in DATED | PREPOSITIONS or after in DATED):
            return NOT
        weak = one.weak or one.place
        if (
            one.met
            and not (surname and self._does(text, place + words))
            and not (joined_before and before in GREETINGS)
        ):
            return PERHAPS  # few bear it, and many a surname or place looks like it
        if not weak:
            return SURELY
        if joined_before and before in DETERMINERS | {"a", "an"}:
            return NOT
        if one.place and joined_before and before in PREPOSITIONS and not surname:
            return NOT
        if joined_after and after in NO_NAME_BEFORE and (starts or one.place):
            return NOT
        if surname and after not in self.places_after:
            return SURELY
        if (
            place
            and before in GREETINGS - ({"from", "by", "for", "with", "and"} if one.place else set())
            and not starts
        ):
            return SURELY
        if one.place and text.lower(place) in COUNTRIES:
            return NOT
        if (joined_after and after in PERSON_VERBS) or (joined_after and after.endswith("ed") and not one.place):
            return SURELY
        mid = not starts and not one.place and not text.title_case and not text.shouted
        known_by = after in FOLLOWERS or after in NO_NAME_BEFORE or text.capital(place + words)
        if mid and (not joined_after or known_by):
            return SURELY
        if starts and text.lower(place) not in MASSES and not one.place and self._acts(text, place + words - 1):
            return SURELY
        if one.place and after in ("is", "was", "isn") and text.lower(place + words + 1) in STATES:
            return SURELY
        if joined_after and text.lower(place) == after == "will":
            return SURELY
        if self._beside_a_name(text, place, words):
            return SURELY
        if one.place and text.lower(place) in MONTHS:
            return NOT
        return PERHAPS

    def _acts(self, text: Text, last: int) -> bool:
        """Whether a word that cannot open a sentence without an article does: `Mark is late`, `Bill's desk`."""
        gap, after = text.gap(last), text.lower(last + 1)
        if gap in ("'", "’") and after == "s":
            return True
        return (text.joined(last) and after in ACTING) or gap.startswith((",”", ",’", ',"', ",'"))

    def is_rather_surname(self, name: str) -> bool:
        """Whether more people have a name as their surname than as their first name."""
        one = self.known.get(name)
        first = one.about.bearers if one is not None and one.about is not None else 0
        return self._surnames.get(name, 0) > first

    @cached_property
    def _surnames(self) -> dict[str, int]:
        return {one.name.lower(): one.bearers for one in load_pool(SURNAMES).names}

    def _does(self, text: Text, surname: int) -> bool:
        """Whether a surname is followed by what people do or are: `Xiomara Delgado said`, `Xiomara Delgado, 41`."""
        behind = text.lower(surname + 1)
        return behind in FOLLOWERS | ACTING or text.gap(surname).startswith((",", "'s ", "’s "))

    def _is_acronym(self, text: Text, place: int, words: int, *, surname: bool) -> bool:
        """Whether a name in capitals stands alone where nothing else does: `MARC is delayed`."""
        word = text.word(place)
        if words > 1 or text.shouted or not word.isupper() or not 1 < len(word) < 5:
            return False
        return not (surname and text.word(place + 1).isupper())

    def _beside_a_name(self, text: Text, place: int, words: int) -> bool:
        """Whether `and` joins it to a name that can be nothing else."""
        others = [place + words + 1] if text.lower(place + words) in ("and", "or") else []
        others += [place - 2] if text.lower(place - 1) in ("and", "or") and place > 1 else []
        others += [place + words] if text.gap(place + words - 1) == ", " else []
        found = [self.known.get(text.lower(other)) for other in others if text.capital(other)]
        return any(one is not None and not one.weak and not one.place for one in found)

    def _lower_case(self, text: Text, place: int, one: Known) -> str:
        before = text.lower(place - 1)
        if before in ("that", "this") and text.lower(place - 2) in ("is", "was", "isnt", "hey", "hi"):
            before = ""
        if (
            one.weak
            or one.place
            or len(text.lower(place)) < (5 if one.met else 3)
            or before in DETERMINERS | {"a", "an"}
        ):
            return NOT
        return SURELY if text.chatty and not text.gap(place).startswith("-") else NOT

    @cached_property
    def _columns(self) -> dict[str, tuple[list[PoolName], np.ndarray]]:
        """By gender, the names that may take a place, and their traits."""
        found = {}
        for gender in ("female", "male"):
            names = [
                one
                for one in self.pool.names
                if one.pool and one.gender == gender and one.name.lower() not in self._unfit
            ]
            found[gender] = names, np.array([[np.log(one.bearers), one.birth_year or 1985] for one in names])
        return found

    @cached_property
    def _unfit(self) -> set[str]:
        return set(text_data("first_names")["either"]) | set(text_data("known")["also_places"])

    @lru_cache(maxsize=8192)  # noqa: B019 (there is one for each pool)
    def ranked(self, name: str, gender: str, race: str | None) -> tuple[str, ...]:
        """The names of a group that are most like a name: as common, as old, of one initial if there is one."""
        known = self.known.get(name.lower())
        about = known.about if known else None
        names, traits = self._columns[gender]
        wanted = race or (known.race if known else None) or "White"
        own = np.array(
            [np.log(about.bearers) if about else np.log(20_000), (about.birth_year if about else None) or 1980]
        )
        apart = np.abs(traits - own) / [np.log(2), 10]
        initial = np.array([one.name[0] != name[0].upper() for one in names])
        other = np.array([one.race != wanted for one in names])
        total = np.sqrt((apart**2).sum(axis=1)) + 1.0 * initial + 100.0 * other
        best = np.argsort(total, kind="stable")[:12]
        return tuple(names[int(k)].name for k in best if not other[k])

    def of_both(self, name: str) -> list[str]:
        """Names that both genders bear, those that are most like a name first."""
        known = self.known.get(name)
        about = known.about if known else None
        own = np.log(about.bearers) if about else np.log(20_000), (about.birth_year if about else None) or 1980
        initial = name[:1].upper()

        def apart(one: PoolName) -> float:
            common, age = (np.log(one.bearers) - own[0]) / np.log(2), ((one.birth_year or 1985) - own[1]) / 10
            return float(np.hypot(common, age)) + (one.name[0] != initial)

        return [one.name for one in sorted(self._of_both, key=apart)]

    @cached_property
    def _of_both(self) -> list[PoolName]:
        places = set(text_data("known")["also_places"])
        return [one for one in self.pool.names if (one.sex_share or 1) < BOTH and one.name.lower() not in places]

    def counterpart(self, name: str, gender: str, race: str | None, taken: Collection[str]) -> str | None:
        """A name of another group for a name, and none that is taken already."""
        return next((one for one in self.ranked(name.lower(), gender, race) if one.lower() not in taken), None)


def _met_names() -> list[tuple[str, str]]:
    file = files("evenhand") / "data" / "text" / "met_names.csv"
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return [(name, gender) for name, _, gender in (line.partition(",") for line in lines)]


def _opens(word: str) -> bool:
    """Whether a word with a capital may open a sentence before a name, and is no name itself: `Yesterday Ann`."""
    return word in OPENERS or word in GREETINGS or word in PREPOSITIONS or word.endswith(("ly", "ing", "ed"))


@cache
def names_of(pool: str = POOL) -> Names:
    """The names of a pool."""
    return Names(load_pool(pool))
