"""Folders of templates and identity terms, laid out as by Czarnowska et al. (2021); all words are made up here."""

from __future__ import annotations

import itertools
import logging
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import evenhand
from evenhand.cli.app import app
from evenhand.corpora import load_corpus, read_suite
from evenhand.corpora.suite_terms import layout_of
from evenhand.errors import EvenhandError, UsageError

HEADER = "TEMPLATE,DOMAIN,SENT,NER"


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hats: two colours as adjectives, a noun, and things that are said after the noun."""
    write(
        tmp_path / "templates" / "hats_templates.csv",
        HEADER,
        '"At noon, {a:hats_np} sneezed.",,1,',
        "{Hats_bakers} bake badly.,,0,",
        "We saw {a:hats_friend} win!,,pos,",
        '"Two cats, one {hats_adj_or_pp}. ",,neut,',
    )
    write(
        tmp_path / "templates" / "generic_templates_adj_or_pp.csv",
        f'"{HEADER}"'.replace(",", '","'),
        "{identity_np},,1,",
    )
    write(tmp_path / "templates" / "generic_templates.csv", HEADER, "All {identity_adj} people hum.,,2,")
    write(
        tmp_path / "terms" / "identity_terms" / "hats.csv",
        'TERM,"GROUP",POS,"TYPE"',
        'orange-hatted,"bright",adj,""',
        'with a red hat,"bright",pp,""',
        'topper,"dark",n,""',
        'grey-hatted,"dark",adj,""',
        'lampshade,"dark",n,"nonrec"',
        'bald,"",adj,""',
        "cloaked,dark,,",
    )
    return tmp_path


def texts(folder: Path, attribute: str = "hats") -> list[str]:
    return read_suite(folder / "templates", folder / "terms", attribute=attribute).frame["text"].to_list()


def test_every_term_fills_every_slot_that_it_has_a_form_for(folder: Path) -> None:
    assert texts(folder) == [
        "orange-hatted person",
        "person with a red hat",
        "topper",
        "grey-hatted person",
        "At noon, an orange-hatted person sneezed.",
        "At noon, a person with a red hat sneezed.",
        "At noon, a topper sneezed.",
        "At noon, a grey-hatted person sneezed.",
        "Orange-hatted bakers bake badly.",
        "Bakers with a red hat bake badly.",
        "Grey-hatted bakers bake badly.",
        "We saw an orange-hatted friend win!",
        "We saw a friend with a red hat win!",
        "We saw a grey-hatted friend win!",
        "Two cats, one orange-hatted.",
        "Two cats, one with a red hat.",
        "Two cats, one grey-hatted.",
    ]


def test_the_corpus_knows_its_groups_labels_and_sources(folder: Path) -> None:
    corpus = read_suite(folder / "templates", folder / "terms", attribute="hats")
    assert dict(corpus.attributes) == {"hats": ("bright", "dark")}
    assert corpus.groupings == ("template",)
    assert set(corpus.subsets) == {"negative", "neutral", "positive", "generic", "specific"}
    row = corpus.frame.row(8, named=True)
    assert row == {
        "id": "suite-hats-00009",
        "text": "Orange-hatted bakers bake badly.",
        "source": "hats:3",
        "person": "orange-hatted person",
        "term": "orange-hatted",
        "kind": "identity",
        "pair": None,
        "role": "adjective",
        "label": "negative",
        "hats": "bright",
        "template": "{Hats_bakers} bake badly.",
        "scope": "specific",
    }
    labels = corpus.frame.group_by("source", maintain_order=True).agg(pl.col("label").first())["label"].to_list()
    assert labels == ["neutral", "neutral", "negative", "positive", "neutral"]
    assert corpus.about.chosen.startswith("5 templates (3 neutral, 1 negative, 1 positive) and 4 terms")


def test_terms_that_are_left_out_are_counted_and_told(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="evenhand"):
        texts(folder)
    assert "1 of 7 terms are left out: their type is nonrec" in caplog.text
    assert "1 of 7 terms are left out: they have no term or no group" in caplog.text
    assert "1 of 7 terms are left out: they have no part of speech" in caplog.text


def test_without_phrases_the_other_generic_templates_are_used(folder: Path) -> None:
    write(folder / "terms" / "hats.csv", "TERM,GROUP", "red,bright", "grey,dark")
    assert texts(folder)[:3] == ["All red people hum.", "All grey people hum.", "At noon, a red person sneezed."]


def test_files_do_as_well_as_folders(folder: Path) -> None:
    alone = read_suite(
        folder / "templates" / "hats_templates.csv", folder / "terms" / "identity_terms" / "hats.csv", attribute="hats"
    )
    assert len(alone) == 13
    assert set(alone.frame["scope"]) == {"specific"}


def test_what_is_typed_finds_the_folders(folder: Path, tmp_path: Path) -> None:
    whole = load_corpus(f"suite:{folder}#hats")
    parts = load_corpus(f"suite:{folder / 'templates'}+{folder / 'terms'}#hats")
    assert whole.digest == parts.digest
    done = CliRunner().invoke(app, ["corpus", "export", f"suite:{folder}#hats", "--out", str(tmp_path / "hats.csv")])
    assert done.exit_code == 0, done.output
    assert load_corpus(tmp_path / "hats.csv", attributes=["hats"]).sentences_digest == whole.sentences_digest
    for wrong in ("suite:", "suite:somewhere", "suite:#hats", f"suite:{folder}#hats:tag"):
        with pytest.raises(UsageError, match="write suite:FOLDER#ATTRIBUTE"):
            load_corpus(wrong)
    with pytest.raises(UsageError, match="no such file or folder: nowhere/templates"):
        load_corpus("suite:nowhere#hats")


def test_a_suite_can_be_audited(folder: Path) -> None:
    done = CliRunner().invoke(app, ["audit", "vader", "--corpus", f"suite:{folder}#hats", "--json"])
    assert done.exit_code == 0, done.output
    assert '"attribute": "hats"' in done.stdout


def test_a_term_that_is_listed_twice_counts_twice(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(folder / "terms" / "hats.csv", "TERM,GROUP,POS", "red,bright,adj", "red,bright,adj", "grey,dark,adj")
    with caplog.at_level(logging.INFO, logger="evenhand"):
        assert texts(folder)[:3] == ["All red people hum."] * 2 + ["All grey people hum."]
    assert "'red' stands 2 times in the group 'bright'" in caplog.text


class TestCountries:
    @pytest.fixture
    def world(self, tmp_path: Path) -> Path:
        write(
            tmp_path / "templates" / "nationality_templates.csv",
            HEADER,
            "{Country} is far.,,1,{Country}:U-LOC",
            "I like {country_adj} tea.,,2,",
        )
        rows = [f"{place},Land{place},{'Same' if place < 2 else f'Adj{place}'},{place}0,East" for place in range(12)]
        write(
            tmp_path / "terms" / "countries.csv",
            "RANK,TERM,COUNTRY_ADJ,GDP_PPP,REGION",
            *reversed(rows),
            ",Nowhere,Nowherian,,West",
            ",Silent,,60.5,West",
        )
        return tmp_path

    def test_sixths_go_from_the_lowest_to_the_highest_gdp(self, world: Path) -> None:
        corpus = load_corpus(f"suite:{world}#nationality")
        assert corpus.attributes["nationality"] == tuple(
            f"{place} GDP"
            for place in ("lowest", "second-lowest", "third-lowest", "third-highest", "second-highest", "highest")
        )
        sixth = dict(corpus.frame.select("person", "nationality").iter_rows())
        assert (sixth["Land0"], sixth["Land11"]) == ("lowest GDP", "highest GDP")
        assert "Nowhere" not in sixth
        assert corpus.frame.filter(pl.col("person") == "Silent")["text"].to_list() == ["Silent is far."]

    def test_countries_that_share_an_adjective_stay_apart(self, world: Path) -> None:
        frame = load_corpus(f"suite:{world}#nationality").frame
        assert frame.filter(pl.col("term") == "Same")["person"].to_list() == ["Land1", "Land0"]

    def test_other_columns_can_make_the_groups(self, world: Path) -> None:
        corpus = read_suite(world / "templates", world / "terms", attribute="nationality", by="REGION")
        assert corpus.attributes["nationality"] == ("East", "West")

    def test_a_figure_that_is_no_number_is_told_with_its_line(self, world: Path) -> None:
        write(world / "terms" / "countries.csv", "TERM,COUNTRY_ADJ,GDP_PPP", "Land,Landish,3", "Else,Elsish,much")
        with pytest.raises(EvenhandError, match=r"countries\.csv, line 3, column 'GDP_PPP': \"much\" is not a number"):
            load_corpus(f"suite:{world}#nationality")


class TestTags:
    @pytest.fixture
    def world(self, tmp_path: Path) -> Path:
        write(
            tmp_path / "templates" / "nationality_templates.csv",
            HEADER,
            "{Country}'s tea pleased Ada.,,2,{Country}:U-LOC|Ada:U-PER",
            "Some {country_adj} Tea Club met in Oslo.,,1,{country_adj}:B-ORG|Tea:I-ORG|Club:L-ORG|Oslo:U-LOC",
            "I like {country_adj} tea.,,2,",
        )
        figures = range(6)
        write(
            tmp_path / "terms" / "countries.csv",
            "TERM,COUNTRY_ADJ,GDP_PPP",
            *(f"{n} Land,Adj {n},{n}" for n in figures),
        )
        return tmp_path

    def test_sentences_come_with_tokens_and_tags(self, world: Path) -> None:
        corpus = load_corpus(f"suite:{world}#nationality:tags")
        assert corpus.tagged
        assert len(corpus) == 2 * 6
        first, second = (corpus.frame.row(place, named=True) for place in (0, 6))
        assert first["tokens"] == ["0", "Land", "'s", "tea", "pleased", "Ada", "."]
        assert first["tags"] == ["B-LOC", "L-LOC", "O", "O", "O", "U-PER", "O"]
        assert first["slot_span"] == [0, 2]
        assert second["text"] == "Some Adj 0 Tea Club met in Oslo."
        assert second["tags"] == ["O", "B-ORG", "I-ORG", "I-ORG", "L-ORG", "O", "O", "U-LOC", "O"]
        assert not load_corpus(f"suite:{world}#nationality").tagged

    def test_a_tagger_without_fault_has_no_gap(self, world: Path) -> None:
        corpus = load_corpus(f"suite:{world}#nationality:tags")
        right = {tuple(row["tokens"]): row["tags"] for row in corpus.frame.iter_rows(named=True)}
        report = evenhand.audit(lambda asked: [right[tuple(tokens)] for tokens in asked], corpus, progress=False)
        assert report.measurements is not None
        found = report.measurements.results[0].measurements["tpr_gap"]["LOC"]
        assert (found.value, set((found.scores or {}).values())) == (0, {1})

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ("{Country} is far.,,1,Far:U-LOC", r"line 2: NER has 'Far', which does not come then"),
            ("{Country} is far.,,1,far:O|{Country}:U-LOC", r"line 2: NER has '{Country}', which does not come then"),
            ("{Country} is far.,,1,{Country}:B-LOC", r"line 2: .* its tags are not BILOU"),
            ("{Country} is far.,,1,{Country}:LOC", r"line 2: .* 'LOC' is not a tag of BILOU"),
            ("{country} and {country},,1,{country}:U-LOC", r"line 2: a sentence with entities has one slot"),
            ("I am {a:country_np}.,,1,{a:country_np}:U-MISC", r"line 2: .* no article before it"),
            ("{Country} is far.,,1,", r"no template lists its entities in the column NER"),
        ],
    )
    def test_entities_that_do_not_fit_are_told_with_their_line(self, world: Path, row: str, message: str) -> None:
        write(world / "templates" / "nationality_templates.csv", HEADER, row)
        with pytest.raises(EvenhandError, match=message):
            load_corpus(f"suite:{world}#nationality:tags")


def test_names_are_drawn_from_longer_lists(tmp_path: Path) -> None:
    write(tmp_path / "templates" / "people_templates.csv", f'{HEADER},""', '{Person} left.,,1,{Person}:U-PER,""')
    lists = tmp_path / "terms" / "identity_terms" / "wiktionary_names"
    for group in ("female", "male"):
        write(lists / f"only_{group}_names.txt", *(f"{group.title()}{place}" for place in range(250)))
    corpus = load_corpus(f"suite:{tmp_path}#names")
    assert corpus.attributes == {"gender": ("female", "male")}
    assert corpus.frame["gender"].value_counts().sort("gender")["count"].to_list() == [100, 100]
    assert set(corpus.frame["kind"]) == {"name"}
    again = load_corpus(f"suite:{tmp_path}#names")
    assert corpus.digest == again.digest
    other = read_suite(tmp_path / "templates", tmp_path / "terms", attribute="names", seed=1)
    assert corpus.digest != other.digest
    everyone = read_suite(tmp_path / "templates", tmp_path / "terms", attribute="names", names=None)
    assert len(everyone) == 500


@pytest.mark.parametrize(
    ("file", "lines", "message"),
    [
        ("hats_templates", ["{pos_adj} {hats_np},,2,"], r"templates\.csv, line 2: no terms are known for {pos_adj}"),
        ("hats_templates", ["It rains.,,2,"], r"line 2: \"It rains\.\" has no slot such as {identity_adj}"),
        ("hats_templates", ["{to be} {hats_np},,2,"], r"line 2: .* has a slot that cannot be read"),
        ("hats_templates", ["{hats_np},,2,", "{hats_np},,good,"], r"line 3: SENT is 'good'; it must be 0, neg, 1"),
        ("hats_templates", ["{hats},,2,"], r"line 2: no term has a form for {hats}"),
        ("hats", ["red,bright,verb"], r"hats\.csv, line 2: POS is 'verb'; it must be adj, n, pp or empty"),
        ("hats", ["red,bright,adj"], r"only the group 'bright' has terms for these templates"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(folder: Path, file: str, lines: list[str], message: str) -> None:
    if file == "hats":
        write(folder / "terms" / "hats.csv", "TERM,GROUP,POS", *lines)
    else:
        write(folder / "templates" / f"{file}.csv", HEADER, *lines)
    with pytest.raises(EvenhandError, match=message):
        texts(folder)


def test_what_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    write(folder / "terms" / "shoes.csv", "TERM,GROUP", "a,b")
    with pytest.raises(UsageError, match=r"templates has no shoes_templates\.csv; there is generic_templates\.csv"):
        texts(folder, "shoes")
    with pytest.raises(UsageError, match=r"terms has no gloves\.csv, neither in it nor in identity_terms"):
        texts(folder, "gloves")
    write(folder / "templates" / "hats_templates.csv", "TEXT,SENT", "x,1")
    with pytest.raises(EvenhandError, match=r"no column 'TEMPLATE'; it has TEXT, SENT"):
        texts(folder)


# How many sentences the authors' own files give, from which slots in templates of the attribute's own, and which terms.
SHARED = {"identity_adj": 22, "identity_np": 8}
PUBLISHED = {
    "race": (660, SHARED, {"identity_adj": 26, "identity_np": 4}, {"": 11}),
    "age": (840, SHARED, {"identity_adj": 26, "identity_np": 4}, {"adj": 14, "n": 15}),
    "sexuality": (1820, SHARED, {"identity_adj": 28, "identity_np": 2}, {"adj": 29, "n": 8}),
    "gender": (3160, SHARED, {"identity_adj": 28, "identity_np": 2}, {"adj": 46, "n": 40}),
    "disability": (1406, {"identity_people": 17, "identity_np": 12}, {"disability_people": 17, "disability_np": 14},
                   {"adj": 7, "n": 1, "pp": 16}),
    "religion": (906, SHARED, {"religion": 14, "religion_adj": 12, "person": 4},
                 {"adj": 13, "n": 14, "n:religion": 10}),
    "nationality": (11180, SHARED, {"country": 20, "country_adj": 10}, {"country": 187}),
}  # fmt: skip


@pytest.mark.parametrize("attribute", PUBLISHED)
def test_the_published_design_gives_as_many_sentences_as_published(tmp_path: Path, attribute: str) -> None:
    count, shared, own, terms = PUBLISHED[attribute]
    layout, numbers = layout_of(attribute), itertools.count()
    generic = "generic_templates_adj_or_pp" if "pp" in terms else "generic_templates"
    for file, slots in ((generic, shared), (f"{layout.templates}_templates", own)):
        rows = [f"No. {next(numbers)}: {{{slot}}}." for slot, times in slots.items() for _ in range(times)]
        labelled = [f"{row},,{int(row.split(':')[0].removeprefix('No. ')) % 3}," for row in rows]
        write(tmp_path / "templates" / f"{file}.csv", HEADER, *labelled)
    words = [(f"{part}{place}", part, place) for part, times in terms.items() for place in range(times)]
    if attribute == "nationality":  # one of the countries has no adjective
        header, rows = "TERM,COUNTRY_ADJ,GDP_PPP", [f"{word},{word * (place > 0)},{place}" for word, _, place in words]
    elif attribute == "race":
        header, rows = "TERM,GROUP", [f"{word},{place % 2}" for word, _, place in words]
    else:
        header = "TERM,GROUP,POS,SEM"
        rows = [
            f"{word},{place % 2},{part.replace(':', ',') if ':' in part else part + ','}" for word, part, place in words
        ]
    write(tmp_path / "terms" / f"{layout.terms}.csv", header, *rows)
    corpus = load_corpus(f"suite:{tmp_path}#{attribute}")
    assert len(corpus) == count
    labels = corpus.frame.unique("source")["label"].value_counts().sort("label").rows()
    assert labels == [("negative", 20), ("neutral", 20), ("positive", 20)]
