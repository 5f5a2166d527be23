"""Systems with a repair around them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenhand.asking import Scores, score
from evenhand.corpora import Corpus, eec
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.alignment import Alignment
from evenhand.repairs.averaging import Averaged, Averaging
from evenhand.repairs.calibrator import Calibrator, load_calibrator
from evenhand.repairs.layers import Layers
from evenhand.repairs.neutral import Neutral, Neutralised
from evenhand.repairs.repaired import Repaired, Who, repaired
from evenhand.repairs.wrapping import cost_of, distributed
from evenhand.systems.base import Array, BaseScorer, Output, Scorer
from evenhand.systems.few_shot import FewShot, LabelModel

FEMALE = {"she", "her", "herself", "woman", "girl", "sister", "daughter", "wife", "girlfriend", "mother", "aunt", "mom"}
ABOUT_NOBODY = ["It rained.", "The soup was awful.", ""]
ELSEWHERE = ["Yesterday Ebony paid for lunch.", "The soup was not to his taste.", "My sister met him."]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return eec().sample(1200)


class Hears(BaseScorer):
    """Scores every word; words for women count more."""

    outputs: tuple[Output, ...] = (Output("score"),)
    batch_size = 64

    def __init__(self, corpus: Corpus, name: str = "hears", gap: float = 0.1) -> None:
        frame = corpus.frame.filter(corpus.frame["gender"] == "female")
        self._women = FEMALE | {name.lower() for name in frame["person"].unique() if " " not in name}
        self.name, self._gap = name, gap
        self.fingerprint: str | None = f"hears {gap}"
        self.asked: list[str] = []

    def score(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        return np.array([[0.3 + self._plain(text) + self._gap * self._hears(text)] for text in texts])

    def _plain(self, text: str) -> float:
        return (sum(map(ord, text)) % 97) / 400 + text.count("e") / 50

    def _hears(self, text: str) -> bool:
        return bool(self._women & {word.strip(".,").lower() for word in text.split()})

    def tokenise(self, text: str) -> list[str]:
        return list(text)


@pytest.fixture(scope="module")
def system(corpus: Corpus) -> Hears:
    return Hears(corpus)


@pytest.fixture(scope="module")
def scores(corpus: Corpus, system: Hears, tmp_path_factory: pytest.TempPathFactory) -> Scores:
    return score([system], corpus, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def layers(scores: Scores, corpus: Corpus) -> Layers:
    fitted = Layers.fit(scores, corpus)
    assert all(layer.weight for layer in fitted.layers if layer.attribute == "gender")
    return fitted


def test_as_a_system_it_says_what_the_calibrator_makes_of_the_scores(
    corpus: Corpus, system: Hears, scores: Scores, layers: Layers, tmp_path: Path
) -> None:
    wrapped = Repaired(system, layers, corpus)
    after = score([wrapped], corpus, cache=tmp_path)
    assert (after.matrix == layers.apply(scores, corpus).matrix).all()
    assert not (after.matrix == scores.matrix).any(axis=1).all()
    assert (wrapped.name, wrapped.outputs) == ("repaired:layers+hears", system.outputs)
    assert wrapped.tokenise("ab") == ["a", "b"]
    assert Repaired(_mute(system), layers, corpus).tokenise("ab") is None
    assert cost_of(wrapped, corpus.frame["text"].to_list(), cache=tmp_path).calls_per_sentence == 1


def _mute(system: Hears) -> BaseScorer:
    class Mute(BaseScorer):
        name, outputs, fingerprint, batch_size, score = (
            "mute", system.outputs, system.fingerprint, 8, staticmethod(system.score),
        )  # fmt: skip

    return Mute()


def test_sentences_about_nobody_keep_their_scores_to_the_last_bit(
    corpus: Corpus, system: Hears, layers: Layers
) -> None:
    wrapped = Repaired(system, layers, corpus)
    assert (wrapped.score(ABOUT_NOBODY) == system.score(ABOUT_NOBODY)).all()
    assert wrapped.named(ABOUT_NOBODY).tolist() == [False] * 3


@pytest.mark.parametrize("with_corpus", [True, False])
def test_persons_are_found_in_other_texts(corpus: Corpus, system: Hears, layers: Layers, with_corpus: bool) -> None:
    wrapped = Repaired(system, layers, corpus if with_corpus else None)
    lunch, soup, both = (wrapped.score(ELSEWHERE) - system.score(ELSEWHERE))[:, 0]
    assert lunch == pytest.approx(-0.05, abs=0.01)  # a woman
    assert soup == pytest.approx(0.05, abs=0.01)  # a man
    assert both == 0  # a woman and a man
    assert wrapped.named(ELSEWHERE).tolist() == [True, True, False]


def test_without_the_corpus_its_own_sentences_are_read_like_any_other(
    corpus: Corpus, system: Hears, layers: Layers
) -> None:
    texts = corpus.frame["text"].to_list()
    alike = Repaired(system, layers).score(texts) == Repaired(system, layers, corpus).score(texts)
    assert alike.mean() > 0.98


def test_what_the_corpus_says_goes_before_what_is_found(corpus: Corpus, system: Hears, layers: Layers) -> None:
    text = corpus.frame.filter(person="Ebony")["text"][0]
    swapped = replace(
        corpus,
        frame=corpus.frame.with_columns(gender=corpus.frame["gender"].replace({"female": "male", "male": "female"})),
    )
    found, told = Who(layers.fitted_for, None).rows([text]), Who(layers.fitted_for, swapped).rows([text, "Ebony sang."])
    assert found.groups["gender"].tolist() == ["female"]
    assert told.groups["gender"].tolist() == ["male", "female"]


def test_who_stands_in_a_text(corpus: Corpus, layers: Layers) -> None:
    known = corpus.frame["text"][0]
    rows = Who(layers.fitted_for, corpus).rows(
        ["My sister and she sang.", known, "My sister sang.", "Ebony and Lakisha sang.", "Hm."]
    )
    assert rows.groups["gender"].tolist() == ["female", "female", "female", "female", None]
    assert rows.groups["race"].tolist()[2:] == [None, "African American", None]
    assert rows.paired.tolist() == [True, False, True, False, False]
    assert rows.persons.tolist()[2:] == ["my sister", None, None]
    assert rows.sources is not None
    assert rows.slots is not None
    assert rows.sources.tolist() == [None, corpus.frame["source"][0], None, None, None]
    assert rows.slots["emotion"].tolist() == [None, corpus.frame["emotion"][0], None, None, None]
    assert rows.named.tolist() == [True, True, True, True, False]


def test_saved_and_read_again_it_still_knows_everybody(system: Hears, layers: Layers, tmp_path: Path) -> None:
    layers.save(tmp_path / "layers.json")
    read = load_calibrator(tmp_path / "layers.json")
    assert read.fitted_for == layers.fitted_for
    assert (Repaired(system, read).score(ELSEWHERE) == Repaired(system, layers).score(ELSEWHERE)).all()
    assert Repaired(system, read).fingerprint == Repaired(system, layers).fingerprint


def test_its_fingerprint_changes_with_all_that_the_answers_depend_on(
    corpus: Corpus, scores: Scores, system: Hears, layers: Layers
) -> None:
    weaker = Layers(layers.fitted_for, tuple(replace(layer, deserved=0.5) for layer in layers.layers))
    made: list[Scorer] = [
        system,
        Repaired(system, layers, corpus),
        Repaired(system, layers),
        Repaired(system, weaker, corpus),
        Repaired(system, Alignment.fit(scores, corpus), corpus),
        Averaged(system, corpus),
        Neutralised(system, corpus),
    ]
    assert len({one.fingerprint for one in made}) == len(made)
    assert Repaired(system, layers, corpus).fingerprint == Repaired(system, layers, corpus).fingerprint


def test_readings_of_one_model_have_fingerprints_of_their_own(corpus: Corpus, few_shot: tuple[FewShot, Layers]) -> None:
    system, layers = few_shot
    assert len({Repaired(system.reading(read), layers).fingerprint for read in ("expected", "likely", "all")}) == 3


@pytest.mark.parametrize("method", [Layers, Averaging, Neutral])
def test_another_system_is_refused(
    method: type[Layers | Averaging | Neutral], corpus: Corpus, scores: Scores, system: Hears
) -> None:
    calibrator: Calibrator = method.fit(scores, corpus)
    with pytest.raises(
        UsageError, match=r"^this calibrator was fitted for 'hears' as it was then, and 'other' is another"
    ):
        repaired(Hears(corpus, name="other", gap=0.2), calibrator, corpus)
    renamed = Hears(corpus)
    renamed.outputs = (Output("valence"),)
    with pytest.raises(
        UsageError, match=r"^this calibrator was fitted for the outputs score, but 'hears' gives valence$"
    ):
        repaired(renamed, calibrator, corpus)


def test_each_calibrator_asks_in_its_own_way(corpus: Corpus, scores: Scores, system: Hears, layers: Layers) -> None:
    kinds = [type(repaired(system, one.fit(scores, corpus), corpus)) for one in (Layers, Averaging, Neutral)]
    assert kinds == [Repaired, Averaged, Neutralised]
    assert isinstance(repaired(system, layers), Repaired)
    with pytest.raises(
        UsageError, match="'averaging' takes the versions of a sentence from a corpus, and there is none"
    ):
        repaired(system, Averaging.fit(scores, corpus))


def test_repairs_may_be_nested(corpus: Corpus, system: Hears, layers: Layers, tmp_path: Path) -> None:
    inner = Repaired(system, layers, corpus)
    outer = Averaged(inner, corpus)
    system.asked.clear()
    after = score([outer], corpus, cache=tmp_path)
    assert sorted(system.asked) == sorted(set(corpus.frame["text"]))
    once = score([inner], corpus, cache=tmp_path)
    assert (after.matrix == Averaging.fit(once, corpus).apply(once, corpus).matrix).all()


class Model(LabelModel):
    """A language model that prefers higher labels for women."""

    name = "model"
    fingerprint: str | None = "model 1"
    batch_size = 64

    def __init__(self, corpus: Corpus) -> None:
        self._hears = Hears(corpus)

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        sentences = [ending.partition("\n")[0] for ending in endings]
        tilt = 4 * self._hears.score(sentences) - 2
        odds = np.exp(tilt * np.linspace(-1, 1, len(labels)))
        return np.asarray(0.8 * odds / odds.sum(axis=1, keepdims=True))

    def tokenise(self, text: str) -> list[str]:
        return text.split()


@pytest.fixture(scope="module")
def few_shot(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> tuple[FewShot, Layers]:
    asked = FewShot(Model(corpus), corpus)
    distribution = score([distributed(asked)], corpus, cache=tmp_path_factory.mktemp("cache"))
    return asked, Layers.fit(distribution, corpus)


@pytest.mark.parametrize("read", ["expected", "likely", "distribution", "all"])
def test_a_language_model_is_repaired_in_its_distribution_and_read_as_was_asked(
    corpus: Corpus, few_shot: tuple[FewShot, Layers], read: str, tmp_path: Path
) -> None:
    system, layers = few_shot
    asked = system.reading(read)
    wrapped = Repaired(asked, layers, corpus)
    assert wrapped.outputs == asked.outputs
    after = score([wrapped], corpus, cache=tmp_path).matrix
    distribution = layers.apply(score([distributed(system)], corpus, cache=tmp_path), corpus).matrix
    worth = np.arange(1.0, 6)
    expected = {
        "expected": (distribution @ worth)[:, None],
        "likely": worth[distribution.argmax(axis=1)][:, None],
        "distribution": distribution,
    }
    wanted = np.hstack(list(expected.values())) if read == "all" else expected[read]
    assert after == pytest.approx(wanted, abs=1e-12)
    assert wrapped.remarks()[0].startswith("the labels 1 to 5 hold 80 %")


@pytest.mark.parametrize("read", ["expected", "likely", "distribution", "all"])
def test_a_language_model_keeps_its_answers_about_nobody_to_the_last_bit(
    corpus: Corpus, few_shot: tuple[FewShot, Layers], read: str
) -> None:
    system, layers = few_shot
    asked = system.asking("anger").reading(read)
    scores = distributed(asked).score(corpus.frame["text"].to_list())
    fitted = Layers(
        replace(layers.fitted_for, outputs=distributed(asked).outputs, fingerprint=distributed(asked).fingerprint),
        layers.layers,
    )
    assert scores.shape[1] == 5
    texts = [*ABOUT_NOBODY[:2], "Thunder.", "What a day!"]
    assert (Repaired(asked, fitted, corpus).score(texts) == asked.score(texts)).all()


def test_averaging_a_language_model_averages_distributions(
    corpus: Corpus, few_shot: tuple[FewShot, Layers], tmp_path: Path
) -> None:
    system, _ = few_shot
    after = score([Averaged(system.reading("likely"), corpus)], corpus, cache=tmp_path).matrix
    plain = score([distributed(system)], corpus, cache=tmp_path)
    mean = Averaging.fit(plain, corpus).apply(plain, corpus).matrix
    assert (after[:, 0] == mean.argmax(axis=1) + 1).all()


def test_nested_around_a_language_model_the_distribution_is_handed_on(
    corpus: Corpus, few_shot: tuple[FewShot, Layers], tmp_path: Path
) -> None:
    system, layers = few_shot
    outer = Averaged(Repaired(system, layers, corpus), corpus)
    assert [output.name for output in outer.inner.outputs] == [output.name for output in distributed(system).outputs]
    once = score([distributed(Repaired(system, layers, corpus))], corpus, cache=tmp_path)
    mean = Averaging.fit(once, corpus).apply(once, corpus).matrix
    assert score([outer], corpus, cache=tmp_path).matrix[:, 0] == pytest.approx(mean @ np.arange(1.0, 6), abs=1e-12)
    assert score([Neutralised(Repaired(system, layers, corpus), corpus)], corpus, cache=tmp_path).matrix.shape == (
        len(corpus),
        1,
    )


def test_one_that_was_fitted_on_a_reading_repairs_that_reading(
    corpus: Corpus, few_shot: tuple[FewShot, Layers], tmp_path: Path
) -> None:
    system, _ = few_shot
    expected = score([system], corpus, cache=tmp_path)
    fitted = Alignment.fit(expected, corpus)
    after = score([Repaired(system, fitted, corpus)], corpus, cache=tmp_path)
    assert (after.matrix == fitted.apply(expected, corpus).matrix).all()


def test_another_task_of_the_same_model_is_refused(corpus: Corpus, few_shot: tuple[FewShot, Layers]) -> None:
    system, layers = few_shot
    with pytest.raises(UsageError, match=r"fitted for the outputs intensity=1, .* gives joy=1"):
        Repaired(system.asking("joy"), layers, corpus)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("fitted_for"),
        lambda content: content["fitted_for"].pop("directory"),
        lambda content: content["fitted_for"]["directory"].pop("known"),
        lambda content: content["fitted_for"].update(paired=3),
        lambda content: content["fitted"]["layers"][0].pop("far"),
    ],
)
def test_a_calibrator_that_is_not_whole_is_one_line(change: object, layers: Layers, tmp_path: Path) -> None:
    layers.save(tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    change(content)  # type: ignore[operator]
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(
        EvenhandError, match=r"a\.json does not hold a whole calibrator \(.+\); fit it again: evenhand repair$"
    ):
        load_calibrator(tmp_path / "a.json")


@pytest.mark.slow
def test_the_example_in_the_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "repair.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for block in code:
        exec(compile(block, "repair.md", "exec"), {})  # noqa: S102
    assert code
