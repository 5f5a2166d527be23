"""Finding persons in text: on every sentence of the corpora, and by hand where texts are free."""

from __future__ import annotations

import json

import polars as pl
import pytest

from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.persons import Directory, Found
from evenhand.errors import EvenhandError

EEC = Directory.of(eec())


def groups(text: str, directory: Directory = EEC) -> dict[str, str | None] | None:
    (found,) = directory.people([text])
    return None if found is None else dict(found.groups)


def persons(text: str, directory: Directory = EEC) -> tuple[str, ...]:
    (found,) = directory.people([text])
    return () if found is None else found.persons


@pytest.mark.parametrize("name", ["eec", "eec-extended", "es-emotions", "identity-names"])
def test_in_every_sentence_the_persons_of_the_corpus_are_found_with_their_groups(name: str) -> None:
    corpus = load_corpus(name)
    found = Directory.of(corpus).people(corpus.frame["text"])
    assert None not in found
    rows = corpus.frame.select(*corpus.attributes).iter_rows(named=True)
    assert [one.groups for one in found if one is not None] == list(rows)
    assert [one.persons for one in found if one is not None] == [(person,) for person in corpus.frame["person"]]
    assert not any(one.mixed for one in found if one is not None)


@pytest.mark.parametrize(
    ("text", "who", "gender", "race"),
    [
        ("Tia smiles.", ("Tia",), "female", "African American"),
        ("I know Tia's dog.", ("Tia",), "female", "African American"),
        ("My mom knows the answer.", ("my mom",), "female", None),
        ("Your Mom knows.", (), None, None),
        ("I met a woman.", ("this woman",), "female", None),
        ("That   boy ran.", ("this boy",), "male", None),
        ("HER", (), None, None),
        ("She ran. He saw it.", ("she", "he"), None, None),
        ("It is hers.", ("she",), "female", None),
        ("Look at yourself and himself.", ("he",), "male", None),
        ("Jack met Ebony.", ("Jack", "Ebony"), None, None),
        ("Jack met Alan.", ("Jack", "Alan"), "male", "European American"),
        ("Ebony lost her keys.", ("Ebony",), "female", "African American"),
        ("Ebony lost his keys.", ("Ebony", "he"), None, "African American"),
        ("His sister lost the keys.", ("he", "my sister"), None, None),
        ("My sister lost her mother's keys.", ("my sister", "my mother"), "female", None),
    ],
)
def test_by_hand(text: str, who: tuple[str, ...], gender: str | None, race: str | None) -> None:
    assert persons(text) == who
    if who:
        assert groups(text) == {"gender": gender, "race": race}


@pytest.mark.parametrize("text", ["", "It rained.", "tia feels sad", "Mother says so", "sisterly love", "Shelley ran",
                                  "I think She ran.", "They left.", "Tiara", "a frank harry", "womankind"])  # fmt: skip
def test_nobody_is_found_where_nobody_is_meant(text: str) -> None:
    assert EEC.people([text]) == [None]


def test_a_mix_is_told_from_nobody_of_a_group() -> None:
    # She may be Ebony.
    (found,) = EEC.people(["She told Jack and Ebony."])
    assert found == Found(("Jack", "Ebony"), {"gender": None, "race": None}, ("gender", "race"))
    (plain,) = EEC.people(["My mother left."])
    assert plain is not None
    assert plain.mixed == ()


def test_longer_terms_come_first_and_pronouns_say_more_of_those_who_have_no_gender() -> None:
    extended = Directory.of(load_corpus("eec-extended"))
    assert persons("This transgender woman ran.", extended) == ("this transgender woman",)
    nurse = groups("The nurse lost her keys.", extended)
    assert nurse is not None
    assert (nurse["gender"], nurse["profession"]) == ("female", "mostly women")
    for text in ("The nurse lost their keys.", "The nurse found herself here.", "I nurse the plants and the nurse."):
        told = groups(text, extended)
        assert told is not None
        assert (told["gender"], told["profession"]) == (None, "mostly women")
    alone = groups("They left themself no time.", extended)
    assert alone is not None
    assert (alone["gender"], alone["pronouns"]) == ("non-binary", "established")


def test_pronouns_belong_to_a_gender_even_where_no_person_is_called_so() -> None:
    names = Directory.of(load_corpus("identity-names"))
    assert groups("I saw her.", names) == {"gender": "female", "race": None}
    assert persons("I saw her.", names) == ("she",)


def test_contractions_hold_determiners() -> None:
    spanish = Directory.of(load_corpus("es-emotions"))
    assert persons("Le conté al vecino la historia del profesor.", spanish) == ("el vecino", "el profesor")
    assert persons("El libro es de él.", spanish) == ("él",)


def tiny(persons: list[str], terms: list[str]) -> Corpus:
    """Women and men by turns, all of one race."""
    frame = pl.DataFrame({"id": persons, "text": [f"{term} runs." for term in terms], "source": persons,
                          "person": persons, "term": terms, "gender": ["female", "male"] * (len(persons) // 2),
                          "race": ["x"] * len(persons)})  # fmt: skip
    return Corpus(frame, "tiny", {"gender": ("female", "male"), "race": ("x",)})


def test_a_form_of_several_persons_belongs_to_what_they_share() -> None:
    corpus = tiny(["Kim (a)", "Kim (b)", "Kim Lee", "Ann"], ["Kim", "Kim", "Kim Lee", "Ann"])
    kim, both, lee = Directory.of(corpus).people(["Kim left.", "Kim saw Ann.", "Kim Lee left."])
    assert kim == Found(("Kim (a)", "Kim (b)"), {"gender": None, "race": "x"}, ("gender",))
    assert both is not None
    assert (both.groups["gender"], both.mixed) == (None, ("gender",))
    assert lee == Found(("Kim Lee",), {"gender": "female", "race": "x"})
    # The language is not known, so that pronouns are none that are known.
    assert Directory.of(corpus).people(["She left."]) == [None]
    assert persons("She left.", Directory.of(corpus, code="en")) == ("she",)


def test_it_survives_json() -> None:
    again = Directory.from_json(json.loads(json.dumps(EEC.to_json(), allow_nan=False)))
    assert again == EEC
    texts = eec().frame["text"][::50]
    assert again.people(texts) == EEC.people(texts)


EMPTY = {"format": 1, "attributes": [], "determiners": []}


@pytest.mark.parametrize(
    "content", [{}, EMPTY | {"format": 2, "known": []}, EMPTY | {"known": [3]}, EMPTY | {"known": [{"form": "x"}]}]
)
def test_what_is_no_directory_is_refused_in_one_line(content: dict[str, object]) -> None:
    with pytest.raises(EvenhandError, match="directory of persons cannot be read") as caught:
        Directory.from_json(content)
    assert "\n" not in str(caught.value)


def test_the_persons_of_a_corpus_are_entered_once() -> None:
    assert Directory.of(eec()) is Directory.of(eec(), code="en")
    assert Directory.of(eec()) is not Directory.of(eec(), code="es")
