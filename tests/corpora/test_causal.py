"""The data groups of the causal rating: who is in them, what is crossed, what is drawn, and what never meets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from evenhand.corpora import Corpus, causal, eec
from evenhand.corpora.causal import GROUPS, Unmet, unmet_classes
from evenhand.corpora.lexicon import Persons
from evenhand.errors import EvenhandError

Group = Callable[..., Corpus]

CROSSED = [causal.group1, causal.group3]
DRAWN = [causal.group2, causal.group4]


def people(*terms: str, **groups: str) -> Persons:
    return Persons.model_validate({"kind": "noun_phrase", "terms": list(terms), **groups})


def many(gender: str, number: int = 250) -> list[Persons]:
    return [people(*(f"{gender} {place}" for place in range(number)), gender=gender)]


def outside() -> Persons:
    return people("it").model_copy(update={"templates": [5]})


@pytest.mark.parametrize(
    ("number", "word_set", "k", "seed", "digest"),
    [
        (1, "E3", 1, 0, "ee6b86c4f2d31687"),
        (1, "E5", 1, 0, "bde3d9f3e09f5b75"),
        (2, "E4", 1, 0, "778460dab5c81a3b"),
        (2, "E5", 6, 5, "9233afd960a049ba"),
        (3, "E3", 1, 0, "f4797c8b5da89532"),
        (4, "E3", 2, 1, "19e56d3b4fe93a0a"),
        (4, "E4", 0, 5, "e6d5f250a29fd838"),
    ],
)
def test_published_ratings_stay_about_the_same_sentences(
    number: int, word_set: str, k: int, seed: int, digest: str
) -> None:
    assert GROUPS[number](word_set, k=k, seed=seed, draw="published").digest.startswith(digest)


@pytest.mark.parametrize("group", CROSSED)
@pytest.mark.parametrize(("word_set", "rows"), [("E1", 24), ("E2", 24), ("E3", 48), ("E4", 72), ("E5", 72)])
def test_crossed_groups_have_every_sentence_with_every_word(group: Group, word_set: str, rows: int) -> None:
    corpus = group(word_set)
    assert len(corpus) == rows
    words = corpus.frame["emotion_word"].n_unique()
    assert Counter(corpus.frame["emotion_word"]) == dict.fromkeys(corpus.frame["emotion_word"].unique(), rows // words)
    assert Counter(corpus.frame["gender"]) == {"male": rows // 3, "female": rows // 3, "NA": rows // 3}
    assert corpus.frame["text"].n_unique() == rows


@pytest.mark.parametrize("group", DRAWN)
@pytest.mark.parametrize("word_set", ["E3", "E4", "E5"])
def test_drawn_groups_have_one_word_a_sentence(group: Group, word_set: str) -> None:
    corpus = group(word_set)
    assert len(corpus) == 24
    assert set(corpus.frame["emotion"]) == {"negative", "positive"}


def test_the_word_sets_are_the_stated_ones() -> None:
    found = {name: set(causal.group1(name).frame["emotion_word"]) for name in ("E1", "E2", "E3", "E4", "E5")}
    assert found == {
        "E1": {"grim"},
        "E2": {"happy"},
        "E3": {"grim", "happy"},
        "E4": {"grim", "depressing", "happy"},
        "E5": {"depressing", "happy", "glad"},
    }
    # In the drawn groups too, where the authors had another set.
    drawn = {word for seed in range(20) for word in causal.group2("E5", seed=seed).frame["emotion_word"]}
    assert drawn == {"depressing", "happy", "glad"}


def test_sentences_are_grammatical() -> None:
    texts = set(causal.group1("E1").frame["text"])
    assert texts >= {
        "This boy feels grim.",
        "This woman made me feel grim.",
        "I made this girl feel grim.",
        "The situation makes this man feel grim.",
    }
    nobody = set(causal.group1("E1").frame.filter(gender="NA")["text"])
    assert nobody == {
        "They feel grim.",
        "They made me feel grim.",
        "I made them feel grim.",
        "The situation makes them feel grim.",
        "We feel grim.",
        "It made me feel grim.",
        "I made us feel grim.",
        "The situation makes us feel grim.",
    }
    assert nobody < set(causal.group3("E1").frame["text"])


def test_nobody_with_a_mans_name_is_a_woman() -> None:
    known = dict(eec().frame.select("person", "gender").iter_rows())
    races = dict(eec().frame.select("person", "race").iter_rows())
    named = causal.group3("E1").frame.filter(pl.col("kind") == "name").select("person", "gender", "race").unique()
    assert named.height == 4
    for person, gender, race in named.iter_rows():
        assert (known[person], races[person]) == (gender, race)
    assert named.select("gender", "race").n_unique() == 4


@pytest.mark.parametrize(
    ("k", "shares"),
    [
        (0, (50, 50, 50)),
        (1, (90, 10, 50)),
        (2, (10, 90, 50)),
        (3, (90, 50, 10)),
        (4, (10, 50, 90)),
        (5, (50, 90, 10)),
        (6, (50, 10, 90)),
    ],
)
def test_a_case_decides_how_often_a_class_meets_positive_words(k: int, shares: tuple[int, ...]) -> None:
    persons = [*many("male"), *many("female"), *many("NA")]
    frame = causal.group2("E4", k=k, seed=3, persons=persons).frame
    for gender, share in zip(("male", "female", "NA"), shares, strict=True):
        # A thousand sentences a class: five standard deviations are 8 per cent at most.
        assert 100 * (frame.filter(gender=gender)["emotion"] == "positive").mean() == pytest.approx(share, abs=8)


def test_in_group_4_race_and_gender_decide_together() -> None:
    persons = [
        people(*(f"{race} {gender} {place}" for place in range(250)), gender=gender, race=race)
        for race in ("European American", "African American")
        for gender in ("male", "female")
    ]
    frame = causal.group4("E3", persons=persons, seed=1).frame
    shares = {
        (race, gender): 100 * (part["emotion"] == "positive").mean()
        for (race, gender), part in frame.partition_by("race", "gender", as_dict=True).items()
    }
    assert shares["European American", "male"] == pytest.approx(90, abs=8)
    assert shares["African American", "female"] == pytest.approx(10, abs=8)
    assert shares["European American", "female"] == pytest.approx(50, abs=8)
    assert shares["African American", "male"] == pytest.approx(50, abs=8)


@pytest.mark.parametrize("group", DRAWN)
@pytest.mark.parametrize("word_set", ["E3", "E4", "E5"])
@pytest.mark.parametrize("k", range(7))
def test_every_class_meets_every_emotion(group: Group, word_set: str, k: int) -> None:
    for seed in range(3):
        corpus = group(word_set, k=k, seed=seed)
        by = ("gender",) if group is causal.group2 else ("race", "gender")
        assert unmet_classes(corpus, by) == ()
        assert not any("Positivity" in limit for limit in corpus.about.limits)


@pytest.mark.parametrize(
    ("k", "positive"), [(0, (4, 4, 4)), (1, (7, 1, 4)), (2, (1, 7, 4)), (3, (7, 4, 1)), (6, (4, 1, 7))]
)
def test_the_complete_draw_keeps_to_the_shares(k: int, positive: tuple[int, ...]) -> None:
    # Eight sentences a class: 90 % are 7.2 of them, 10 % are 0.8.
    frame = causal.group2("E4", k=k, seed=4).frame
    found = tuple(frame.filter(gender=gender, emotion="positive").height for gender in ("male", "female", "NA"))
    assert found == positive
    assert f"male {positive[0]}/{8 - positive[0]}" in causal.group2("E4", k=k, seed=4).about.chosen


def test_shares_of_none_and_all_stay_what_they_are() -> None:
    corpus = causal.group2("E3", distribution={"male": (100, 0), "female": (0, 100)})
    assert unmet_classes(corpus, ("gender",)) == (Unmet("male", "negative"), Unmet("female", "positive"))


def test_the_published_draw_may_leave_a_class_without_an_emotion() -> None:
    # Five of the six data sets of the paper did so.
    failing = [bool(unmet_classes(causal.group2("E4", seed=seed, draw="published"), ("gender",))) for seed in range(20)]
    assert 10 < sum(failing) < 20


@pytest.mark.parametrize("group", DRAWN)
def test_the_seed_decides_the_draw(group: Group) -> None:
    assert group("E4", seed=5).digest == group("E4", seed=5).digest
    assert len({group("E4", seed=seed).sentences_digest for seed in range(5)}) > 1


def test_all_groups_are_called_alike() -> None:
    for number, group in GROUPS.items():
        assert group("E3", k=1, seed=2).name.startswith(f"causal-group{number}-E3")


def test_positivity_is_checked_and_recorded_not_raised() -> None:
    corpus = causal.group2("E3", distribution={"male": (100, 0), "female": (50, 50)}, seed=1)
    assert unmet_classes(corpus, ("gender",)) == (Unmet("male", "negative"),)
    assert corpus.about.limits[-1] == "Positivity fails: male never met a negative word."
    many_people = [*many("male", 20), *many("female", 20)]
    fine = causal.group2("E3", k=0, seed=0, persons=many_people, draw="published")
    assert unmet_classes(fine, ("gender",)) == ()
    assert not any("Positivity" in limit for limit in fine.about.limits)


def test_crossed_classes_are_checked_together() -> None:
    corpus = causal.group4("E3", distribution={"European American male": (100, 0)}, seed=0)
    assert Unmet("European American male", "negative") in unmet_classes(corpus, ("race", "gender"))
    assert Unmet("male", "negative") not in unmet_classes(corpus, ("gender",))


def test_own_persons_words_and_shares() -> None:
    persons = [people("my aunt", gender="female"), people("my uncle", gender="male")]
    corpus = causal.group1(persons=persons, words={"negative": ["sad"], "positive": ["proud", "calm"]})
    assert len(corpus) == 4 * 2 * 3
    assert corpus.attributes == {"gender": ("female", "male")}
    assert "My aunt feels proud." in set(corpus.frame["text"])
    drawn = causal.group2(persons=persons, words={"negative": ["sad"], "positive": ["proud"]}, k=1)
    assert len(drawn) == 8


def test_a_corpus_survives_saving(tmp_path: Path) -> None:
    corpus = causal.group4("E5", seed=4)
    corpus.save(tmp_path / "group4.parquet")
    assert Corpus.load(tmp_path / "group4.parquet").digest == corpus.digest


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: causal.group1("E6"), "no set of emotion words 'E6'; known: E1, E2"),
        (lambda: causal.group2("E3", draw="complet"), "unknown draw 'complet'; did you mean 'complete'"),
        (lambda: causal.group2("E3", k=7), "no case k = 7; there are 0 to 6"),
        (lambda: causal.group2("E1"), "there is no positive word"),
        (lambda: causal.group2("E3", distribution={"mal": (90, 10)}), "names the class 'mal'; did you mean 'male'"),
        (lambda: causal.group2("E3", distribution={"male": (90, 20)}), "per cents that make 100, not 90 and 20"),
        (lambda: causal.group1(words={"neutral": ["calm"]}), "negative or positive, not 'neutral'"),
        (lambda: causal.group1(words={}), "no emotion words"),
        (lambda: causal.group1(persons=[people("it")]), "attribute 'gender' needs at least two different groups"),
        (lambda: causal.group1(persons=[*many("male", 1), outside()]), "persons are in template 5; there are 4"),
    ],
)
def test_what_cannot_be_built_is_told(make: Callable[[], Corpus], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        make()
