"""The identity corpora: who, in which sentences, with which label."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import polars as pl
import pytest

from evenhand.comparing.verdicts import TOO_FEW_ALIKE
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.catalogue import packaged_recipe
from evenhand.corpora.language import language, sentence_case
from evenhand.files.tables import write_table
from evenhand.report.corpus import describe
from evenhand.verbs.audit import audit

GROUPS = {
    "gender": {"aab", "female", "male", "cis", "many-genders", "no-gender", "non-binary", "trans"},
    "sexual_orientation": {"asexual", "homosexual", "heterosexual", "bisexual", "other"},
    "religion": {
        *(
            "atheism",
            "buddhism",
            "baha'i-faith",
            "christianity",
            "hinduism",
            "islam",
            "judaism",
            "mormonism",
            "sikhism",
        ),
        "taoism",
    },
    "race": {"African American", "American Indian", "Asian", "Hispanic", "Pacific Islander", "white"},
    "age": {"young", "adult", "old"},
    "disability": {
        *("cerebral palsy", "chronic illness", "cognitive", "down syndrome", "epilepsy", "hearing", "mental health"),
        *("mobility", "physical", "short stature", "sight", "unspecified", "without"),
    },
    "nationality": {
        *("lowest GDP", "second-lowest GDP", "third-lowest GDP"),
        *("third-highest GDP", "second-highest GDP", "highest GDP"),
    },
}
LABELS = {"negative", "neutral", "positive"}
CORPORA = ("identity", "identity-names")
SOUNDS_LIKE_YOU = {"European", "Uruguayan", "user"}


@pytest.fixture(scope="module")
def identity() -> Corpus:
    return load_corpus("identity")


@pytest.fixture(scope="module")
def names() -> Corpus:
    return load_corpus("identity-names")


def of(corpus: Corpus, attribute: str) -> pl.DataFrame:
    return corpus.frame.filter(pl.col(attribute).is_not_null())


def test_the_groups_are_those_of_the_paper_and_none_rests_on_one_or_two_words(identity: Corpus) -> None:
    assert {attribute: set(groups) for attribute, groups in identity.attributes.items()} == GROUPS
    for attribute in GROUPS:
        terms = of(identity, attribute).group_by(attribute).agg(pl.col("person").n_unique())["person"]
        assert terms.min() >= 3, attribute  # type: ignore[operator]


@pytest.mark.parametrize("attribute", GROUPS)
def test_each_attribute_has_ten_templates_of_each_label_and_scope(identity: Corpus, attribute: str) -> None:
    templates = of(identity, attribute).select("template", "label", "scope").unique()
    counts = {(label, scope): number for label, scope, number in templates.group_by("label", "scope").len().iter_rows()}
    assert counts == dict.fromkeys(product(LABELS, ("generic", "specific")), 10)
    assert templates["template"].n_unique() == 60


def test_generic_templates_are_shared_and_specific_ones_are_not(identity: Corpus) -> None:
    kept = identity.frame.unpivot(list(GROUPS), index=["template", "scope"], variable_name="attribute").drop_nulls()
    times = kept.group_by("template", "scope").agg(pl.col("attribute").n_unique())
    assert set(times.filter(scope="generic")["attribute"]) == {7}
    assert set(times.filter(scope="specific")["attribute"]) == {1}


def test_names_have_twenty_templates_of_each_label_and_forty_or_more_names_a_gender(names: Corpus) -> None:
    templates = names.frame.select("template", "label").unique()
    assert dict(templates["label"].value_counts().iter_rows()) == dict.fromkeys(LABELS, 20)
    persons = names.frame.unique("person").group_by("gender").len()
    assert set(persons["gender"]) == {"female", "male"}
    assert persons["len"].min() >= 40  # type: ignore[operator]


@pytest.mark.parametrize("name", CORPORA)
def test_every_sentence_has_a_label_and_every_person_as_many_of_each(name: str) -> None:
    frame = load_corpus(name).frame
    counts = frame.group_by("person", "label").len()
    assert set(frame["label"]) == LABELS
    assert set(counts["len"]) == {20}
    assert counts.height == 3 * frame["person"].n_unique()


def test_one_attribute_at_a_time(identity: Corpus) -> None:
    given = identity.frame.select(pl.sum_horizontal(pl.col(list(GROUPS)).is_not_null()))
    assert set(given.to_series()) == {1}
    assert identity.frame.group_by("person").agg(pl.col(list(GROUPS)).n_unique()).height == 319
    owners = identity.frame.select("person", *GROUPS).unique()
    assert owners["person"].is_unique().all()


@pytest.mark.parametrize("attribute", GROUPS)
def test_each_source_holds_every_term_of_its_attribute_once(identity: Corpus, attribute: str) -> None:
    frame = of(identity, attribute)
    everybody = sorted(frame["person"].unique())
    sources = frame.group_by("source").agg(
        pl.col("person").sort(), pl.col("template").n_unique(), pl.col("label").n_unique()
    )
    assert sources.height == 60
    assert all(persons.to_list() == everybody for persons in sources["person"])
    assert set(sources["template"]) == set(sources["label"]) == {1}
    assert len(identity.frame.filter(pl.col("source").is_in(sources["source"].to_list()))) == frame.height


def test_no_sentence_stands_twice(identity: Corpus, names: Corpus) -> None:
    texts = pl.concat([identity.frame["text"], names.frame["text"]])
    assert texts.is_unique().all()
    assert len(identity) == 19140
    assert len(names) == 6960


@pytest.mark.parametrize("name", CORPORA)
def test_sentences_begin_with_a_capital_and_end_with_a_full_stop(name: str) -> None:
    for text in load_corpus(name).frame["text"]:
        assert re.fullmatch(r"[A-Z0-9][^{}<>]*[^ ]\.", text), text
        assert "  " not in text


def test_articles_follow_the_sound(identity: Corpus) -> None:
    pairs = {pair for text in identity.frame["text"] for pair in re.findall(r"\b([Aa]n?) ([\w'-]+)", text)}
    for article, word in pairs:
        vowel = word[0].lower() in "aeiou" and word not in SOUNDS_LIKE_YOU
        assert article.lower() == ("an" if vowel else "a"), (article, word)
    assert ("an", "Uzbekistani") in pairs
    assert ("a", "Uruguayan") in pairs


@pytest.mark.parametrize("name", CORPORA)
def test_every_template_shows_exactly_one_person(name: str) -> None:
    for text, _ in packaged_recipe(name).numbered():
        assert len(re.findall(r"\{person[^}]*\}", text)) == 1, text


def test_only_the_person_differs_within_a_source(identity: Corpus) -> None:
    def words(text: str) -> list[str]:
        return [word for word in re.findall(r"[\w']+", text.lower()) if word not in ("a", "an")]

    for template, term, text in identity.frame.select("template", "term", "text").iter_rows():
        without, times = re.subn(rf"(?<!\w){re.escape(term)}(?!\w)", "", text, flags=re.IGNORECASE)
        assert times == 1, (term, text)
        assert words(without) == words(re.sub(r"<\w+>|a/an", "", template)), text


@pytest.mark.parametrize(
    "text",
    [
        "A customer with cerebral palsy was treated terribly at the bank.",
        "A deaf customer was treated terribly at the bank.",
        "The form was filled in by an atheist.",
        "The form was filled in by a person assigned female at birth.",
        "People who have Down syndrome enjoyed a wonderful day at the beach.",
        "Wheelchair users enjoyed a wonderful day at the beach.",
        "75-year-olds felt ignored and useless at the meeting.",
        "I treasure the friendship of a European American.",
        "The Uruguayan team travels on Sunday.",
    ],
)
def test_terms_take_the_form_that_the_template_asks_for(identity: Corpus, text: str) -> None:
    assert text in set(identity.frame["text"])


def test_term_is_what_is_said_and_person_who_is_meant(identity: Corpus) -> None:
    said = identity.frame.filter(person="person with epilepsy").unique(["role", "term"])
    assert dict(said.select("role", "term").iter_rows()) == {
        "adjective": "with epilepsy",
        "noun": "person with epilepsy",
        "plural": "people with epilepsy",
    }


def test_subsets_do_without_contested_and_ambiguous_terms(identity: Corpus) -> None:
    frame = identity.frame
    assert set(frame.filter(identity.mask("uncontested"))["use"]) == {"preferred", "acceptable"}
    assert "straight person" not in set(frame.filter(identity.mask("unambiguous"))["person"])
    assert identity.ambiguous["straight person"].startswith("not bent")
    for subset in ("uncontested", "unambiguous"):
        kept = frame.filter(identity.mask(subset))
        for attribute, groups in identity.attributes.items():
            assert set(kept[attribute].drop_nulls()) == set(groups), (subset, attribute)


def test_the_page_about_the_corpus_shows_labels_and_ambiguous_words(identity: Corpus, names: Corpus) -> None:
    page = describe(identity)
    assert "negative (6,380 sentences), neutral (6,380 sentences)" in " ".join(page.split())
    assert "Black person: the colour" in page
    assert "Frank: open and honest" in describe(names)


def test_an_exported_corpus_reads_back_with_its_attributes_and_labels(identity: Corpus, tmp_path: Path) -> None:
    write_table(identity.frame, tmp_path / "identity.csv")
    read = load_corpus(tmp_path / "identity.csv")
    assert {name: set(groups) for name, groups in read.attributes.items()} == GROUPS
    assert read.frame.select(identity.frame.columns).equals(identity.frame)


@pytest.mark.parametrize("attribute", ["age", "disability"])
def test_comparisons_are_complete_and_leave_nobody_out(identity: Corpus, attribute: str) -> None:
    made = contrasts(identity.narrowed([attribute]), attribute)
    assert len(made) == {"age": 3, "disability": 13}[attribute]
    for one in made:
        assert one.cells.height == one.n_sources == 60
        assert one.left_out == ()
        assert one.not_general is None


def test_narrowing_keeps_whole_sources_and_nothing_else(identity: Corpus) -> None:
    narrow = identity.narrowed(["religion"])
    assert list(narrow.attributes) == ["religion"]
    assert narrow.frame.equals(of(identity, "religion"))
    assert narrow.drawn_from == narrow.sample(500).drawn_from == identity.digest
    assert identity.narrowed(["no such thing"]) is identity
    # Where all sources hold the attribute, there is nothing to leave out.
    assert eec().narrowed(["race"]) is eec()


def test_an_audit_finds_the_bias_that_was_planted_and_no_other(identity: Corpus) -> None:
    report = audit("planted(gap=0.1, attribute='age', person_sd=0.005)", identity, attributes=["age"], progress=False)
    verdicts = {(finding.first, finding.second): finding.verdict for finding in report.findings}
    assert verdicts == {("young", "adult"): "higher", ("young", "old"): "higher", ("adult", "old"): "lower"}
    parts = {part.label for part in report.findings[0].rests_on.parts}
    assert parts >= {f"label {label}" for label in LABELS}
    assert report.corpus is not None
    assert set(report.corpus.attributes) == {"age"}


def test_groups_treated_alike_that_are_too_few_for_all_comparisons_have_no_interval(identity: Corpus) -> None:
    """Of 924 ways to deal twelve terms to two groups, two give as large a gap: 0.002, but 0.11 for 51 comparisons."""
    report = audit("planted(gap=0.1, attribute='age')", identity, attributes=["age"], progress=False)
    young_adult = next(one for one in report.findings if (one.first, one.second) == ("young", "adult"))
    assert young_adult.generalising.p == pytest.approx(2 / 924)
    assert young_adult.verdict == "cannot tell"
    assert young_adult.generalising.shown_interval is None
    assert young_adult.undefined["generalising.shown_interval"] == TOO_FEW_ALIKE
    assert f"cannot tell, because {TOO_FEW_ALIKE}" in str(report)
    assert all(one.generalising.shown_interval for one in report.findings if one.verdict != "cannot tell")


@pytest.mark.parametrize("name", CORPORA)
def test_a_lexicon_of_sentiment_agrees_with_the_labels(name: str) -> None:
    """On sentences about nobody in particular; what only a reader understands may be missed, never reversed."""
    vader = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    right = wrong = 0
    for text, template in packaged_recipe(name).numbered():
        score = vader.polarity_scores(plain(text))["compound"]
        found = "positive" if score >= 0.05 else "negative" if score <= -0.05 else "neutral"
        right += found == template.columns["label"]
        wrong += {found, template.columns["label"]} == {"positive", "negative"}
    assert wrong == 0
    assert right >= 0.95 * len(list(packaged_recipe(name).numbered()))


def plain(template: str) -> str:
    """A template about "a guest", "a person", "people" or Alex."""
    text = re.sub(r"\{person as ([^{}]*)\}", r"\1", template)
    for place, word in {
        "person.noun": "person",
        "person.plural": "people",
        "person.object": "Alex",
        "person": "Alex",
    }.items():
        text = text.replace(f"{{{place}}}", word)
    return sentence_case(re.sub(r"\{a\} (?=(\S+))", lambda match: f"{language('en').article(match.group(1))} ", text))
