"""Exports: what is in them, whatever the result and however its parts are called."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import vl_convert
import yaml
from fuzzing import in_time
from markdown_it import MarkdownIt

from evenhand import Audit, RepairSettings, Statement, UsageError, audit, eec, export, measure, repair
from evenhand.cli.report import FORMATS as TYPED
from evenhand.comparing.findings import Withheld
from evenhand.measuring import MeasureSettings
from evenhand.rating import rate_scores
from evenhand.report.audit import decisions
from evenhand.report.audit.many import told_all
from evenhand.report.audit.naming import comparison_name
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.audit.words import in_words
from evenhand.report.common.markdown import plain, printable
from evenhand.report.exports import ACCOUNTS, FORMATS, account_of
from evenhand.report.exports.account import Request
from evenhand.report.exports.layout import MISSING, cut, drawable, width, wrapped
from evenhand.report.exports.model_card import SEVERAL
from evenhand.report.exports.ordered import ordered
from evenhand.report.exports.pdf import PAPER, page
from evenhand.results import Note, Result
from evenhand.translation import Dictionary, ThereAndBack, drift

INPUTS = Path(__file__).parents[1] / "promises" / "inputs"
HOSTILE = (
    "</text><script>alert(1)</script> a|b *c* _d_ `e` [f](javascript:g) ![h](i)\n# j\n---\n\x1b[31m\u202ek &amp; $$l$$"
)
WORD = "Someword"
TEXTS = ("model-card", "test-record")
SAID = Statement(auditor="Ada", date="2026-11-18", tolerance_set_on="2026-10-02", tolerance_reason="board, 12")


def made(result: Result, form: str, **options: Any) -> str:
    return export(result, form, **options).decode()


def shown(markdown: str, *, code: bool = True) -> str:
    """What a reader sees of a text in Markdown, without its metadata."""
    body = re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.DOTALL)
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    return "\n".join(
        "".join(part.content for part in token.children or ()) if token.type == "inline" else token.content
        for token in tokens
        if token.type == "inline" or (code and token.type == "fence")
    )


@pytest.fixture(scope="module")
def two() -> Audit:
    """Two systems, one of which treats women and men differently."""
    return audit(["vader", "planted(gap=0.05,person_sd=0.005)"], eec().sample(960), progress=False, statement=SAID)


@pytest.fixture(scope="module")
def hostile(two: Audit) -> Audit:
    """The same, with names that try to be markup."""
    findings = [
        replace(
            one,
            system=f"{HOSTILE} {one.system}",
            first_label=HOSTILE,
            withheld=Withheld("higher", "person", HOSTILE, 0.0, "cannot tell"),
        )
        for one in two.findings
    ]
    provenance = replace(two.provenance, command=f"evenhand audit '{HOSTILE}\n```\n# out'")
    return replace(two, findings=tuple(findings), notes=(Note(None, HOSTILE),), provenance=provenance)


def metrics() -> Result:
    return measure(INPUTS / "predictions.csv", settings=MeasureSettings(bootstrap=50))


def ratings() -> Result:
    return rate_scores(INPUTS / "rated-1.csv", attributes=["gender"], bootstrap=50)


def a_repair() -> Result:
    settings = RepairSettings(methods=("layers", "averaging"), repetitions=1)
    return repair("planted(gap=0.2)", eec().sample(480), attributes="gender", settings=settings, progress=False)


OTHERS: list[Callable[[], Result]] = [metrics, ratings, a_repair]


def test_the_command_line_offers_what_there_is() -> None:
    assert tuple(FORMATS) == TYPED


@pytest.mark.parametrize("form", TEXTS)
def test_every_finding_is_in_the_text(two: Audit, form: str) -> None:
    text = shown(made(two, form))
    for finding in two.findings:
        assert comparison_name(finding) in text
        assert in_words(finding) in text
    assert "Ada" in text
    assert "2026-11-18" in text


def test_many_groups_are_told_as_everywhere_else_and_apart_from_pairs() -> None:
    found = audit("vader", "identity", attributes="disability", pairs=True, progress=False)
    words = [one.text for one in account_of(Request(found)).words]
    assert words == [one.text for one in told_all(found.findings)]
    at_once = "vader (valence), disability, each group against the others: "
    assert [text.startswith(at_once) for text in words].count(True) == 1
    assert any("vader (valence), other disability groups: " in text for text in words)
    assert shown(made(found, "model-card")).count(at_once) == 1


@pytest.mark.parametrize("form", TEXTS)
def test_the_same_result_gives_the_same_text(two: Audit, form: str) -> None:
    assert made(two, form) == made(two, form)


@pytest.mark.parametrize("make", OTHERS)
def test_other_kinds_are_exported_too(make: Callable[[], Result]) -> None:
    result = make()
    account = account_of(Request(result))
    for form in TEXTS:
        text = shown(made(result, form))
        assert all(cell in text for row in account.main.rows for cell in map(_as_shown, row.cells))
    record = shown(made(result, "test-record"))
    assert all(cell in record for row in account.every.rows for cell in map(_as_shown, row.cells))
    assert all(_as_shown(one) in record for one in account.deviations)
    assert export(result, "pdf").startswith(b"%PDF")


def _as_shown(text: str) -> str:
    return " ".join(text.split())


def test_kinds_that_cannot_be_exported_say_so_in_one_line() -> None:
    drifted = drift(eec().sample(480), ThereAndBack(Dictionary({}, source="en", target="la")))
    assert drifted.kind not in ACCOUNTS
    with pytest.raises(UsageError) as refused:
        export(drifted, "pdf")
    known = "audit, metrics, ratings, repair"
    lead = f"the format pdf is for results of these kinds: {known}; this is one of the kind drift, "
    assert str(refused.value) == lead + "which has none of the formats; its page and tables: --html, --tables"


def test_a_tolerance_is_said_of_repairs_too() -> None:
    without = made(a_repair(), "test-record")
    assert "Nobody has stated when the tolerance was set" in section(without, "Deviations")
    text = made(a_repair(), "test-record", statement=SAID)
    assert "2026-10-02, as stated" in section(text, "Plan")
    assert "board, 12" in section(text, "Plan")
    assert "Nobody has stated" not in section(text, "Deviations")


def test_metrics_have_no_tolerance() -> None:
    with pytest.raises(UsageError, match="results of the kind metrics have no tolerance"):
        export(metrics(), "test-record", statement=Statement(tolerance_reason="none"))


@pytest.mark.parametrize("form", TEXTS)
def test_decisions_are_told_of_the_system_that_makes_them(form: str) -> None:
    systems = ["vader", "planted(gap=0.05,person_sd=0.005)"]
    found = audit(systems, eec().sample(480), thresholds=[0.4, "median"], progress=False)
    alone = shown(made(found, form, system=systems[1]))
    for decision, finding in decisions.with_findings(found):
        text = decisions.in_words(decision, finding)
        assert text in shown(made(found, form))
        assert (text in alone) == (decision.system == systems[1])
    if form == "test-record":
        assert "Thresholds of decisions\n0.4, median" in alone


class TestModelCard:
    def test_metadata_has_what_the_hub_asks_for(self, two: Audit) -> None:
        for system in ("vader", "planted(gap=0.05,person_sd=0.005)"):
            (model,) = metadata(made(two, "model-card", system=system))["model-index"]
            assert model["name"] == system
            (result,) = model["results"]
            assert result["task"]["type"] == "text-classification"
            assert (result["dataset"]["type"], result["dataset"]["name"]) == ("eec", "Equity Evaluation Corpus")
            assert result["dataset"]["args"]["digest"] == two.provenance.corpora[0].digest
            own = [finding for finding in two.findings if finding.system == model["name"]]
            for metric, finding in zip(result["metrics"], own, strict=True):
                assert metric["type"] == "mean_difference"
                assert metric["value"] == finding.mean_difference
                assert metric["args"]["verdict"] == short_verdict(finding)
                assert metric["args"]["interval"] == list(finding.generalising.shown_interval or ())

    def test_what_is_undefined_is_no_number(self) -> None:
        result = measure(INPUTS / "predictions.csv", settings=MeasureSettings(bootstrap=0))
        ((model,),) = metadata(made(result, "model-card")).values()
        found = [metric["value"] for metric in model["results"][0]["metrics"]]
        assert None not in found
        assert "fpr_ratio" not in {metric["type"] for metric in model["results"][0]["metrics"]}

    def test_one_system_has_a_section_without_the_others(self, two: Audit) -> None:
        text = made(two, "model-card", system="vader")
        assert "planted" not in text
        assert text.count("\n## ") == 1

    def test_several_have_a_section_each_and_no_metadata(self, two: Audit) -> None:
        text = made(two, "model-card")
        assert text.count("\n## Bias evaluation: ") == 2
        assert text.startswith("<!-- The metadata that the hub reads is about one model")
        assert "model-index" not in text

    def test_an_unknown_system_is_refused_with_those_there_are(self, two: Audit) -> None:
        with pytest.raises(UsageError, match="the result has no system 'vadr'; did you mean 'vader'"):
            export(two, "model-card", system="vadr")

    def test_the_condition_of_an_equivalence_is_in_words(self, two: Audit) -> None:
        assert any(finding.verdict == "equivalent" for finding in two.findings)
        text = shown(made(two, "model-card"))
        assert ", with a condition" in text
        assert "unless other" in text

    def test_what_was_not_compared_is_named(self) -> None:
        found = audit("vader", eec().sample(480), attributes="gender", progress=False)
        text = shown(made(found, "model-card"))
        assert "Not compared, though the corpus asks about it: race." in text


def metadata(text: str) -> dict[str, Any]:
    return yaml.safe_load(text.split("---\n")[1])  # type: ignore[no-any-return]


class TestRecord:
    @pytest.mark.parametrize(
        ("statement", "deviation"),
        [
            (Statement(), "Nobody has stated when the tolerance was set"),
            (Statement(tolerance_set_on="2026-10-02"), "The date of the test is not stated"),
            (
                Statement(date="2026-10-01", tolerance_set_on="2026-10-02"),
                "on 2026-10-02, after the test of 2026-10-01.",
            ),
            (Statement(date="2026-10-02", tolerance_set_on="2026-10-02"), "on the day of the test; which came first"),
        ],
    )
    def test_a_tolerance_that_may_have_come_later_is_a_deviation(
        self, two: Audit, statement: Statement, deviation: str
    ) -> None:
        assert deviation in section(made(two.stated(statement), "test-record"), "Deviations")

    def test_a_tolerance_that_came_before_is_none(self, two: Audit) -> None:
        text = made(two, "test-record")
        assert "tolerance" not in section(text, "Deviations")
        assert "2026-10-02, as stated; Evenhand reads no clock" in section(text, "Plan")
        assert "board, 12" in section(text, "Plan")

    def test_who_is_worse_off_is_said_and_what_a_high_value_means_is_in_the_plan(self) -> None:
        found = audit("planted(gap=0.05,person_sd=0.005)", eec().sample(480), high_is="bad", progress=False)
        assert any(finding.worse_off for finding in found.findings)
        text = made(found, "test-record")
        assert "(score): bad" in section(text, "Plan")
        assert "women are worse off" in section(text, "Results")

    def test_what_is_said_afterwards_is_marked(self, two: Audit) -> None:
        text = made(two.stated(None), "test-record", statement=SAID)
        assert "Ada (said when the record was made, not with the test)" in shown(text)
        said = "Said when this record was made, not with the test: auditor, date, tolerance set on, tolerance reason."
        assert said in section(text, "Deviations")
        assert "said when the record was made" not in shown(made(two, "test-record"))

    def test_deviations_are_those_of_the_findings(self, two: Audit) -> None:
        first, *others = two.findings
        changed = replace(
            first,
            withheld=Withheld("higher", "template", "<person> feels", 0.0, "cannot tell"),
            generalising=replace(first.generalising, left_out=("Ann", "Bob")),
            undefined={**first.undefined, "t": "constant", "draw_spread": "asked once"},
        )
        found = replace(two, findings=(changed, *others), notes=(Note("vader", "it said something"),))
        text = section(made(found, "test-record"), "Deviations")
        assert "“higher” was withheld, because it hangs on the template “<person> feels”." in text
        assert "2 left out of the answer for others like them: Ann, Bob." in text
        assert "no published test: Constant." in text
        assert "vader: it said something" in text
        assert "Only a sample" not in text  # the corpus itself was drawn; no sample was asked for
        assert "asked once" not in text

    def test_a_sample_is_a_deviation(self) -> None:
        found = audit("vader", sample=480, progress=False)
        assert "Only a sample was used (480)" in section(made(found, "test-record"), "Deviations")

    def test_digests_are_those_of_the_files(self, two: Audit, tmp_path: Path) -> None:
        import hashlib

        two.save(tmp_path)
        text = section(export(tmp_path, "test-record").decode(), "Digests")
        for name in ("report.json", "scores.parquet", "corpus.parquet"):
            assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() in text
        assert two.provenance.corpora[0].digest in text
        assert all(str(one.fingerprint) in text for one in two.provenance.systems)

    def test_the_version_by_which_a_system_was_asked_is_its_version(self, two: Audit) -> None:
        asked = replace(two.provenance, command="evenhand audit py:a:b --system-version 7")
        text = shown(made(replace(two, provenance=asked), "test-record"))
        assert "7 (named with --system-version)" in text
        stated = replace(asked, statement=replace(SAID, model_version="v8"))
        text = shown(made(replace(two, provenance=stated), "test-record"))
        assert "v8" in text
        assert "named with --system-version" not in text


def section(text: str, heading: str) -> str:
    return shown(text.split(f"\n## {heading}\n")[1].split("\n## ")[0])


class TestHostileNames:
    @pytest.mark.parametrize("form", TEXTS)
    def test_markdown_holds_them_as_words(self, hostile: Audit, form: str) -> None:
        text, plainly = made(hostile, form), made(tame(hostile), form)
        assert structure(text) == structure(plainly)
        assert shown(text, code=False) == shown(plainly, code=False).replace(WORD, printable(HOSTILE))
        assert "\x1b" not in text
        assert "\u202e" not in text

    def test_metadata_stays_metadata(self, hostile: Audit) -> None:
        system = hostile.findings[0].system
        (model,) = metadata(made(hostile, "model-card", system=system))["model-index"]
        assert model["name"] == printable(system)

    def test_the_page_is_one_drawing_without_scripts(self, hostile: Audit) -> None:
        root = drawing(hostile)
        assert {child.tag.rpartition("}")[2] for child in root.iter()} <= {"svg", "rect", "text", "line", "circle"}
        assert_on_paper(root)
        assert export(hostile, "pdf").count(b"/Type /Page\n") == 1


def tame(hostile: Audit) -> Audit:
    """The same audit with plain words where the other has markup."""
    findings = tuple(
        replace(
            one,
            system=one.system.replace(HOSTILE, WORD),
            first_label=WORD,
            withheld=Withheld("higher", "person", WORD, 0.0, "cannot tell"),
        )
        for one in hostile.findings
    )
    provenance = replace(hostile.provenance, command=WORD)
    return replace(hostile, findings=findings, notes=(Note(None, WORD),), provenance=provenance)


def structure(text: str) -> list[str]:
    """The elements of a document, without its words; in its lines there is nothing but words."""
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    inside = {part.type for token in tokens for part in token.children or ()}
    assert inside <= {"text", "text_special", "softbreak"}, inside
    assert [token.content.strip() for token in tokens if token.type == "html_block"] == [SEVERAL.strip()] * (
        SEVERAL in text
    )
    return [token.type for token in tokens]


class TestPage:
    def test_it_is_one_page_of_a4_and_the_same_each_time(self, two: Audit) -> None:
        made_ = [export(two, "pdf") for _ in range(3)]
        assert len(set(made_)) == 1
        assert b"/Count 1" in made_[0]
        assert b"/MediaBox [0 0 595 842]" in made_[0]

    def test_what_was_found_is_on_it(self, two: Audit) -> None:
        words = words_of(drawing(two))
        for finding in two.findings:
            assert finding.system in words
            assert in_words(finding) in words
        assert "Ada" in words
        assert "Tolerance set on: 2026-10-02" in words

    def test_many_findings_leave_room_for_the_rest_and_say_how_many_are_missing(self, two: Audit) -> None:
        first = two.findings[0]
        many = [replace(first, system=f"system {number}", verdict="equivalent") for number in range(60)]
        worst = replace(first, system="the last one", verdict="higher")
        found = replace(two, findings=(*many, worst))
        root = drawing(found)
        words = words_of(root)
        assert "the last one" in words
        assert re.search(r"\d+ more results are in the JSON", words)
        assert re.search(r"\d+ more sentences are in the JSON", words)
        assert "What was not tested" in words
        assert_on_paper(root)

    def test_long_names_end_where_the_page_does(self, two: Audit) -> None:
        findings = tuple(replace(one, system="long" * 200, first_label="wide " * 60) for one in two.findings)
        assert_on_paper(drawing(replace(two, findings=findings)))

    @pytest.mark.parametrize("make", OTHERS)
    def test_other_kinds_stay_on_the_paper(self, make: Callable[[], Result]) -> None:
        assert_on_paper(drawing(make()))


def drawing(result: Result) -> ElementTree.Element:
    """The page, as what it is drawn from."""
    return ElementTree.fromstring(page(account_of(Request(result))))  # noqa: S314 - our own


def words_of(root: ElementTree.Element) -> str:
    return " ".join(node.text or "" for node in root.iter() if node.tag.endswith("text"))


def assert_on_paper(root: ElementTree.Element) -> None:
    """Every line within the margins, and none below another one's place at the foot."""
    scale = float(root.attrib["viewBox"].split()[2]) / PAPER[0]
    for node in root.iter():
        if node.tag.endswith("text"):
            text, at = node.text or "", float(node.attrib["x"])
            wide = width(text, float(node.attrib["font-size"]), node.attrib["font-weight"])
            start = at - wide if node.attrib.get("text-anchor") == "end" else at
            assert start >= 30, text
            assert start + wide <= PAPER[0] * scale - 30, text
            assert 20 <= float(node.attrib["y"]) <= PAPER[1] * scale - 20, text


