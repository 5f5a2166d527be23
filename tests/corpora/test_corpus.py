"""A corpus draws whole sources and knows its subsets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.errors import EvenhandError, UsageError


@pytest.mark.parametrize(
    ("subset", "sentences"),
    [
        ("all", 8640),
        ("neutral", 240),
        ("emotional", 8400),
        ("emotion=anger", 2100),
        ("names", 5760),
        ("noun-phrases", 2880),
        ("names,gender=female", 2880),
    ],
)
def test_subsets_have_their_size(subset: str, sentences: int) -> None:
    assert eec().mask(subset).sum() == sentences


@pytest.mark.parametrize(
    ("subset", "message"),
    [
        ("neutrl", "unknown subset 'neutrl'; did you mean 'neutral'"),
        ("emotoin=joy", "no column 'emotoin'; did you mean 'emotion'"),
        ("emotion=jy", "no sentence has that value; did you mean 'joy'"),
    ],
)
def test_unknown_subsets_get_a_hint(subset: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        eec().mask(subset)


def test_a_sample_holds_whole_sources() -> None:
    drawn = eec().sample(1000, seed=3)
    assert len(drawn) == 960
    assert set(drawn.frame.group_by("source").len()["len"]) == {60}
    assert drawn.frame.equals(eec().sample(1000, seed=3).frame)
    assert not drawn.frame.equals(eec().sample(1000, seed=4).frame)


def test_a_sample_too_small_for_two_sources_is_refused() -> None:
    with pytest.raises(UsageError, match="ask for at least 120"):
        eec().sample(119)


def test_a_corpus_survives_saving(tmp_path: Path) -> None:
    drawn = eec().sample(960)
    drawn.save(tmp_path / "corpus.parquet")
    loaded = Corpus.load(tmp_path / "corpus.parquet")
    assert loaded.digest == drawn.digest
    assert loaded.frame.equals(drawn.frame)
    assert (loaded.attributes, loaded.groupings, loaded.about) == (drawn.attributes, drawn.groupings, drawn.about)
    assert loaded.drawn_from == eec().digest
    assert loaded.mask("neutral").sum() == drawn.mask("neutral").sum()


def test_another_parquet_file_is_no_corpus(tmp_path: Path) -> None:
    eec().frame.write_parquet(tmp_path / "other.parquet")
    with pytest.raises(EvenhandError, match="not one of corpora that Evenhand saved"):
        Corpus.load(tmp_path / "other.parquet")


def test_persons_pairs_templates_and_words_can_be_left_out() -> None:
    whole = eec()
    without = whole.without(["Tia", "she/he", "<person> feels <state>.", "furious"])
    assert {"Tia", "she", "he"}.isdisjoint(without.frame["person"])
    assert "<person> feels <state>." not in set(without.frame["template"])
    assert "furious" not in set(without.frame["emotion_word"])
    assert without.drawn_from == whole.digest
    assert whole.without([]) is whole


def test_who_is_not_there_cannot_be_left_out() -> None:
    with pytest.raises(UsageError, match=r"no person, pair or template 'Tai' to leave out; did you mean 'Tia'\?"):
        eec().without(["Tai"])
    men = sorted(set(eec().frame.filter(eec().frame["gender"] == "male")["person"]))
    with pytest.raises(UsageError, match="too little is left"):
        eec().without(men)


def test_a_digest_does_not_depend_on_how_many_rows_are_looked_at_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = load_corpus("ner-country").sample(200)
    expected = whole.digest
    monkeypatch.setattr("evenhand.corpora.corpus.ROWS_AT_A_TIME", 7)
    assert replace(whole).digest == expected
