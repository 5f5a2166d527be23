"""The systems whose answers are known beforehand: planted, random and biased-female."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.hashed import normal, uniform
from evenhand.systems.known_bias.biased_female import BiasedFemale
from evenhand.systems.known_bias.planted import Planted
from evenhand.systems.known_bias.random_uniform import RandomUniform


def by_person(system: Planted, corpus: Corpus) -> dict[str, float]:
    """Each person's score in the source 'sad'."""
    rows = corpus.frame.filter(pl.col("source") == "sad")
    return dict(zip(rows["person"], system.score(rows["text"].to_list())[:, 0], strict=True))


def test_the_first_group_gets_exactly_the_gap_more_than_the_second(corpus: Corpus) -> None:
    scores = by_person(Planted(corpus, gap=0.02), corpus)
    assert scores["Ebony"] - scores["Jamel"] == pytest.approx(0.02, abs=1e-15)
    assert scores["Ebony"] == scores["Ellen"]
    assert scores["Jamel"] == scores["my dad"]


def test_whoever_has_no_group_lies_in_between(corpus: Corpus) -> None:
    scores = by_person(Planted(corpus, gap=0.02), corpus)
    assert scores["they"] - scores["Jamel"] == pytest.approx(0.01, abs=1e-15)


def test_a_gap_in_race_leaves_gender_alone(corpus: Corpus) -> None:
    scores = by_person(Planted(corpus, gap=0.1, attribute="race"), corpus)
    assert scores["Ebony"] - scores["Ellen"] == pytest.approx(0.1, abs=1e-15)
    assert scores["Ebony"] == scores["Jamel"]


def test_persons_effects_follow_the_person_through_all_sources(corpus: Corpus) -> None:
    system = Planted(corpus, gap=0, person_sd=0.01)
    sad, glad = system.score(corpus.frame["text"].to_list()).reshape(2, -1)
    np.testing.assert_allclose(sad - sad[0], glad - glad[0], atol=1e-15)
    assert len(set(sad)) == 5


def test_persons_effects_have_the_deviation_asked_for() -> None:
    corpus = eec()
    first = corpus.frame.filter(pl.col("source") == corpus.frame["source"][0])["text"].to_list()
    spreads = [Planted(corpus, gap=0, person_sd=0.005, seed=seed).score(first).std() for seed in range(20)]
    assert np.mean(spreads) == pytest.approx(0.005, rel=0.1)


def test_noise_has_the_deviation_asked_for() -> None:
    corpus = eec()
    texts = corpus.frame["text"].to_list()
    noise = Planted(corpus, noise=0.01).score(texts) - Planted(corpus).score(texts)
    assert noise.std() == pytest.approx(0.01, rel=0.05)
    assert noise.mean() == pytest.approx(0, abs=0.0005)


def test_sources_have_levels_of_their_own_between_035_and_065() -> None:
    levels = Planted(eec(), gap=0).score(eec().frame["text"].to_list())
    assert 0.35 <= levels.min() < 0.37
    assert 0.63 < levels.max() <= 0.65
    assert len(np.unique(levels)) == eec().frame["source"].n_unique()


def test_scores_are_clipped_to_their_range(corpus: Corpus) -> None:
    scores = by_person(Planted(corpus, gap=5), corpus)
    assert (scores["Ebony"], scores["Jamel"]) == (1, 0)


@pytest.mark.parametrize(
    "settings", [{"gap": 0.03}, {"attribute": "race"}, {"person_sd": 0.1}, {"noise": 0.1}, {"seed": 1}]
)
def test_every_setting_changes_the_fingerprint(corpus: Corpus, settings: dict[str, float]) -> None:
    assert Planted(corpus, **settings).fingerprint != Planted(corpus).fingerprint  # type: ignore[arg-type]


def test_another_corpus_changes_the_fingerprint(corpus: Corpus) -> None:
    other = replace(corpus, frame=corpus.frame.with_columns(source=pl.col("source") + "!"))
    assert Planted(other).fingerprint != Planted(corpus).fingerprint
    assert BiasedFemale(other).fingerprint != BiasedFemale(corpus).fingerprint