class TestOrder:
    def test_a_document_is_the_same_however_its_fonts_were_written(self) -> None:
        looks = [
            ("Liberation Sans", "normal"),
            ("Liberation Sans", "bold"),
            ("Liberation Sans", "600"),
            ("serif", "bold"),
        ]
        texts = [
            f'<text x="9" y="{20 * place}" font-family="{family}" font-weight="{weight}">word {place}</text>'
            for place, (family, weight) in enumerate(looks, start=1)
        ]
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99">{"".join(texts)}</svg>'
        made_ = [vl_convert.svg_to_pdf(drawn) for _ in range(30)]
        assert len(set(made_)) > 1  # else there is nothing to put in order
        (one,) = {ordered(content) for content in made_}
        assert sorted(re.findall(rb"/BaseFont (\S+)", one)) == sorted(re.findall(rb"/BaseFont (\S+)", made_[0]))
        assert ordered(one) == one

    def test_the_table_at_the_end_says_where_each_part_begins(self, two: Audit) -> None:
        content = export(two, "pdf")
        start = int(content.rsplit(b"startxref\n", 1)[1].split()[0])
        assert content[start:].startswith(b"xref\n0 ")
        rows = re.findall(rb"(\d{10}) \d{5} n", content[start:])
        for number, row in enumerate(rows, start=1):
            assert content[int(row) :].startswith(b"%d 0 obj\n" % number)
        assert {int(one) for one in re.findall(rb"(\d+) 0 R", content)} <= set(range(1, len(rows) + 1))

    def test_what_is_put_together_otherwise_is_left_alone(self) -> None:
        assert ordered(b"%PDF-1.7 something else") == b"%PDF-1.7 something else"


