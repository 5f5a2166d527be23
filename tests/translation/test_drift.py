"""What a round trip did to a corpus: by hand on a few sentences, and on the real corpus by Apertium."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import evenhand
from evenhand.cli.app import app
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.translation import Apertium, Counts, Drift, ThereAndBack, drift
from evenhand.translation.leaving_out import leave_out
from evenhand.translation.persons import PersonWords

Make = Callable[..., Corpus]


class Told:
    """Comes home with what it was told to; all else stays as it is."""

    batch_size = 100

    def __init__(self, home: dict[str, str], source: str = "en", target: str = "xx") -> None:
        self.name, self.source, self.target, self._home = "told", source, target, home
        self.fingerprint = str(sorted(home.items()))

    def translate(self, texts: Sequence[str]) -> list[str]:
        return [self._home.get(text, text) for text in texts]

    def back(self) -> Told:
        return Told({}, self.target, self.source)


def after(corpus: Corpus, home: dict[str, str], source: str = "en", *, even: bool = False) -> Drift:
    return drift(corpus, ThereAndBack(Told(home, source)), even=even)


PERSONS = {"she": "female", "he": "male", "my sister": "female", "my brother": "male", "Ebony": "female"}


@pytest.fixture
def corpus(make_corpus: Make) -> Corpus:
    rows = [
        (source, person, template.format(person[0].upper() + person[1:]), gender)
        for source, template in {"sad": "{} feels sad.", "home": "{} goes home."}.items()
        for person, gender in PERSONS.items()
    ]
    pairs = ["she/he", "she/he", "sister/brother", "sister/brother", None] * 2
    return make_corpus(rows, pair=pairs, template=["<person> feels sad."] * 5 + ["<person> goes home."] * 5)


def flags(found: Drift, text: str) -> dict[str, bool | None]:
    (row,) = found.rows.filter(found.rows["text"] == text).iter_rows(named=True)
    return {flag: row[flag] for flag in ("changed", "lost", "crossed", "empty", "uneven")}


NOTHING = {"changed": False, "lost": False, "crossed": False, "empty": False, "uneven": False}
GONE = NOTHING | {"changed": True, "lost": True, "uneven": None}


@pytest.mark.parametrize(
    ("text", "home", "expected"),
    [
        ("She feels sad.", "She feels sad.", NOTHING),
        ("She feels sad.", " She  feels sad. ", NOTHING),
        ("She feels sad.", "she feels sad.", NOTHING | {"changed": True}),
        ("She feels sad.", "She is sad.", NOTHING | {"changed": True, "uneven": True}),
        ("She feels sad.", "Her feels sad.", NOTHING | {"changed": True}),
        ("She feels sad.", "It feels sad.", GONE),
        ("She feels sad.", "Shell feels sad.", GONE),
        ("She feels sad.", "He feels sad.", GONE | {"crossed": True}),
        ("She feels sad.", "His feeling is sad.", GONE | {"crossed": True}),
        ("She feels sad.", "She feels himself sad.", NOTHING | {"changed": True, "crossed": True, "uneven": True}),
        ("She feels sad.", "My brother feels sad.", GONE | {"crossed": True}),
        ("She feels sad.", "My sister feels sad.", GONE),
        ("She feels sad.", "", GONE | {"empty": True}),
        ("She feels sad.", " \n", GONE | {"empty": True}),
        ("He feels sad.", "She feels sad.", GONE | {"crossed": True}),
        ("My sister feels sad.", "The sister feels sad.", NOTHING | {"changed": True}),
        ("My sister feels sad.", "My sisters feel sad.", GONE),
        ("My sister feels sad.", "Brother feels sad.", GONE | {"crossed": True}),
        ("Ebony feels sad.", "The ebony feels sad.", NOTHING | {"changed": True}),
        ("Ebony feels sad.", "They feel sad.", GONE),
    ],
)
def test_each_fate_by_hand(corpus: Corpus, text: str, home: str, expected: dict[str, bool | None]) -> None:
    assert flags(after(corpus, {text: home}), text) == expected


def test_counts_by_group_and_template(corpus: Corpus) -> None:
    found = after(
        corpus,
        {"She feels sad.": "He feels sad.", "My brother feels sad.": "", "Ebony goes home.": "Ebony walks home."},
    )
    assert found.overall == Counts(
        10, changed=3, lost=2, crossed=1, empty=1, uneven=1, broken=2, unseen=0, incomparable=2
    )
    assert {group: (one.lost, one.crossed) for group, one in found.by("gender").items()} == {
        "female": (1, 1),
        "male": (1, 0),
    }
    assert [one.uneven for one in found.by("template").values()] == [0, 1]
    assert found.overall.share("uneven") == 1 / 8
    assert found.overall.share("lost") == 2 / 10
    assert [(one.before, one.after, one.sentences) for one in found.crossings] == [("female", "male", 1)]
    (example,) = found.examples("crossed")
    assert (example.text, example.home) == ("She feels sad.", "He feels sad.")
    with pytest.raises(UsageError, match="not known by 'sex'"):
        found.by("sex")
    with pytest.raises(UsageError, match="no flag 'broke'"):
        found.examples("broke")


def test_a_person_who_was_not_there_cannot_be_lost(make_corpus: Make) -> None:
    rows = [("s", "user 1", "Hello.", "female"), ("s", "user 2", "Hello there.", "male")]
    found = after(make_corpus(rows), {"Hello.": "He says hello."})
    assert (found.overall.unseen, found.overall.lost, found.overall.share("lost")) == (2, 0, None)
    # Whoever had no word of a gender and comes home with one of the other has crossed all the same.
    assert found.crossings[0].after == "male"
    assert found.overall.share("uneven") is None


def test_somebody_without_a_group_may_be_given_one(make_corpus: Make) -> None:
    rows = [("s", "they", "They feel sad.", None), ("s", "she", "She feels sad.", "female"), ("s", "he", "He.", "male")]
    found = after(make_corpus(rows), {"They feel sad.": "He feels sad."})
    assert [(one.before, one.after) for one in found.crossings] == [("(none)", "male")]
    # Their sentences differed in more than the person to begin with.
    assert found.overall.incomparable == 3


def test_a_language_without_rules_has_no_pronouns(make_corpus: Make) -> None:
    rows = [("s", "hun", "Hun er trist.", "female"), ("s", "han", "Han er trist.", "male")]
    found = after(make_corpus(rows), {"Hun er trist.": "Hende er trist.", "Han er trist.": "Hun er trist."}, "da")
    assert found.rows["lost"].to_list() == [True, True]
    assert [(one.before, one.after) for one in found.crossings] == [("male", "female")]


def test_words_that_both_groups_use_say_nothing(make_corpus: Make) -> None:
    rows = [("s", "my boss", "My boss naps.", "female"), ("s", "the boss", "The boss naps.", "male")]
    found = after(make_corpus(rows), {"My boss naps.": "A boss naps."})
    assert (found.overall.lost, found.overall.crossed) == (0, 0)


def test_a_word_that_was_part_of_a_longer_one_is_no_newcomer(make_corpus: Make) -> None:
    rows = [("s", "trans woman", "A trans woman naps.", "trans"), ("s", "woman", "A woman naps.", "female")]
    found = after(make_corpus(rows), {"A trans woman naps.": "A transgender woman naps."})
    assert (found.overall.lost, found.overall.crossed) == (1, 0)


def test_an_attribute_that_a_source_does_not_compare_by_cannot_be_crossed(make_corpus: Make) -> None:
    rows = [("s", "she", "She naps.", "female"), ("s", "he", "He naps.", "male"), ("old", "old guest", "Old.", None)]
    found = after(make_corpus(rows), {"Old.": "He is old."})
    assert found.overall.crossed == 0


def test_forms_are_of_the_language() -> None:
    words = PersonWords(eec(), "en")
    assert words.forms("him") == words.forms("He") == ("he", "him", "himself", "his")
    assert words.forms("this girl") == ("girl",)
    assert PersonWords(eec(), "da").forms("this girl") == ("this girl",)


# What is left out


def test_pairs_are_left_out_as_a_whole(corpus: Corpus) -> None:
    found = after(corpus, {"She feels sad.": "It feels sad.", "She goes home.": "It goes home."})
    left = found.left_out()
    assert (left.persons, left.sources, left.sentences) == (("she", "he"), (), 4)
    kept = found.kept()
    assert kept.frame["person"].unique().sort().to_list() == ["Ebony", "my brother", "my sister"]
    assert kept.drawn_from == corpus.digest


def test_a_source_that_fell_apart_is_left_out(corpus: Corpus) -> None:
    found = after(corpus, {text: "" for text in corpus.frame["text"] if "home" in text})
    assert (found.left_out().persons, found.left_out().sources) == ((), ("home",))
    assert set(found.kept().frame["source"]) == {"sad"}


def test_uneven_sentences_are_left_out_on_request(corpus: Corpus) -> None:
    home = {"Ebony feels sad.": "The Ebony of sadness feels."}
    found = after(corpus, home)
    assert found.left_out().sentences == 0
    assert found.kept() is corpus
    even = after(corpus, home, even=True)
    assert even.left_out().persons == ("Ebony",)
    assert len(even.kept()) == 8


def test_where_nothing_is_left_it_is_said(corpus: Corpus) -> None:
    found = after(corpus, dict.fromkeys(corpus.frame["text"], ""))
    with pytest.raises(EvenhandError, match="no two groups are left"):
        found.kept()
    assert set(found.attachments()) == {"sentences.parquet", "corpus.parquet"}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_nothing_broken_is_left_and_nothing_whole_goes_without_need(rows: list[tuple[bool, int, int]]) -> None:
    broken = np.array([flag for flag, *_ in rows])
    unit, source = (np.array(codes, dtype=np.int64) for codes in zip(*((u, s) for _, u, s in rows), strict=True))
    units, sources = leave_out(broken, unit, source)
    gone = np.isin(unit, units) | np.isin(source, sources)
    assert not (broken & ~gone).any()
    for codes, out in ((unit, units), (source, sources)):
        assert all(broken[codes == number].any() for number in out)


# The report


def test_the_report_says_it_all(corpus: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    found = after(corpus, {"She feels sad.": "He feels sad.", "Ebony goes home.": "Ebony walks home."})
    found.show(width=100)
    shown = " ".join(capsys.readouterr().out.split())
    for part in (
        "tiny by told, through 'xx' and back",
        "Of 10 sentences 2 changed, 1 lost their person's word, 1 hold a word of another group, 0 became empty; of "
        "the 9 that can be compared, 1 are uneven.",
        "gender: female → male in 1 sentences",
        "crossed: She feels sad. → He feels sad. → He feels sad.",
        "leave out 4 of 10: she, he.",
    ):
        assert part in shown
    values = found.to_dict()
    assert values["overall"]["lost"] == 1
    assert values["by"]["gender"]["male"]["shares"]["lost"] == 0
    assert values["left_out"] == {"persons": ("she", "he"), "sources": (), "sentences": 4, "even": False}
    assert "She feels sad." in str(values["examples"]["lost"])


def test_it_says_where_it_comes_from(corpus: Corpus) -> None:
    provenance = after(corpus, {}, even=True).provenance
    assert [one.digest for one in provenance.corpora] == [corpus.digest]
    assert dict(provenance.settings) == {"even": True}
    assert provenance.details == {"translators": {"told": "[]"}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sample", "480", "--seed", "-4"], "a seed must be a whole number from 0, not -4"),
        (["--seed", "4"], "--seed is for a sample"),
    ],
)
def test_a_seed_is_checked(options: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["drift", "es", *options])
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


# The real thing


@pytest.fixture(scope="module")
def real(apertium: Apertium, tmp_path_factory: pytest.TempPathFactory) -> Drift:
    return drift(eec(), ThereAndBack(apertium, cache=tmp_path_factory.mktemp("cache")))


@pytest.mark.slow
def test_apertium_loses_women_four_times_as_often_as_men(real: Drift) -> None:
    """Figures of Debian's apertium-eng-spa 0.8.1; another version may know more words, but not fewer."""
    lost = {group: one.lost for group, one in real.by("gender").items()}
    assert lost["female"] > 3 * lost["male"] > 0
    by_person = real.by("person")
    for person in ("she", "my wife", "my mom"):
        assert by_person[person].lost == by_person[person].sentences == 144
    assert {(one.before, one.after) for one in real.crossings} == {("female", "male")}
    assert real.overall.empty == 0
    assert real.overall.changed > 7000


@pytest.mark.slow
def test_names_it_does_not_know_change_the_sentence_around_them(real: Drift) -> None:
    uneven = {group: one.share("uneven") for group, one in real.by("race").items()}
    assert (uneven["African American"] or 0) > 5 * (uneven["European American"] or 1) > 0


@pytest.mark.slow
def test_what_is_kept_is_whole_and_can_be_audited(real: Drift, apertium: Apertium) -> None:
    kept = real.kept()
    persons, sources = kept.frame["person"].n_unique(), kept.frame["source"].n_unique()
    assert len(kept) == persons * sources == 8640 - real.left_out().sentences
    assert not {"she", "he", "my wife", "my husband"} & set(kept.frame["person"])
    report = evenhand.audit(["vader", "roundtrip:es+vader"], kept, attributes=["gender", "race"], progress=False)
    assert len(report.findings) == 4
    assert all(finding.generalising.interval is not None for finding in report.findings)
