"""Parts of speech by a spaCy pipeline apart: the real package, and folders that are none."""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path

import pytest
import spacy

from evenhand import EvenhandError, UsageError
from evenhand.corpora.text import Perturber
from evenhand.corpora.text.advice import Advice
from evenhand.specs.advising import advice_of
from evenhand.systems.yours import spacy_words
from evenhand.systems.yours.spacy_words import KNOWN, SMALL, SpacyWords


def test_the_small_pipeline_tells_who_owns_and_who_does_not() -> None:
    tagger = SpacyWords(SMALL)
    try:
        found = {(one.start, one.tag) for one in tagger.words("Her boss fired her.")}
        assert {(0, "PRP$"), (15, "PRP")} <= found
        assert tagger.digest == KNOWN[SMALL]
        text = "I watched her present to the board."
        assert Perturber("gender", advice=Advice(tagger)).analysis(text).reason == "“her” as the tagger reads it"
    finally:
        tagger.close()


def test_the_package_holds_neither_pickles_nor_code_beyond_its_loader() -> None:
    files = metadata.files(SMALL) or []
    assert [str(one) for one in files if one.suffix == ".py"] == [f"{SMALL}/__init__.py"]
    assert not [one for one in files if one.suffix in (".pkl", ".pickle", ".joblib", ".so", ".pyd")]


def test_other_files_under_its_name_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = spacy.blank("en")
    made.add_pipe("tagger").add_label("NN")
    made.initialize()
    folder = tmp_path / "other"
    made.to_disk(folder)
    monkeypatch.setitem(spacy_words.KNOWN, str(folder), hashlib.sha256(b"").hexdigest())
    with pytest.raises(EvenhandError, match="not the known ones"):
        spacy_words.HostedWords(str(folder))


def test_what_is_no_tagger_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a folder 'nowhere' nor an installed package"):
        advice_of("nowhere", None)
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UsageError, match="tells no parts of speech"):
        advice_of(str(tmp_path / "blank"), None)
    with pytest.raises(UsageError, match="cannot be the referee"):
        advice_of(None, "vader")