class TestLayout:
    @pytest.mark.parametrize(
        "text", ["", "one", "a few words in a row", "x" * 300, "a " + "y" * 90 + " b", "東京 " * 30]
    )
    @pytest.mark.parametrize("room", [20, 55.5, 200])
    def test_lines_fit_and_lose_nothing(self, text: str, room: float) -> None:
        lines = wrapped(text, room, size=8)
        assert all(width(line, 8) <= room for line in lines)
        assert "".join(lines).replace(" ", "") == drawable(text).replace(" ", "")

    def test_too_many_lines_end_with_an_ellipsis(self) -> None:
        lines = wrapped("word " * 50, 60, size=8, most=2)
        assert len(lines) == 2
        assert lines[-1].endswith("…")
        assert width(lines[-1], 8) <= 60
        assert cut("short", 60, size=8) == "short"

    def test_signs_that_the_font_lacks_are_seen_to_be_missing(self) -> None:
        assert drawable("Zoë Ōta − Ж 東") == f"Zoë Ōta − Ж {MISSING}"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("https://evil.example", "https:&#47;&#47;evil.example"),
        ("- item", "\\- item"),
        ("3) item", "3\\) item"),
        ("0.5", "0.5"),
        ("<img src=x>", "&lt;img src=x&gt;"),
    ],
)
def test_words_are_no_markup(text: str, escaped: str) -> None:
    assert plain(text) == escaped
    (_, inline, _) = MarkdownIt("commonmark").parse(plain(text))
    assert "".join(part.content for part in inline.children or ()) == text


def test_a_name_of_any_length_is_laid_out() -> None:
    with in_time():
        lines = wrapped("x" * 200_000, 100, size=10)
        assert len(cut("x" * 200_000, 100, size=10)) == len(lines[0]) - 1
    assert "".join(lines) == "x" * 200_000
    assert all(width(line, 10) <= 100 < width(line + "x", 10) for line in lines[:-1])
