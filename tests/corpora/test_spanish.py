"""The Spanish corpus agrees in gender, contracts and opens its sentences, and everything after it works."""

from __future__ import annotations

import re

import polars as pl
import pytest

from evenhand import audit
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus, load_corpus


@pytest.fixture(scope="module")
def spanish() -> Corpus:
    return load_corpus("es-emotions")


@pytest.mark.parametrize(
    "text",
    [
        "Ella está enojada.",
        "Él está enojado.",
        "Lucía está contenta.",
        "José está contento.",
        "Mi hermana está feliz.",
        "Mi hermano está feliz.",
        "¿Ella sigue tan triste?",
        "¿El profesor sigue tan nervioso?",
        "¿La profesora sigue tan nerviosa?",
        "Ayer estuve con mi madre, que parecía muy ilusionada.",
        "Ayer estuve con el vecino, que parecía muy asustado.",
        "Ella es la cliente más furiosa de la tienda.",
        "Mi padre es el cliente más alegre de la tienda.",
        "Ella se vio a sí misma en una situación espantosa.",
        "Este hombre se vio a sí mismo en una situación espantosa.",
        "La conversación con él fue molesta.",
        "Le conté al médico una historia divertida.",
        "Le conté a la médica una historia divertida.",
        "Le conté a él una historia divertida.",
        "La reacción del vecino fue alarmante.",
        "La reacción de la vecina fue alarmante.",
        "La reacción de él fue alarmante.",
        "Hablé con mi abuelo por la mañana.",
        "Esta mujer vive cerca de la plaza.",
        "Le presté el libro al profesor.",
        "¡Él ya llegó al mercado!",
        "¡Mi tía ya llegó al mercado!",
    ],
)
def test_sentences_agree(spanish: Corpus, text: str) -> None:
    assert text in set(spanish.frame["text"])


def test_counts(spanish: Corpus) -> None:
    frame = spanish.frame
    assert frame.height == frame["text"].n_unique() == 46 * (8 * 20 + 4)
    assert frame["source"].n_unique() == 164
    assert set(frame.group_by("source").len()["len"]) == {46}
    assert frame["template"].n_unique() == 12
    assert set(frame.group_by("gender").len()["len"]) == {frame.height // 2}
    assert set(frame.filter(pl.col("person").is_in(["ella", "él"]))["kind"]) == {"pronoun"}


def test_no_sentence_keeps_a_place_a_bar_a_double_space_or_what_contracts(spanish: Corpus) -> None:
    wrong = re.compile(r"[{}|]|  |\b([Aa]|[Dd]e) el\b")
    assert not [text for text in spanish.frame["text"] if wrong.search(text)]


def test_sentences_begin_with_a_capital_and_close_what_they_open(spanish: Corpus) -> None:
    for text in spanish.frame["text"]:
        assert text.lstrip("¿¡")[0].isupper(), text
        assert (text[0] == "¿") == (text[-1] == "?"), text
        assert (text[0] == "¡") == (text[-1] == "!"), text


def test_adjectives_agree_with_everybody(spanish: Corpus) -> None:
    of_state = spanish.frame.filter(
        pl.col("text").str.contains(" está ") & ~pl.col("emotion_word").is_in(["alegre", "feliz", "triste"])
    )
    endings = of_state.with_columns(ending=pl.col("text").str.slice(-2, 1))
    assert set(endings.select("gender", "ending").iter_rows()) == {("female", "a"), ("male", "o")}


def test_in_the_subset_person_only_nothing_else_changes(spanish: Corpus) -> None:
    rows = spanish.frame.filter(spanish.mask("person-only") & (spanish.frame["kind"] == "name"))
    rest = {text.replace(person, "X") for text, person in rows.select("text", "person").iter_rows()}
    assert len(rest) == rows["source"].n_unique() == 3 * 20 + 4


def test_the_comparison_can_speak_for_persons_in_general(spanish: Corpus) -> None:
    (made,) = contrasts(spanish, "gender")
    assert made.not_general is None
    assert made.shape == (14 * 164, 46 * 164)


def test_a_planted_gap_is_found_and_none_is_not(spanish: Corpus) -> None:
    report = audit(
        ["planted(gap=0.05,person_sd=0.005)", "planted(gap=0,person_sd=0.005)"],
        spanish,
        subsets=["all", "person-only"],
        progress=False,
    )
    verdicts = [finding.verdict for finding in report.findings]
    assert sorted(verdicts) == ["equivalent", "equivalent", "higher", "higher"]
