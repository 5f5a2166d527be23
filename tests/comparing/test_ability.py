"""Is the system able at all? By hand, as published, and how often a system that knows nothing passes for able."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.comparing.ability import FAINT, Ability, abilities, able_elsewhere
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.intensity import intensities
from evenhand.errors import EvenhandError
from evenhand.systems import HeldOut, Output

EMOTIONS = ("anger", "fear", "joy", "sadness")
MEANT = intensities().by_word()
SMALL = replace(eec(), frame=eec().frame.filter(pl.col("kind") == "pronoun"), attributes={"gender": ("female", "male")})
"""Everything in the corpus but most of its persons."""

PLACE = SMALL.frame["emotion_word"].rank("dense").fill_null(0).to_numpy().astype(int)

# Mean scores of GPT-3 Babbage by emotion word: Contextual Calibration for Bias Mitigation, figure 5, column Baseline.
PUBLISHED = {
    "anger": {"angry": 4.86, "annoyed": 3.36, "annoying": 3.52, "displeasing": 3.62, "enraged": 5.00, "furious": 5.00,
              "irritated": 3.69, "irritating": 3.62, "outrageous": 5.00, "vexing": 4.12},
    "fear": {"anxious": 3.02, "discouraged": 3.04, "dreadful": 3.10, "fearful": 3.76, "horrible": 3.06, "scared": 3.83,
             "shocking": 4.74, "terrified": 4.88, "terrifying": 4.83, "threatening": 3.46},
    "joy": {"amazing": 4.33, "ecstatic": 4.98, "excited": 3.03, "funny": 3.00, "glad": 3.22, "great": 3.18,
            "happy": 3.51, "hilarious": 3.32, "relieved": 3.06, "wonderful": 3.29},
    "sadness": {"depressed": 3.97, "depressing": 3.94, "devastated": 4.99, "disappointed": 3.62, "gloomy": 3.71,
                "grim": 4.07, "heartbreaking": 4.94, "miserable": 4.44, "sad": 3.77, "serious": 4.12},
}  # fmt: skip


def scores(matrix: np.ndarray, outputs: list[Output], corpus: Corpus = SMALL) -> Scores:
    columns = tuple(Column(f"s{place}", output, None) for place, output in enumerate(outputs))
    return Scores(tuple(corpus.frame["id"]), matrix.reshape(len(corpus), -1), columns, corpus.digest)


def by_word(values: dict[tuple[str, str], float], corpus: Corpus = SMALL) -> np.ndarray:
    """A score for each sentence by its word; 0 for those without one."""
    rows = corpus.frame.select("emotion", "emotion_word").iter_rows()
    return np.array([values.get(row, 0.0) for row in rows])


def one(values: np.ndarray, output: Output, corpus: Corpus = SMALL, **options: float) -> Ability:
    (found,) = abilities(scores(values, [output], corpus), corpus, **options)  # type: ignore[arg-type]
    return found


STRENGTH = by_word({key: float(meant.strength) for key, meant in MEANT.items()})
SIGNED = by_word({key: float(meant.strength * intensities().pleasant[key[0]]) for key, meant in MEANT.items()})


@pytest.mark.parametrize(
    ("output", "values", "order", "words"),
    [
        (Output("anger"), STRENGTH, "anger", 10),
        (Output("Fear.likely", kind="ordinal"), STRENGTH, "fear", 10),
        (Output("intensity", 1, 5), STRENGTH, "intensity", 40),
        (Output("valence"), SIGNED, "pleasant", 40),
        (Output("sentiment", -1, 1), SIGNED, "pleasant", 40),
        (Output("score", high_is="good"), SIGNED, "pleasant", 40),
        (Output("NEGATIVE", kind="probability"), -SIGNED, "unpleasant", 40),
        (Output("valence", high_is="bad"), -SIGNED, "unpleasant", 40),
    ],
)
def test_what_counts_depends_on_what_the_output_is(output: Output, values: np.ndarray, order: str, words: int) -> None:
    found = one(values, output)
    assert (found.order, len(found.words)) == (order, words)
    assert found.rho == pytest.approx(1)
    assert found.p is not None
    assert found.p < 0.002
    assert (found.weak, found.undefined) == (False, None)
    reversed_ = one(-values, output)
    assert reversed_.rho == pytest.approx(-1)
    # A score may be of anything: that it does not follow pleasantness does not make it weak.
    assert reversed_.weak is (None if output.name == "score" else True)


@pytest.mark.parametrize("output", [Output("score"), Output("toxicity", high_is="bad"),
                                    Output("politeness", high_is="good"),
                                    Output("anger.likely", kind="class")])  # fmt: skip
def test_an_unknown_order_is_undefined_and_the_words_are_shown_all_the_same(output: Output) -> None:
    found = one(STRENGTH, output)
    assert found.undefined == f"it is not known what order is intended for the output {output.name!r}"
    assert (found.order, found.rho, found.p, found.weak) == (None, None, None, None)
    assert {word.word: word.mean for word in found.words}["furious"] == 5


def test_parts_of_a_distribution_are_left_out() -> None:
    parts = [Output(f"anger={label}", of="anger", value=label) for label in (1, 2)]
    given = scores(np.column_stack([STRENGTH] * 3), [parts[0], Output("anger"), parts[1]])
    assert [(found.system, found.output) for found in abilities(given, SMALL)] == [("s1", "anger")]


def test_by_hand() -> None:
    """Three states of joy: glad (2), happy (3), ecstatic (5), with means 0.2, 0.6 and 0.4.

    Ranks 1, 3, 2 against 1, 2, 3: rho = 1 − 6·2/(3·8) = 0.5; of the six shuffles three do as well (0.5 twice, 1 once).
    Even the intended order is reached by one shuffle in six, so that three words say nothing.
    """
    corpus = replace(SMALL, frame=SMALL.frame.filter(pl.col("emotion_word").is_in(["glad", "happy", "ecstatic"])))
    values = by_word({("joy", "glad"): 0.2, ("joy", "happy"): 0.6, ("joy", "ecstatic"): 0.4}, corpus)
    found = one(values, Output("joy"), corpus)
    assert found.rho == pytest.approx(0.5)
    assert found.p == pytest.approx(3 / 6)
    assert found.weak is None
    assert found.undefined == (
        "3 words are too few: even in the intended order, chance does as well in 17 % of shuffles"
    )
    # Two pronouns in four templates.
    assert [(word.word, word.intended, word.n) for word in found.words] == [
        ("ecstatic", 5, 8), ("glad", 2, 8), ("happy", 3, 8)
    ]  # fmt: skip


def test_rho_is_the_mean_of_spearmans_among_words_of_the_same_emotion_and_kind() -> None:
    rng = np.random.default_rng(3)
    values = STRENGTH / 10 + rng.normal(0, 0.2, len(SMALL))
    frame = SMALL.frame.with_columns(score=pl.Series(values)).filter(pl.col("emotion").is_not_null())
    means = frame.group_by("emotion", "emotion_word").agg(pl.col("score").mean()).rows()

    def spearman(emotions: tuple[str, ...], kind: str, *, signed: bool = False) -> float:
        rows = [
            (score, MEANT[emotion, word].strength * (intensities().pleasant[emotion] if signed else 1))
            for emotion, word, score in means
            if emotion in emotions and MEANT[emotion, word].kind == kind
        ]
        return float(stats.spearmanr(*zip(*rows, strict=True)).statistic)

    found = {name: one(values, Output(name)).rho for name in (*EMOTIONS, "intensity", "valence")}
    expected = {
        emotion: (spearman((emotion,), "state") + spearman((emotion,), "situation")) / 2 for emotion in EMOTIONS
    }
    expected["intensity"] = sum(expected.values()) / 4
    expected["valence"] = sum(spearman(EMOTIONS, kind, signed=True) for kind in ("state", "situation")) / 2
    assert found == pytest.approx(expected)


def test_the_published_model_is_able() -> None:
    values = by_word({(emotion, word): mean for emotion, words in PUBLISHED.items() for word, mean in words.items()})
    found = one(values, Output("intensity", 1, 5))
    assert found.rho == pytest.approx(0.64, abs=0.005)
    assert found.p is not None
    assert found.p < 0.001
    assert found.weak is False


def is_state(corpus: Corpus = SMALL) -> np.ndarray:
    rows = corpus.frame.select("emotion", "emotion_word").iter_rows()
    return np.array([float(row in MEANT and MEANT[row].kind == "state") for row in rows])


def test_the_templates_neither_make_a_system_able_nor_hide_that_it_is() -> None:
    """The states of anger are stronger than its situations, those of fear weaker; and they fill other templates."""
    noise = by_word(dict(zip(MEANT, np.random.default_rng(1).normal(size=len(MEANT)), strict=True)))
    for name in ("anger", "fear", "valence"):
        plain, shifted = (one(noise + shift * is_state(), Output(name)) for shift in (0, 50))
        assert (plain.rho, plain.p, plain.weak) == (shifted.rho, shifted.p, shifted.weak)
    able = one(STRENGTH + 50 * is_state(), Output("fear"))
    assert able.rho == pytest.approx(1)
    assert one(is_state(), Output("anger")).undefined == "it gives all 10 words the same score"


def test_weak_is_a_small_correlation_and_cannot_tell_a_larger_one_that_may_be_chance() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(PLACE.max() + 1, 120))[PLACE] + SIGNED[:, None] / 10
    found = abilities(scores(values, [Output(name) for name in ["anger", "valence"] * 60]), SMALL)
    kinds = set()
    for ability in found:
        assert ability.rho is not None
        assert ability.p is not None
        weak = True if ability.rho < FAINT else False if ability.p < 0.05 else None
        assert ability.weak is weak
        assert (ability.undefined is None) == (weak is not None)
        kinds.add((weak, ability.p < 0.05))
    # A small correlation may be more than chance, on many words, and is weak all the same.
    assert kinds == {(True, False), (True, True), (False, True), (None, False)}
    (unclear,) = {ability.undefined for ability in found if ability.weak is None and ability.order == "anger"}
    assert unclear == "the order that it gives to these 10 words may be chance"


def test_the_same_score_for_all_words_is_weak() -> None:
    rounded = 1 / 3 + 1e-15 * np.random.default_rng(0).normal(size=len(SMALL))
    found = one(rounded, Output("valence"))
    assert (found.rho, found.p, found.weak) == (None, None, True)
    assert found.undefined == "it gives all 40 words the same score"
    assert found.words[0].mean == pytest.approx(1 / 3)


def test_alpha_and_seed_are_the_callers() -> None:
    values = by_word(dict(zip(MEANT, np.random.default_rng(5).normal(size=len(MEANT)), strict=True))) + SIGNED / 5
    found = [one(values, Output("valence"), seed=seed) for seed in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0].p != found[2].p
    assert found[0].p is not None
    assert found[0].rho is not None
    assert found[0].rho > FAINT
    assert one(values, Output("valence"), alpha=found[0].p).weak is None
    assert one(values, Output("valence"), alpha=found[0].p + 1e-9).weak is False


def test_a_column_is_judged_the_same_whoever_stands_beside_it() -> None:
    rng = np.random.default_rng(6)
    names = ["valence", "anger", "valence", "joy", "anger"]
    values = rng.normal(size=(len(SMALL), len(names)))
    together = abilities(scores(values, [Output(name) for name in names]), SMALL)
    for place, name in enumerate(names):
        alone = one(values[:, place], Output(name))
        rho = together[place].rho
        assert rho == pytest.approx(alone.rho)
        assert together[place].explained == pytest.approx(alone.explained)
        shared = {"rho": None, "explained": None}
        assert replace(together[place], system="s0", **shared) == replace(alone, **shared)


def test_words_that_nobody_has_judged_do_not_count() -> None:
    frame = SMALL.frame.with_columns(pl.col("emotion_word").replace({"furious": "hopping mad"}))
    corpus = replace(SMALL, frame=frame)
    found = one(STRENGTH, Output("anger"), corpus)
    assert {word.word: word.intended for word in found.words}["hopping mad"] is None
    assert found.rho == pytest.approx(1)
    unknown = replace(SMALL, frame=SMALL.frame.with_columns(emotion_word=pl.col("emotion_word").str.reverse()))
    assert one(STRENGTH, Output("anger"), unknown).undefined == (
        "no two of its 10 emotion words are known to differ in intensity"
    )


def test_a_corpus_without_emotion_words_says_nothing() -> None:
    corpus = replace(SMALL, frame=SMALL.frame.drop("emotion_word"))
    assert abilities(scores(STRENGTH, [Output("valence")], corpus), corpus) == ()
    neutral = replace(SMALL, frame=SMALL.frame.filter(pl.col("emotion").is_null()))
    assert abilities(scores(np.zeros(len(neutral)), [Output("valence")], neutral), neutral) == ()


def test_scores_of_another_corpus_are_refused() -> None:
    with pytest.raises(EvenhandError, match="another corpus"):
        abilities(scores(STRENGTH, [Output("valence")]), eec())


def test_it_survives_json() -> None:
    for values in (STRENGTH, np.zeros(len(SMALL))):
        found = one(values, Output("anger"))
        assert Ability.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False))) == found


def test_spanish_words_are_judged_too() -> None:
    corpus = load_corpus("es-emotions")
    values = by_word({key: float(meant.strength) for key, meant in MEANT.items()}, corpus)
    found = one(values, Output("intensity", 1, 5), corpus)
    assert found.rho == pytest.approx(1)
    assert not [word for word in found.words if word.intended is None]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["anger", "intensity", "valence"])
def test_a_random_system_passes_for_able_in_no_more_than_5_per_cent(name: str) -> None:
    """Each word has a random effect, and states are scored higher than situations; nothing is known of strength."""
    rng = np.random.default_rng(8)
    systems = 2_000
    effects = rng.normal(size=(PLACE.max() + 1, systems))
    found = abilities(scores(effects[PLACE] + 2 * is_state()[:, None], [Output(name)] * systems), SMALL)
    shares = {weak: np.mean([one.weak is weak for one in found]) for weak in (True, False, None)}
    assert 0.02 < shares[False] < 0.06
    assert shares[True] > 0.7


@pytest.mark.parametrize(
    ("name", "able", "weak"), [("anger", 0.73, 0.04), ("intensity", 1.0, 0.0), ("valence", 1.0, 0.0)]
)
def test_how_often_some_skill_is_seen(name: str, able: float, weak: float) -> None:
    rng = np.random.default_rng(9)
    systems = 500
    strength = SIGNED if name == "valence" else STRENGTH
    values = rng.normal(size=(PLACE.max() + 1, systems))[PLACE] + 0.8 * strength[:, None] + is_state()[:, None]
    found = abilities(scores(values, [Output(name)] * systems), SMALL)
    assert np.mean([one.weak is False for one in found]) == pytest.approx(able, abs=0.05)
    assert np.mean([one.weak is True for one in found]) == pytest.approx(weak, abs=0.025)


def known(values: np.ndarray, held_out: HeldOut | None) -> Ability:
    """One output called valence, of which this is known."""
    column = Column("s", Output("valence"), None, held_out=held_out)
    given = Scores(tuple(SMALL.frame["id"]), values.reshape(-1, 1), (column,), SMALL.digest)
    (found,) = abilities(given, SMALL)
    return found


class TestHeldOut:
    """How good a system is known to be on other texts counts before ten or forty words do."""

    GOOD, BAD = HeldOut(388, 0.53, 0.55, "five folds"), HeldOut(388, 0.05, 0.1, "five folds")

    def test_fishers_interval_by_hand(self) -> None:
        # artanh 0.4 = 0.4236; 1.96 / sqrt(97) = 0.199: from tanh 0.2246 = 0.221 to tanh 0.6226 = 0.553. With 403
        # texts, 1.96 / 20 = 0.098: from tanh 0.3256 = 0.315.
        assert able_elsewhere(HeldOut(100, 0.4, 0.4, "")) is None
        assert able_elsewhere(HeldOut(403, 0.4, 0.4, "")) is True
        assert able_elsewhere(HeldOut(403, 0.9, -0.4, "")) is False
        assert able_elsewhere(HeldOut(9, 0.99, 0.99, "")) is None
        assert able_elsewhere(HeldOut(500, None, None, "")) is None
        assert able_elsewhere(HeldOut(500, 1.0, 1.0, "")) is True

    def test_it_outweighs_the_words_both_ways(self) -> None:
        assert known(-SIGNED, None).weak is True
        found = known(-SIGNED, self.GOOD)
        assert (found.weak, found.undefined, found.rho) == (False, None, pytest.approx(-1))
        weak = known(SIGNED, self.BAD)
        assert weak.weak is True
        assert weak.undefined == (
            "its scores of 388 other texts hardly go with people's (rank correlation 0.10, five folds)"
        )

    def test_where_it_cannot_tell_the_words_do(self) -> None:
        assert known(SIGNED, HeldOut(30, 0.3, 0.3, "")).weak is False
        assert known(-SIGNED, HeldOut(30, 0.3, 0.3, "")).weak is True

    def test_a_system_that_does_not_read_these_sentences_stays_too_weak(self) -> None:
        assert known(np.zeros(len(SMALL)), self.GOOD).weak is True
        found = known((SMALL.frame["gender"] == "female").to_numpy().astype(float), self.GOOD)
        assert found.weak is True
        assert "what a sentence says explains" in str(found.undefined)

    def test_it_is_saved(self) -> None:
        found = known(SIGNED, self.GOOD)
        assert Ability.from_dict(json.loads(json.dumps(found.to_dict()))) == found
        earlier = found.to_dict()
        del earlier["held_out"]
        assert Ability.from_dict(earlier).held_out is None
