"""Identity terms come with their sources and with how they are received; none is a slur."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from evenhand.corpora import load_corpus
from evenhand.corpora.lexicon import Lexicon, Persons, Term, lexicon
from evenhand.errors import EvenhandError, UsageError

IDENTITIES = ("age", "disability", "gender", "nationality", "race", "religion", "sexual_orientation")
EVERYDAY_WORDS = {
    *("ace", "adult", "bi", "black", "blind", "cis", "disabled", "gay", "lady", "old", "queer", "questioning"),
    *("secular", "senior", "straight", "white"),
}
"""Words whose other sense a reader meets as often."""
AMBIGUOUS_IN_COMPANY = {"black", "blind", "gay", "straight", "white"}
"""Of these, those to which a second word ("straight woman") gives no sense of its own; "cis woman" leaves no doubt."""


def terms(name: str) -> list[tuple[Persons, Term]]:
    return [(persons, term) for persons in lexicon(name).persons for term in persons.terms if isinstance(term, Term)]


@pytest.mark.parametrize("name", IDENTITIES)
def test_every_term_has_a_source_and_a_flag(name: str) -> None:
    for persons, term in terms(name):
        assert persons.source or term.source, term
        assert term.use in ("preferred", "acceptable", "contested"), term
        if term.use == "contested":
            assert term.note, term
        if term.use == "preferred":
            assert set(term.source) - {"phrase"}, term


@pytest.mark.parametrize("name", [*IDENTITIES, "names"])
def test_every_source_is_used_and_dated_or_named(name: str) -> None:
    used = {source for persons in lexicon(name).persons for source in persons.named_sources}
    assert used == set(lexicon(name).sources)
    assert all(len(source) > 20 for source in lexicon(name).sources.values())


@pytest.mark.parametrize("name", IDENTITIES)
def test_every_group_has_a_term_that_is_not_contested(name: str) -> None:
    for persons in lexicon(name).persons:
        assert any(isinstance(term, Term) and term.use != "contested" for term in persons.terms), persons.groups


@pytest.mark.parametrize("name", IDENTITIES)
def test_words_with_another_everyday_meaning_say_so(name: str) -> None:
    for _, term in terms(name):
        words = set(f"{term.adjective} {term.noun} {term.after}".lower().split())
        alone = {(term.adjective or "").lower(), (term.noun or "").lower()}
        if alone & EVERYDAY_WORDS or words & AMBIGUOUS_IN_COMPANY:
            assert term.ambiguous, term


@pytest.mark.parametrize("name", ["identity", "identity-names"])
def test_single_words_that_a_lexicon_of_sentiment_rates_are_noted(name: str) -> None:
    rated = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer().lexicon
    frame = load_corpus(name).frame.unique(["person", "term"])
    noted = load_corpus(name).ambiguous
    for person, term in frame.select("person", "term").iter_rows():
        if term.lower() in rated:
            assert person in noted, term


def test_figures_place_each_nationality_in_its_sixth() -> None:
    sixths = lexicon("nationality").attributes["nationality"]
    assert (sixths[0], sixths[-1]) == ("lowest GDP", "highest GDP")
    starts = dict(zip(sixths, (0, 3.84, 12.04, 32.82, 77.91, 347.2), strict=True))
    ends = dict(zip(sixths, (3.14, 11.89, 32.67, 77.15, 341.2, 20_000), strict=True))
    for persons, term in terms("nationality"):
        sixth = persons.groups["nationality"]
        assert term.figure is not None, term
        assert starts[sixth] * 1.04 < term.figure < ends[sixth] / 1.04, term
    assert "2014" in lexicon("nationality").sources["factbook2014"]


def test_no_slur_can_be_listed() -> None:
    with pytest.raises(ValidationError, match="preferred"):
        Term(adjective="x", use="slur")  # type: ignore[arg-type]
    for name in IDENTITIES:
        for _, term in terms(name):
            assert not re.search(r"slur|derogat|pejorative|offensive", f"{term.note} {term.ambiguous}"), term


def test_what_is_contested_needs_a_note() -> None:
    with pytest.raises(ValidationError, match="'odd person' is contested: a note must say by whom"):
        Term(adjective="odd", use="contested")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"adjective": "deaf", "after": "with epilepsy"}, "either adjective"),
        ({"noun": "Sikh"}, "either adjective"),
        ({"adjective": "deaf", "plural": "deaf folk"}, "'deaf folk' needs its noun"),
    ],
)
def test_forms_must_be_whole(given: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Term.model_validate(given)


def test_sources_must_exist() -> None:
    part = {"kind": "identity", "age": "old", "terms": [{"adjective": "old", "source": ["nobody"]}]}
    given = {"sources": {"somebody": "Somebody (2020)"}, "attributes": {"age": ["old", "young"]}, "persons": [part]}
    with pytest.raises(ValidationError, match="'old person': no source 'nobody'; did you mean 'somebody'"):
        Lexicon.model_validate(given)
    with pytest.raises(ValidationError, match="'old person' has no source"):
        Lexicon.model_validate(given | {"persons": [part | {"terms": [{"adjective": "old"}]}]})


def test_names_say_what_else_they_mean_only_if_they_are_there() -> None:
    with pytest.raises(ValidationError, match="'Frank' is called ambiguous and is not among the terms"):
        Persons.model_validate({"terms": ["Alan"], "ambiguous": {"Frank": "honest"}})


def test_an_unknown_lexicon_gets_a_hint() -> None:
    with pytest.raises(UsageError, match="unknown lexicon 'relgion'; did you mean 'religion'"):
        lexicon("relgion")


OWN = {
    "name": "own",
    "lexicons": ["age"],
    "templates": [
        "Nobody here.. {a} {person as guest} came.",
        {"text": ["{person.plural} sang.", "We met {a} {person.noun}."], "label": "neutral", "mood": "calm"},
    ],
}


def own(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(OWN | changes))
    return path


def test_users_fill_their_templates_from_a_lexicon(tmp_path: Path) -> None:
    corpus = load_corpus(own(tmp_path))
    assert corpus.attributes == {"age": ("young", "adult", "old")}
    assert len(corpus) == 3 * 19
    assert {"Teenagers sang.", "We met an adult."} <= set(corpus.frame["text"])
    assert corpus.frame["label"].to_list()[:19] == [None] * 19
    assert corpus.frame["mood"].to_list()[19:] == ["calm"] * 38
    assert "Dixon" in corpus.about.source


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lexicons": ["aeg"]}, "unknown lexicon 'aeg'; did you mean 'age'"),
        ({"templates": ["{a} {person as } came."]}, "unknown slot {person as }"),
        ({"templates": [{"text": "{person.noun} sang.", "role": "x"}]}, "gives the column 'role', which is taken"),
        ({"templates": [{"text": "{person.noun} sang.", "age": "x"}]}, "gives the column 'age', which is taken"),
        ({"templates": [{"text": "{person.noun} sang.", "attribute": "aeg"}]}, "about 'aeg'; did you mean 'age'"),
        ({"templates": [{"txt": "{person.noun} sang."}]}, r"templates\.0\.text: Field required"),
        ({"persons": [{"age": "old", "terms": ["Ann"]}]}, "'Ann' has no form for {person as guest}"),
    ],
)
def test_mistakes_in_templates_are_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(EvenhandError, match=re.escape(message) if "{" in message else message):
        load_corpus(own(tmp_path, **changes))


def test_templates_of_one_attribute_ask_only_its_persons(tmp_path: Path) -> None:
    templates = ["We met {a} {person.noun}.", {"text": "{person.plural} sang.", "attribute": "religion"}]
    path = own(tmp_path, lexicons=["age", "religion"], templates=templates, one_attribute_at_a_time=True)
    corpus = load_corpus(path)
    assert set(corpus.frame["source"]) == {"age:1", "religion:1", "religion:2"}
    assert corpus.frame.filter(source="religion:2")["age"].is_null().all()


def test_the_recipe_in_the_docs_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text(encoding="utf-8")
    (recipe,) = (block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "templates:" in block)
    (tmp_path / "service.yaml").write_text(recipe)
    corpus = load_corpus(tmp_path / "service.yaml")
    assert "A customer with epilepsy waited for an hour." in set(corpus.frame["text"])
    assert "The shop staff adore left-handers." in set(corpus.frame["text"])
    assert set(corpus.frame.filter(handedness="left")["use"]) == {"acceptable"}
