"""The same sentence about a neutral person: one for all of a source, right in its grammar, and never a guess."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import polars as pl
import pytest
from pydantic import ValidationError

from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.language import Language, language
from evenhand.corpora.neutral import NeutralTexts, neutral_texts, neutralised
from evenhand.corpora.neutral_sentence import CannotBeMade, Sentence


def neutral_text(
    text: str,
    term: str,
    *,
    code: str = "en",
    kind: str | None = None,
    role: str | None = None,
    gender: str | None = None,
) -> str | None:
    """The sentence about a neutral person instead of the one whom the term stands for; None if impossible."""
    rules = language(code)
    assert rules.neutral is not None
    try:
        return Sentence(text, rules, rules.neutral).about_nobody(term, kind, role, gender)
    except CannotBeMade:
        return None


def by_source(corpus: Corpus, texts: Sequence[str | None]) -> dict[str, set[str | None]]:
    found: dict[str, set[str | None]] = defaultdict(set)
    for source, text in zip(corpus.frame["source"], texts, strict=True):
        found[source].add(text)
    return found


@pytest.mark.parametrize("name", ["eec", "eec-extended", "es-emotions", "identity-names"])
def test_all_sentences_of_a_source_give_the_same_one(name: str) -> None:
    corpus = load_corpus(name)
    found = by_source(corpus, neutral_texts(corpus))
    assert {len(texts) for texts in found.values()} == {1}
    assert None not in {next(iter(texts)) for texts in found.values()}
    # Different sources say different things; in identity-names a source is a template.
    assert len({next(iter(texts)) for texts in found.values()}) == len(found) == corpus.frame["source"].n_unique()


def test_in_the_eec_each_sentence_gives_it_by_itself() -> None:
    frame = eec().frame.select("text", "term", "kind", "role", "gender")
    found = [
        neutral_text(text, term, kind=kind, role=role, gender=gender)
        for text, term, kind, role, gender in frame.iter_rows()
    ]
    assert tuple(found) == neutral_texts(eec())


def test_the_sentences_of_the_eec_are_right() -> None:
    expected = {
        "This person feels angry.",
        "The situation makes this person feel angry.",
        "I made this person feel angry.",
        "This person made me feel angry.",
        "This person found themselves in an annoying situation.",
        "This person found themselves in a displeasing situation.",
        "This person told us all about the recent vexing events.",
        "The conversation with this person was grim.",
        "I saw this person in the market.",
        "I talked to this person yesterday.",
        "This person goes to the school in our neighborhood.",
        "This person has two children.",
    }
    assert expected <= set(neutral_texts(eec()))


@pytest.mark.slow
def test_in_eec_extended_only_singular_they_needs_the_others() -> None:
    corpus = load_corpus("eec-extended")
    frame = corpus.frame.select("text", "term", "kind", "role", "gender", "person")
    alone = {
        person
        for text, term, kind, role, gender, person in frame.iter_rows()
        if neutral_text(text, term, kind=kind, role=role, gender=gender) is None
    }
    assert alone == {"they"}
    row = frame.with_row_index().filter(pl.col("text") == "They feel angry.")["index"][0]
    assert neutral_texts(corpus)[row] == "This person feels angry."


@pytest.mark.parametrize(
    ("text", "about", "neutral"),
    [
        ("She feels sad.", {"term": "she", "kind": "pronoun", "role": "subject"}, "This person feels sad."),
        ("I saw her yesterday.", {"term": "her", "kind": "pronoun", "role": "object"}, "I saw this person yesterday."),
        ("Xe found xemself here.", {"term": "xe", "kind": "pronoun"}, "This person found themselves here."),
        ("His keys are lost.", {"term": "his"}, "This person's keys are lost."),
        ("Ebony's bicycle stood there.", {"term": "Ebony"}, "This person's bicycle stood there."),
        ("James' bicycle stood there.", {"term": "James"}, "This person's bicycle stood there."),
        ("It rained. My aunt stayed.", {"term": "my aunt"}, "It rained. This person stayed."),
        ("I saw my aunt. My aunt smiled.", {"term": "my aunt"}, "I saw this person. This person smiled."),
        ("My aunt is my best friend.", {"term": "aunt"}, "This person is my best friend."),
        ("He lost his keys.", {"term": "he", "kind": "pronoun"}, "This person lost their keys."),
        ("Alan says that he lost his keys.", {"term": "Alan", "gender": "male"},
         "This person says that this person lost their keys."),
        ("Alan saw her, and himself.", {"term": "Alan", "gender": "male"}, "This person saw her, and themselves."),
        ("The nurse found herself here.", {"term": "the nurse"}, "This person found themselves here."),
        ("The nurse met them.", {"term": "the nurse"}, "This person met them."),
        ("“My aunt left,” I said.", {"term": "my aunt"}, "“This person left,” I said."),
        ("An Asian guest left.", {"term": "Asian", "kind": "identity", "role": "adjective"}, "A guest left."),
        ("I met a deaf engineer.", {"term": "deaf", "kind": "identity", "role": "adjective"}, "I met an engineer."),
        ("Here is a guest with epilepsy.", {"term": "with epilepsy", "kind": "identity", "role": "adjective"},
         "Here is a guest."),
        ("I met an atheist.", {"term": "atheist", "kind": "identity", "role": "noun"}, "I met a person."),
        ("Sikhs arrived.", {"term": "Sikhs", "kind": "identity", "role": "plural"}, "People arrived."),
    ],
)  # fmt: skip
def test_grammar(text: str, about: dict[str, str], neutral: str) -> None:
    assert neutral_text(text, **about) == neutral  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "about", "why"),
    [
        ("I saw her duck.", {"term": "her", "kind": "pronoun"}, "'her' may be an object or a possessive"),
        ("I told her about her exam.", {"term": "her", "kind": "pronoun", "role": "object"}, "may be an object"),
        ("Ann lost her keys.", {"term": "Ann", "gender": "female"}, "'her' may be an object or a possessive"),
        ("The keys are his.", {"term": "his"}, "no rule for 'his'"),
        ("Ann says it is hers.", {"term": "Ann", "gender": "female"}, "no rule for 'hers'"),
        ("They feel sad.", {"term": "they", "kind": "pronoun"}, "agree with 'they' otherwise"),
        ("The nurse lost his keys.", {"term": "the nurse"}, "not known for whom its pronouns stand"),
        ("The nurse hid herself from himself.", {"term": "the nurse"}, "not known for whom"),
        ("Shell feels sad.", {"term": "she", "kind": "pronoun"}, "'she' does not stand in it"),
        ("frank talk with Anna", {"term": "Frank", "kind": "name"}, "'Frank' does not stand in it"),
        ("I saw She in it.", {"term": "she", "kind": "pronoun"}, "'she' does not stand in it"),
        ("I am deaf.", {"term": "deaf", "kind": "identity", "role": "adjective"}, "cannot be told what is left"),
        ("I am Sikh.", {"term": "Sikh", "kind": "identity", "role": "noun"}, "cannot be told what is left"),
        ("A black guest drove a black car.", {"term": "black", "kind": "identity", "role": "adjective"}, "2 times"),
        ("It rained.", {"term": ""}, "not known which words"),
    ],
)
def test_what_cannot_be_told_is_not_guessed(text: str, about: dict[str, str], why: str) -> None:
    assert neutral_text(text, **about) is None  # type: ignore[arg-type]
    rules = language("en")
    assert rules.neutral is not None
    given = {"kind": None, "role": None, "gender": None} | about
    with pytest.raises(CannotBeMade, match=why):
        Sentence(text, rules, rules.neutral).about_nobody(**given)  # type: ignore[arg-type]


def corpus_of(rows: Sequence[tuple[str, str, str]], name: str = "tiny", **columns: Sequence[str | None]) -> Corpus:
    """Rows of source, person (and term) and text."""
    frame = pl.DataFrame(
        {
            "id": [str(number) for number in range(len(rows))],
            "source": [row[0] for row in rows],
            "person": [row[1] for row in rows],
            "term": [row[1] for row in rows],
            "text": [row[2] for row in rows],
            "gender": ["female", "male"] * (len(rows) // 2),
            **columns,
        }
    )
    return Corpus(frame, name, {"gender": ("female", "male")})


def test_a_sentence_takes_what_the_others_of_its_source_give_if_they_agree() -> None:
    rows = [("1", "she", "She lost her keys."), ("1", "he", "He lost his keys.")]
    assert neutralised(corpus_of(rows), code="en") == NeutralTexts(("This person lost their keys.",) * 2, (None, None))
    alone = neutralised(corpus_of([("2", *rows[0][1:]), rows[1]]), code="en")
    assert alone.texts == (None, "This person lost their keys.")
    assert alone.reasons == ("'her' may be an object or a possessive", None)
    countries = corpus_of([rows[1], ("1", "Chad", "Chad lost its way.")], kind=["pronoun", "country"])
    assert neutral_texts(countries, code="en") == ("This person lost their keys.", None)
    uneven = [*rows, ("1", "Ann", "Ann lost the keys."), ("1", "Alan", "Alan lost the car.")]
    assert neutral_texts(corpus_of(uneven), code="en")[0] is None


def test_reasons_of_a_whole_corpus() -> None:
    rows = [("1", "Ann", "Ann smiles."), ("1", "Bob", "Bob smiles.")]
    assert set(neutralised(corpus_of(rows)).reasons) == {"it is not known which language the corpus 'tiny' is in"}
    assert set(neutralised(corpus_of(rows), code="da").reasons) == {
        "there are no rules for a neutral person in the language 'da'"
    }
    assert set(neutralised(load_corpus("ner-country")).reasons) == {"it is about a country and not about a person"}
    without = Corpus(eec().frame.drop("term"), "eec", eec().attributes)
    assert set(neutralised(without).reasons) == {"it is not known which words stand for the person"}
    assert set(neutral_texts(without)) == {None}


@pytest.mark.slow
def test_identities_leave_the_same_sentence_or_none() -> None:
    corpus = load_corpus("identity")
    found = neutralised(corpus)
    assert {len(texts) for texts in by_source(corpus, found.texts).values()} == {1}
    without = corpus.frame.with_columns(neutral=pl.Series(found.texts)).filter(pl.col("neutral").is_null())
    # "… cared for my mother and gave her hope": her is the mother.
    assert without["source"].n_unique() == 1
    assert set(found.reasons) == {None, "it is not known for whom its pronouns stand"}
    assert {"A customer asked about the opening hours.", "The form was filled in by a person.",
            "The study measured the sleep of people.",
            "Working with an engineer was a real pleasure."} <= set(found.texts)  # fmt: skip


def test_spanish_keeps_the_feminine_of_persona() -> None:
    corpus = load_corpus("es-emotions")
    found = set(neutral_texts(corpus))
    assert {"Esta persona está furiosa.", "¿Esta persona sigue tan furiosa?", "¡Esta persona ya llegó al mercado!",
            "Esta persona se vio a sí misma en una situación molesta.",
            "La conversación con esta persona fue molesta."} <= found  # fmt: skip
    assert not [text for text in found if text and "furioso" in text]
    assert neutral_text("Él está triste.", "él", code="es", gender="male") is None


def test_the_rules_of_a_language_are_checked() -> None:
    rules = {
        "agreement": ["one"],
        "pronouns": {"sie": {"object": "sie", "reflexive": "sich"}, "er": {"object": "ihn", "reflexive": "sich"}},
        "pronoun_of": {},
    }
    # A form of two pronouns belongs to the first.
    assert Language.model_validate(rules).pronoun_by_form == {"sie": "sie", "sich": "sie", "ihn": "er", "er": "er"}
    neutral = {"phrase": "diese Person", "reflexive": "sich", "agreement": "feminine"}
    with pytest.raises(ValidationError, match="no agreement 'feminine'"):
        Language.model_validate(rules | {"neutral": neutral})
