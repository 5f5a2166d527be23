"""Languages choose the right form of a person, of what agrees with them, and of the sentence around."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evenhand.corpora.filler import fill
from evenhand.corpora.language import Language, language, languages, sentence_case, starts_sentence
from evenhand.corpora.recipe import Recipe
from evenhand.errors import EvenhandError, UsageError

PERSONS = {
    "en": {
        "female": ["she", "Tia", "my aunt", "the heiress"],
        "male": ["he", "Harry", "my uncle"],
        "non-binary": ["they", "xe", "ze", "ey", "fae", "this person"],
    },
    "es": {"female": ["ella", "Ana", "la vecina", "mi tía"], "male": ["él", "José", "el vecino", "mi tío"]},
}
PLACES = {
    "en": ["{person.object}", "{person.reflexive}", "{is|are}", "{has|have}", "{mood}", "{a} {mood} day", "with", "—"],
    "es": ["a {person.object}", "de {person.object}", "a {person.reflexive}", "{el|la}", "{un|una}", "{mood}", "con"],
}
MOODS = {"en": ["odd", "fine", "honest"], "es": ["cansado|cansada", "feliz"]}


def recipe(code: str = "en", **parts: Any) -> Recipe:
    genders = PERSONS[code]
    content = {
        "name": "own",
        "language": code,
        "attributes": {"gender": list(genders)},
        "persons": [{"gender": gender, "terms": terms} for gender, terms in genders.items()],
        "slots": {"mood": {"words": MOODS[code]}},
        "templates": ["{person} naps."],
    }
    return Recipe.model_validate(content | parts)


def said(of: Recipe) -> dict[str, str]:
    frame = fill(of).frame
    return dict(zip(frame["person"], frame["text"], strict=True))


@pytest.mark.parametrize(
    ("term", "gender", "object_form", "reflexive", "verb"),
    [
        ("she", "female", "her", "herself", "feels"),
        ("he", "male", "him", "himself", "feels"),
        ("they", "non-binary", "them", "themself", "feel"),
        ("xe", None, "xem", "xemself", "feels"),
        ("ze", None, "zir", "zirself", "feels"),
        ("ey", None, "em", "emself", "feels"),
        ("fae", None, "faer", "faerself", "feels"),
        ("Tia", "female", "Tia", "herself", "feels"),
        ("my uncle", "male", "my uncle", "himself", "feels"),
        ("my sibling", "non-binary", "my sibling", "themself", "feels"),
        ("the nurse", None, "the nurse", "themself", "feels"),
    ],
)
def test_english_forms(term: str, gender: str | None, object_form: str, reflexive: str, verb: str) -> None:
    english = language("en")
    assert english.person(term, "subject", gender=gender) == term
    assert english.person(term, "object", gender=gender) == object_form
    assert english.person(term, "reflexive", gender=gender) == reflexive
    assert english.agree("feels|feel", term, gender=gender) == verb


def test_a_given_pronoun_goes_before_that_of_the_gender() -> None:
    assert language("en").person("this trans woman", "reflexive", gender=None, pronoun="she") == "herself"
    assert language("en").person("Alex", "reflexive", gender="male", pronoun="xe") == "xemself"
    assert language("en").agree("has|have", "Alex", gender=None, pronoun="they") == "has"


@pytest.mark.parametrize(
    ("term", "gender", "reflexive", "adjective"),
    [
        ("ella", "female", "sí misma", "cansada"),
        ("él", "male", "sí mismo", "cansado"),
        ("mi madre", "female", "sí misma", "cansada"),
        ("José", "male", "sí mismo", "cansado"),
    ],
)
def test_spanish_forms(term: str, gender: str, reflexive: str, adjective: str) -> None:
    spanish = language("es")
    assert spanish.person(term, "object", gender=gender) == term
    assert spanish.person(term, "reflexive", gender=gender) == reflexive
    assert spanish.agree("cansado|cansada", term, gender=gender) == adjective
    assert spanish.agree("feliz", term, gender=gender) == "feliz"


@pytest.mark.parametrize(
    ("apart", "together"),
    [
        ("Hablé a el vecino.", "Hablé al vecino."),
        ("La casa de el vecino de el lado.", "La casa del vecino del lado."),
        ("A el vecino le gusta.", "Al vecino le gusta."),
        ("De el vecino no sé nada.", "Del vecino no sé nada."),
        ("Hablé a él de él.", "Hablé a él de él."),
        ("Vengo de El Salvador.", "Vengo de El Salvador."),
        ("Para el vecino; desde el mar; a ella.", "Para el vecino; desde el mar; a ella."),
        ("Ana el lunes; a elegir.", "Ana el lunes; a elegir."),
    ],
)
def test_spanish_contractions(apart: str, together: str) -> None:
    assert language("es").contracted(apart) == together


def test_english_contracts_nothing() -> None:
    assert language("en").contracted("a el, de el, it is") == "a el, de el, it is"


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("", ""),
        ("she naps.", "She naps."),
        ("¿ella duerme?", "¿Ella duerme?"),
        ("¡él ya llegó!", "¡Él ya llegó!"),
        ('"my mom," he said.', '"My mom," he said.'),
        ("“xe naps.”", "“Xe naps.”"),
        ("3 cats slept.", "3 cats slept."),
        ("…", "…"),
    ],
)
def test_sentences_begin_with_a_capital(text: str, cased: str) -> None:
    assert sentence_case(text) == cased


@pytest.mark.parametrize(
    ("before", "starts"),
    [
        ("", True),
        ("¿", True),
        ("What a day! ", True),
        ('"No." ', True),
        ("¡Qué día! ¿", True),
        ("I saw ", False),
        ("Yes, ", False),
        ("It costs 3.", False),
    ],
)
def test_a_person_who_begins_a_sentence_gets_a_capital(before: str, starts: bool) -> None:
    assert starts_sentence(before + "{person} naps.", len(before)) is starts


def test_every_sentence_of_a_template_is_cased() -> None:
    texts = said(recipe(templates=["It is late. {person} {naps|nap}, and {person} {snores|snore}."]))
    assert texts["they"] == "It is late. They nap, and they snore."
    assert texts["my aunt"] == "It is late. My aunt naps, and my aunt snores."
    assert said(recipe(templates=["So? {a} owl saw {person.object}."]))["fae"] == "So? An owl saw faer."


def test_articles_and_adjectives_agree_in_spanish_recipes() -> None:
    texts = said(
        recipe("es", templates=["{person} es {un|una} cliente muy {mood}."], slots={"mood": {"words": ["listo|lista"]}})
    )
    assert texts["mi tía"] == "Mi tía es una cliente muy lista."
    assert texts["él"] == "Él es un cliente muy listo."


def test_a_word_is_known_by_its_first_form() -> None:
    frame = fill(recipe("es", templates=["{person} está {mood}."])).frame
    assert set(frame["mood"]) == {"cansado", "feliz"}
    assert set(frame["source"]) == {"1:cansado", "1:feliz"}


def test_known_languages() -> None:
    assert {"en", "es"} <= set(languages())
    with pytest.raises(UsageError, match=r"no rules for the language 'tlh'; known: .*en, es"):
        language("tlh")
    with pytest.raises(UsageError, match="no rules for the language"):
        language("../corpora/eec")


@pytest.mark.parametrize(
    ("code", "parts", "message"),
    [
        (
            "en",
            {"templates": ["{person} {is|are|be} here."]},
            r"'is\|are\|be': 3 forms where there must be 2: singular",
        ),
        ("en", {"templates": ["{person} ate {a}{mood} pie."]}, r"after \{a\} comes a space and then a word"),
        ("en", {"templates": ["{person} {is|} here."]}, r"'is\|': one of the forms is empty"),
        ("es", {"slots": {"mood": {"words": ["a|b|c"]}}}, r"'a\|b\|c': 3 forms where there must be 2: masculine"),
        ("es", {"templates": ["{person} es {a} cliente."]}, r"'es' has no rule for \{a\}; write its forms"),
        (
            "es",
            {"persons": [{"terms": ["Alex"]}], "templates": ["{person} está {mood}."]},
            "no pronoun stands for 'Alex'",
        ),
        (
            "en",
            {"persons": [{"terms": ["Alex"], "pronoun": "xi"}], "templates": ["{person} saw {person.reflexive}."]},
            "no rules for the pronoun 'xi'",
        ),
    ],
)
def test_mistakes_are_named(code: str, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        fill(recipe(code, **parts))


def test_pronouns_must_follow_the_places_of_pairs() -> None:
    pairs = {"paired": "gender", "pairs": [["a", "b", "c"]]}
    with pytest.raises(ValidationError, match="2 pronouns must follow the places"):
        recipe(persons=[pairs | {"pronoun": ["she", "he"]}])
    with pytest.raises(ValidationError, match="2 pronouns must follow the places"):
        recipe(persons=[{"terms": ["a"], "pronoun": ["she", "he"]}])
    persons = [pairs | {"pronoun": ["xe", "ze", "fae"]}]
    texts = said(recipe(persons=persons, templates=["{person} likes {person.reflexive}."]))
    assert texts == {"a": "A likes xemself.", "b": "B likes zirself.", "c": "C likes faerself."}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nouns_agree_as": "dual"}, "no agreement 'dual'"),
        ({"pronoun_of": {"female": "sie"}}, "no pronoun 'sie'"),
        ({"pronoun_otherwise": "sie"}, "no pronoun 'sie'"),
        ({"agreement": []}, "at least 1 item"),
    ],
)
def test_a_language_that_contradicts_itself_is_refused(changes: dict[str, Any], message: str) -> None:
    rules = {"agreement": ["one"], "pronouns": {"it": {"object": "it", "reflexive": "itself"}}, "pronoun_of": {}}
    assert Language.model_validate(rules).agree("nap|", "it", gender=None) == "nap"
    with pytest.raises(ValidationError, match=message):
        Language.model_validate(rules | changes)


@st.composite
def written(draw: st.DrawFn) -> Recipe:
    """A recipe with one random template around {person}."""
    code = draw(st.sampled_from(["en", "es"]))
    pieces = draw(st.lists(st.sampled_from(PLACES[code]), max_size=6))
    place = draw(st.integers(0, len(pieces)))
    opening, closing = draw(st.sampled_from([("", "."), ("¿", "?"), ('"', '"'), ("It rains. ", "!")]))
    text = " ".join([*pieces[:place], "{person}", *pieces[place:]])
    return recipe(code, templates=[f"{opening}{text}{closing}"])


@given(written())
def test_no_sentence_keeps_a_place_a_bar_or_a_double_space(of: Recipe) -> None:
    for text in fill(of).frame["text"]:
        assert not re.search(r"[{}|]|  ", text), text
        first = next(letter for letter in text if letter.isalnum())
        assert first == first.upper(), text
        assert of.language != "es" or not re.search(r"\b([Aa]|[Dd]e) el\b", text), text
