"""The strings that people type."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from evenhand.asking import Scores, score
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.averaging import Averaged, Averaging
from evenhand.repairs.layers import Layers
from evenhand.repairs.neutral import Neutralised
from evenhand.repairs.repaired import Repaired
from evenhand.specs.resolving import FORMS, allowed_settings, parse_spec, resolve
from evenhand.systems import REGISTRY, Output, Scorer
from evenhand.systems.known_bias.planted import Planted, PlantedOn
from evenhand.translation import RoundTrip
from evenhand.verbs.audit import audit


@pytest.fixture
def corpus() -> Corpus:
    frame = pl.DataFrame(
        {
            "id": ["s1", "s2"],
            "text": ["Ebony is sad.", "Jamel is sad."],
            "source": ["sad", "sad"],
            "person": ["Ebony", "Jamel"],
            "gender": ["female", "male"],
        }
    )
    return Corpus(frame=frame, name="tiny", attributes={"gender": ("female", "male")})


def scorer_of(spec: str, corpus: Corpus) -> Scorer:
    scorer = resolve(spec, corpus)
    assert isinstance(scorer, Scorer)
    return scorer


@pytest.mark.parametrize(
    ("spec", "parsed"),
    [
        ("vader", ("vader", {})),
        ("vader()", ("vader", {})),
        ("biased-female", ("biased-female", {})),
        ("random(seed=7)", ("random", {"seed": 7})),
        ("planted( gap = -0.02,attribute=race )", ("planted", {"gap": -0.02, "attribute": "race"})),
        ("planted(attribute='sex, at birth (x)')", ("planted", {"attribute": "sex, at birth (x)"})),
        ("x(a=None, b=True, c=[1, 'two'], d=1e-3,)", ("x", {"a": None, "b": True, "c": [1, "two"], "d": 0.001})),
    ],
)
def test_names_and_settings_are_read_as_typed(spec: str, parsed: tuple[str, dict[str, object]]) -> None:
    assert parse_spec(spec) == parsed


def test_a_name_is_that_system(corpus: Corpus) -> None:
    scorer = scorer_of("vader", corpus)
    assert scorer.name == "vader"
    assert scorer.outputs[0].low == -1


def test_settings_reach_the_system_and_its_name_is_the_spec(corpus: Corpus) -> None:
    scorer = scorer_of("planted(gap=0.1, seed=3)", corpus)
    assert scorer.name == "planted(gap=0.1, seed=3)"
    assert scorer.fingerprint == Planted(corpus, gap=0.1, seed=3).fingerprint


def test_two_specs_of_one_system_keep_names_of_their_own(corpus: Corpus) -> None:
    assert [scorer_of(f"random(seed={seed})", corpus).name for seed in (1, 2)] == ["random(seed=1)", "random(seed=2)"]
    assert scorer_of("random", corpus).name == "random"


def test_whole_numbers_are_numbers(corpus: Corpus) -> None:
    first, second = scorer_of("planted(gap=0)", corpus).score(corpus.frame["text"].to_list())[:, 0]
    assert first == second


def test_systems_that_need_the_corpus_get_it(corpus: Corpus) -> None:
    assert scorer_of("biased-female", corpus).score(["Ebony is sad.", "Jamel is sad."])[:, 0].tolist() == [1, -1]


def test_a_python_path_is_a_system(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "minecode.py").write_text("def half(texts):\n    return [0.5] * len(texts)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    scorer = scorer_of("py:minecode:half", corpus)
    assert (scorer.name, scorer.outputs, scorer.fingerprint) == ("py:minecode:half", (Output("score"),), None)
    ranged = resolve("py:minecode:half", corpus, bounds=(-1, 1), version="2")
    assert isinstance(ranged, Scorer)
    assert ranged.outputs == (Output("score", low=-1, high=1),)
    assert ranged.fingerprint is not None


def test_a_file_is_scores(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,joy\ns1,3\ns2,-3\n")
    scores = resolve(f"file:{path}", corpus, bounds=(-4, 4))
    assert isinstance(scores, Scores)
    assert scores.columns[0].system == f"file:{path}"
    assert scores.columns[0].output == Output("joy", low=-4, high=4)


def test_without_bounds_a_file_must_keep_to_0_and_1(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,joy\ns1,3\ns2,-3\n")
    with pytest.raises(EvenhandError, match="give its bounds"):
        resolve(f"file:{tmp_path / 'p.csv'}", corpus)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("vadr", "unknown system 'vadr'; did you mean 'vader'?"),
        ("zzz", "unknown system 'zzz'; known: afinn, afinn-da, afinn-emoticons, biased-female, "),
        ("", "cannot read ''; write NAME or NAME(key=value, ...), file:PATH"),
        ("?:model", "cannot read '?:model'; write "),
        ("skop:model", "unknown system 'skop'; did you mean 'skops'?"),
        ("vader:x", "'vader:x' does not read as vader"),
        ("http:", "'http:' does not read as http:URL"),
        ("http:host", "'host' is not the address of an endpoint; write http://HOST/PATH"),
        ("skops:", "'skops:' does not read as skops:FILE"),
        ("C:\\preds.csv", "unknown system 'C'"),
        ("preds.csv", "(for recorded predictions: file:preds.csv)"),
        ("planted(gap=0.1", "cannot read 'planted(gap=0.1'"),
        ("planted(0.1)", "cannot read the settings in 'planted(0.1)': each is key=value"),
        ("planted(**x)", "each is key=value"),
        ("planted(gap)", "each is key=value"),
        ("planted(gap=)", "cannot read the settings in 'planted(gap=)': write NAME(key=value, ...)"),
        ("planted(gap=1, gap=2)", "'planted(gap=1, gap=2)' gives 'gap' twice"),
        ("planted(gap=1) (seed=2)", "cannot read the settings"),
        ("planted(gap=0.1)(seed=2)", "cannot read the settings"),
        ("planted(gap=open('x'))", "gap=open('x') is not a plain value; text needs quotes"),
        ("planted(gap=1+x)", "gap=1 + x is not a plain value"),
        ("planted(gp=1)", "'planted' has no setting 'gp'; its settings: gap=0.02, attribute=gender, person_sd=0.0, "),
        ("planted(corpus=1)", "'planted' has no setting 'corpus'; its settings: gap=0.02"),
        ("planted(gap=big)", "'planted': gap must be a number, not 'big'; its settings: gap=0.02"),
        ("planted(gap=True)", "gap must be a number, not True"),
        ("planted(seed=1.5)", "seed must be a whole number, not 1.5"),
        ("planted(attribute=3)", "attribute must be a text, not 3"),
        ("planted(attribute=gendr)", "no attribute 'gendr'; did you mean 'gender'?"),
        ("vader(x=1)", "'vader' has no setting 'x'; it takes no settings"),
        ("py:", "'py:' does not read as py:package.module:callable"),
        ("py:nosuchmodule:f", "no Python module 'nosuchmodule'"),
        ("file:", "unknown ending ''"),
        ("file:no.csv", "no such file: no.csv"),
    ],
)
def test_what_is_typed_wrong_is_one_line(spec: str, message: str, corpus: Corpus) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(spec, corpus)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_system_of_the_table_says_what_it_takes() -> None:
    assert all("corpus" not in allowed_settings(entry.build) for entry in REGISTRY.values())
    assert list(allowed_settings(REGISTRY["planted"].build)) == ["gap", "attribute", "person_sd", "noise", "seed"]


def test_every_form_has_a_description() -> None:
    assert all(FORMS.values())


def test_a_system_may_be_written_down(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: strongly planted\nsystem: planted\nsettings: {gap: 0.3, seed: 4}\n")
    scorer = scorer_of(str(path), corpus)
    assert isinstance(scorer, Planted)
    assert scorer.name == "strongly planted"
    assert scorer.fingerprint == scorer_of("planted(gap=0.3, seed=4)", corpus).fingerprint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name: [", "mine.yaml, line 2: not valid YAML: "),
        ("name: x\nsystem: 'vader", "mine.yaml, line 2: not valid YAML: found unexpected end of stream"),
        ("name: x", "system: Field required"),
        ("system: vadr", "unknown system 'vadr'; did you mean 'vader'"),
        ("system: vader\nsetings: {}", "setings: unknown key; did you mean 'settings'"),
        ("system: planted\nsettings: {gp: 1}", "'planted' has no setting 'gp'"),
        ("system: py", "'py' does not read as py:package.module:callable"),
    ],
)
def test_mistakes_in_a_system_file_are_named(tmp_path: Path, corpus: Corpus, content: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    with pytest.raises(EvenhandError, match=message):
        resolve(str(path), corpus)
    with pytest.raises(UsageError, match="no such file"):
        resolve("nowhere.yaml", corpus)


def test_a_system_file_that_cannot_be_read_is_not_quoted(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("system: http://host/\nsettings:\n  headers: {Authorization: 'Bearer abc\n")
    with pytest.raises(EvenhandError) as caught:
        resolve(str(path), corpus)
    assert "Bearer" not in str(caught.value)


def test_predictions_of_another_shape_are_described_in_a_system_file(tmp_path: Path, corpus: Corpus) -> None:
    (tmp_path / "p.tsv").write_text("nr\tdimension\tscore\ns1\tjoy\t1\ns1\tfear\t2\ns2\tjoy\t3\ns2\tfear\t4\n")
    path = tmp_path / "mine.yaml"
    path.write_text(
        f"name: theirs\nsystem: file:{tmp_path / 'p.tsv'}\nsettings:\n  id: nr\n  high: 4\n"
        "  long: {name: dimension, value: score}\n  outputs: {fear: {low: 1}, joy: }\n"
    )
    scores = resolve(str(path), corpus)
    assert isinstance(scores, Scores)
    assert [(c.system, c.output) for c in scores.columns] == [
        ("theirs", Output("fear", low=1, high=4)),
        ("theirs", Output("joy", high=4)),
    ]
    assert scores.matrix.tolist() == [[2, 1], [4, 3]]


# A bias planted on a system


def test_a_bias_is_planted_on_a_system() -> None:
    corpus = eec()
    plain, planted = resolve("vader", corpus), resolve("planted(gap=0.05, person_sd=0.01)+vader", corpus)
    assert isinstance(planted, PlantedOn)
    assert planted.name == "planted(gap=0.05, person_sd=0.01)+vader"
    texts = ["This woman feels angry.", "This man feels angry.", "Nobody of the corpus."]
    difference = (planted.score(texts) - plain.score(texts))[:, 0]
    assert difference[2] == 0
    assert difference[0] - difference[1] == pytest.approx(0.05, abs=0.05)
    assert difference[0] != difference[1]
    alone = resolve("planted(gap=0.05)+vader", corpus)
    assert (alone.score(texts) - plain.score(texts))[:, 0].tolist() == pytest.approx([0.025, -0.025, 0])


def test_a_planted_bias_keeps_answers_in_their_range_and_changes_the_fingerprint() -> None:
    corpus = eec()
    large, small = resolve("planted(gap=4)+vader", corpus), resolve("planted(gap=0.1)+vader", corpus)
    assert large.score(["This woman feels angry.", "This man feels angry."])[:, 0].tolist() == [1, -1]
    assert len({large.fingerprint, small.fingerprint, resolve("vader", corpus).fingerprint}) == 3


def test_a_bias_cannot_be_planted_on_what_was_recorded(tmp_path: Path) -> None:
    recorded = tmp_path / "scores.csv"
    recorded.write_text("text,score\n" + "\n".join(f'"{text}",0.5' for text in eec().frame["text"]))
    with pytest.raises(UsageError, match="can be asked"):
        resolve(f"planted+file:{recorded}", eec())


# A repair around a system


def saved_calibrator(path: Path, corpus: Corpus, system: str = "biased-female", method: type = Averaging) -> Path:
    method.fit(score([scorer_of(system, corpus)], corpus, progress=False), corpus).save(path)
    return path


def test_a_repair_that_needs_no_fitting_is_named_by_a_word(corpus: Corpus) -> None:
    made = scorer_of("repaired:averaging+biased-female", corpus)
    assert isinstance(made, Averaged)
    assert made.name == "repaired:averaging+biased-female"
    assert made.inner.name == "biased-female"
    assert made.score(["Ebony is sad.", "Jamel is sad."])[:, 0].tolist() == [0, 0]
    assert isinstance(scorer_of("repaired: neutral + vader", eec()), Neutralised)


def test_a_calibrator_is_read_from_its_file(corpus: Corpus, tmp_path: Path) -> None:
    path = saved_calibrator(tmp_path / "layers.json", corpus, method=Layers)
    made = scorer_of(f"repaired:{path}+biased-female", corpus)
    assert isinstance(made, Repaired)
    assert made.calibrator.method == "layers"
    with_plus = saved_calibrator(tmp_path / "a+b.json", corpus)
    assert isinstance(scorer_of(f"repaired:{with_plus}+biased-female", corpus), Averaged)


def test_settings_and_nesting_go_on_inside(corpus: Corpus, tmp_path: Path) -> None:
    made = scorer_of("repaired:averaging+planted(gap=0.1, seed=3)", corpus)
    assert isinstance(made, Averaged)
    assert made.inner.fingerprint == Planted(corpus, gap=0.1, seed=3).fingerprint
    twice = scorer_of("repaired:averaging+repaired:averaging+planted(gap=0.1)+random(seed=3)", corpus)
    assert isinstance(twice, Averaged)
    assert isinstance(twice.inner, Averaged)
    assert isinstance(twice.inner.inner, PlantedOn)
    path = tmp_path / "mine.yaml"
    path.write_text("name: mended\nsystem: repaired:averaging+vader\n")
    assert scorer_of(str(path), corpus).name == "mended"
    assert isinstance(resolve("roundtrip:es+repaired:averaging+vader", corpus), RoundTrip)
    around = scorer_of("repaired:averaging+roundtrip:es+vader", corpus)
    assert isinstance(around, Averaged)
    assert isinstance(around.inner, RoundTrip)


def test_flags_reach_the_system_inside(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "innercode.py").write_text("def half(texts):\n    return [0.5] * len(texts)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    made = resolve("repaired:averaging+py:innercode:half", corpus, bounds=(-1, 1), version="2")
    assert isinstance(made, Averaged)
    assert made.outputs == (Output("score", low=-1, high=1),)
    assert made.fingerprint is not None


def test_what_was_recorded_is_repaired_where_answers_are_enough(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,joy\ns1,0.75\ns2,0.25\n")
    made = resolve(f"repaired:averaging+file:{path}", corpus)
    assert isinstance(made, Scores)
    assert made.matrix[:, 0].tolist() == [0.5, 0.5]
    assert made.columns[0].system == f"repaired:averaging+file:{path}"
    scores = resolve(f"file:{path}", corpus)
    assert isinstance(scores, Scores)
    Layers.fit(scores, corpus).save(tmp_path / "l.json")
    assert isinstance(resolve(f"repaired:{tmp_path / 'l.json'}+file:{path}", corpus), Scores)
    with pytest.raises(UsageError, match="was recorded, and cannot be asked about a neutral person instead"):
        resolve(f"repaired:neutral+file:{path}", corpus)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("repaired:averaging", "'repaired:averaging' does not read as repaired:CALIBRATOR+SYSTEM"),
        ("repaired:+vader", "'repaired:+vader' does not read as repaired:CALIBRATOR+SYSTEM"),
        ("repaired:averaging+", "does not read as repaired:CALIBRATOR+SYSTEM"),
        ("repaired:avraging+vader", "unknown repair 'avraging'; did you mean 'averaging'? (or the .json file of a "),
        ("repaired:no.json+vader", "no such file: no.json"),
        ("repaired:averaging+vadr", "unknown system 'vadr'; did you mean 'vader'?"),
        ("repaired:averaging(x=1)+vader", "'averaging' has no setting 'x'; it takes no settings"),
        ("repaired:neutral(lang=en)+vader", "'neutral' has no setting 'lang'; its settings: language=None"),
        (
            "repaired:neutral+vader",
            "no sentence of the corpus 'tiny' has a version with a neutral person: it is not known",
        ),
        ("repair:averaging+vader", "unknown system 'repair'; did you mean 'repaired'?"),
    ],
)
def test_a_repair_that_is_typed_wrong_is_one_line(spec: str, message: str, corpus: Corpus) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(spec, corpus)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON, or damaged"),
        ("[1]", "holds no calibrator; one comes from: evenhand repair"),
        ('{"evenhand_calibrator": 0}', "was written by another version of Evenhand; fit it again"),
        ('{"evenhand_calibrator": 1, "method": "magic"}', "unknown method 'magic'"),
        ('{"evenhand_calibrator": 1, "method": "layers"}', "does not hold a whole calibrator"),
    ],
)
def test_a_calibrator_that_cannot_be_read_is_one_line(
    content: str, message: str, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(EvenhandError) as caught:
        resolve(f"repaired:{tmp_path / 'c.json'}+vader", corpus)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_calibrator_of_another_system_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    path = saved_calibrator(tmp_path / "c.json", corpus, "random(seed=1)", Layers)
    with pytest.raises(UsageError, match=r"^this calibrator was fitted for 'random\(seed=1\)' as it was then"):
        resolve(f"repaired:{path}+random(seed=2)", corpus)
    (tmp_path / "m.yaml").write_text(f"system: repaired:{path}+random(seed=1)\nsettings: {{x: 1}}\n")
    with pytest.raises(UsageError, match=r"'repaired' takes no settings"):
        resolve(str(tmp_path / "m.yaml"), corpus)


def test_an_audit_of_a_repaired_system_finds_no_gap_and_asks_nothing_twice(tmp_path: Path) -> None:
    corpus = eec().sample(600)
    spec = "planted(gap=0.1, person_sd=0.02)"
    before, after = audit(
        [spec, f"repaired:averaging+{spec}"], corpus, attributes="gender", cache=tmp_path, progress=False
    ).findings
    assert before.mean_difference > 0.05
    assert after.mean_difference == pytest.approx(0, abs=1e-15)
    kept = sorted(path.name for path in (tmp_path / "scores").rglob("*.answers"))
    again = audit(f"repaired:averaging+{spec}", corpus, attributes="gender", cache=tmp_path, progress=False)
    assert again.findings[0].mean_difference == after.mean_difference
    assert sorted(path.name for path in (tmp_path / "scores").rglob("*.answers")) == kept
    assert len(kept) == 1