def test_a_text_outside_the_corpus_is_named(corpus: Corpus) -> None:
    with pytest.raises(EvenhandError, match=r"'planted' knows the corpus 'tiny' only, not 'Who is there\?'"):
        Planted(corpus).score(["Ebony feels sad.", "Who is there?"])


def test_an_unknown_attribute_gets_a_hint(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="no attribute 'gendr'; did you mean 'gender'"):
        Planted(corpus, attribute="gendr")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gap": float("nan")}, "gap must be a finite number, not nan"),
        ({"noise": -1.0}, "noise is a standard deviation and cannot be -1.0"),
    ],
)
def test_impossible_settings_are_refused(corpus: Corpus, settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Planted(corpus, **settings)  # type: ignore[arg-type]


def test_random_is_uniform_from_minus_one_to_one() -> None:
    texts = eec().frame["text"].to_list()
    answers = RandomUniform().score(texts)[:, 0]
    shares, _ = np.histogram(answers, bins=4, range=(-1, 1))
    np.testing.assert_allclose(shares / len(texts), 0.25, atol=0.02)


def test_random_seeds_give_unrelated_numbers() -> None:
    texts = eec().frame["text"].to_list()
    first, second = (RandomUniform(seed=seed).score(texts)[:, 0] for seed in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    assert RandomUniform(seed=0).fingerprint != RandomUniform(seed=1).fingerprint


def test_drawn_numbers_never_reach_the_ends() -> None:
    assert 0 < (0 + 0.5) / 2.0**52
    assert (2.0**52 - 1 + 0.5) / 2.0**52 < 1
    numbers = uniform("ends", 0, map(str, range(10_000)))
    assert 0 < numbers.min() < 0.001
    assert 0.999 < numbers.max() < 1


def test_normal_numbers_are_standard() -> None:
    numbers = normal("standard", 0, map(str, range(10_000)))
    assert numbers.mean() == pytest.approx(0, abs=0.03)
    assert numbers.std() == pytest.approx(1, abs=0.03)


def test_biased_female_looks_at_gender_alone(corpus: Corpus) -> None:
    answers = BiasedFemale(corpus).score(corpus.frame["text"].to_list())[:, 0]
    expected = [1.0 if gender == "female" else -1.0 for gender in corpus.frame["gender"]]
    assert answers.tolist() == expected


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yesterday EBONY laughed.", 1),
        ("Yesterday Jamel laughed.", -1),
        ("Jamel met Ellen.", 1),
        ("The ebonyware is new.", -1),
        ("Nobody laughed.", -1),
    ],
)
def test_biased_female_knows_terms_as_whole_words_elsewhere(corpus: Corpus, text: str, answer: int) -> None:
    assert BiasedFemale(corpus).score([text]).item() == answer


def test_biased_female_ignores_terms_that_other_groups_share(corpus: Corpus) -> None:
    shared = replace(corpus, frame=corpus.frame.with_columns(term=pl.lit("somebody")))
    assert BiasedFemale(shared).score(["There is somebody."]).item() == -1


def test_biased_female_does_not_guess_whom_a_shared_text_is_about(corpus: Corpus) -> None:
    same = corpus.frame.with_columns(text=pl.lit("Good morning."))
    shared = replace(corpus, frame=same)
    assert BiasedFemale(shared).score(["Good morning."]).item() == -1
    answers = BiasedFemale(shared).by_row(shared)[:, 0]
    assert answers.tolist() == [1 if gender == "female" else -1 for gender in corpus.frame["gender"]]


def test_biased_female_needs_a_corpus_with_women(corpus: Corpus) -> None:
    without = replace(corpus, attributes={"race": corpus.attributes["race"]})
    with pytest.raises(UsageError, match="needs a corpus with gender = 'female'; 'tiny' has none"):
        BiasedFemale(without)
