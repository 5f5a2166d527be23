"""What the user's gender changes: effects by hand, planted bias found, and chance left alone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from evenhand.asking import score
from evenhand.comparing.conversations import Difference, sentiment_given, what_is_said
from evenhand.corpora.chat import Conversations, chat_corpus, prepare, read_chat
from evenhand.systems import as_scorer

Spoken = list[tuple[str, str, str, str]]


def conversations(spoken: Spoken, *, study: str = "s") -> pl.DataFrame:
    """A log from (conversation, gender, speaker, text)."""
    nothing = pl.lit(None, dtype=pl.String)
    frame = pl.DataFrame(spoken, schema=["conversation", "gender", "speaker", "original"], orient="row")
    return frame.select(
        pl.lit(study).alias("study"), "conversation", "speaker", "gender", "original", nothing.alias("prefix"),
        pl.col("original").alias("text"), pl.concat_list(pl.int_range(pl.len())).alias("rows"),
        pl.lit("made.csv").alias("file"), (pl.int_range(pl.len()) + 2).alias("line"),
    )  # fmt: skip


def talk(lengths: dict[str, list[int]]) -> Spoken:
    """A conversation for each number: the user says one utterance of so many words, and the bot says ok."""
    return [
        row
        for gender, numbers in lengths.items()
        for place, number in enumerate(numbers)
        for row in (
            (f"{gender}{place}", gender, "user", " ".join(["word"] * number)),
            (f"{gender}{place}", gender, "bot", "ok"),
        )
    ]


def one(found: tuple[Difference, ...], measure: str, speaker: str = "user") -> Difference:
    (only,) = (d for d in found if (d.measure, d.speaker, d.first, d.second) == (measure, speaker, "female", "male"))
    return only


def test_effect_means_and_exact_p_by_hand() -> None:
    found = what_is_said(prepare([conversations(talk({"female": [4, 5, 6], "male": [1, 2, 5]}))]).utterances)
    words = one(found, "words in an utterance")
    # Of nine pairs, the female one has more words in 7 (4>1, 4>2, 5>1, 5>2, 6>1, 6>2, 6>5), fewer in 1 (4<5), and 5=5.
    assert words.effect == pytest.approx(6 / 9)
    assert words.means == pytest.approx((5.0, 8 / 3))
    assert words.difference == pytest.approx(7 / 3)
    values = [4, 5, 6, 1, 2, 5]
    splits = [(sum(values[i] for i in some), sum(values)) for some in combinations(range(6), 3)]
    exact = np.mean([abs(2 * part - whole) >= 7 for part, whole in splits])
    assert words.p == pytest.approx(exact, abs=0.02)
    assert words.interval is not None
    assert words.interval[0] < words.difference < words.interval[1]
    assert words.conversations == (3, 3)
    ok = one(found, "words in an utterance", "chatbot")
    assert (ok.effect, ok.difference, ok.interval, ok.p) == (0.0, 0.0, (0.0, 0.0), 1.0)


def test_conversations_are_compared_within_their_study() -> None:
    # Studies differ much, genders not at all within them; without strata, female would have far more words.
    logs = [
        conversations(talk({"female": [10, 10, 10, 10], "male": [10, 10]}), study="long"),
        conversations(talk({"female": [1, 1], "male": [1, 1, 1, 1]}), study="short"),
    ]
    words = one(what_is_said(prepare(logs).utterances), "words in an utterance")
    assert (words.difference, words.effect, words.p) == (0.0, 0.0, 1.0)
    assert words.conversations == (6, 6)
    assert words.means == pytest.approx((5.5, 5.5))


def test_the_divergence_of_vocabularies_by_hand() -> None:
    spoken = [
        row
        for number in range(2)
        for gender, text in (("female", "a a b b"), ("male", "a a a b"))
        for row in ((f"{gender}{number}", gender, "user", text), (f"{gender}{number}", gender, "bot", f"only {gender}"))
    ]
    found = what_is_said(prepare([conversations(spoken)]).utterances)
    # Shares (1/2, 1/2) and (3/4, 1/4), their middle (5/8, 3/8); entropies in bits.
    entropy = [-sum(p * np.log2(p) for p in shares) for shares in ((5 / 8, 3 / 8), (1 / 2, 1 / 2), (3 / 4, 1 / 4))]
    assert one(found, "vocabulary").effect == pytest.approx(entropy[0] - (entropy[1] + entropy[2]) / 2)
    # The bot says "only female" or "only male": half of the words are shared.
    bot = one(found, "vocabulary", "chatbot")
    assert bot.effect == pytest.approx(0.5)
    # Of the six ways to deal the genders, two keep them apart, and four mix them: no divergence is left.
    assert bot.by_chance == pytest.approx(0.5 * 2 / 6, abs=0.05)
    assert bot.p == pytest.approx(2 / 6, abs=0.05)


def test_words_of_their_own_are_found_and_the_same_words_are_not() -> None:
    def spoken(female: str, male: str) -> Spoken:
        return [
            row
            for number in range(8)
            for gender, text in (("female", female), ("male", male))
            for row in ((f"{gender}{number}", gender, "user", text), (f"{gender}{number}", gender, "bot", "yes indeed"))
        ]

    different = what_is_said(prepare([conversations(spoken("sun and sea", "wind and rain"))]).utterances)
    assert one(different, "vocabulary").p_adjusted < 0.05  # type: ignore[operator]
    same = what_is_said(prepare([conversations(spoken("sun and sea", "sun and sea"))]).utterances)
    assert (one(same, "vocabulary").effect, one(same, "vocabulary").p) == (0.0, 1.0)


def test_what_cannot_be_said_is_undefined_with_its_reason() -> None:
    logs = [conversations(talk({"female": [3, 4]}), study="a"), conversations(talk({"male": [3, 4]}), study="b")]
    words = one(what_is_said(prepare(logs).utterances), "words in an utterance")
    assert (words.effect, words.p, words.interval, words.conversations) == (None, None, None, (0, 0))
    assert words.undefined == "no conversation with gender female in a study that has both; two are needed"


def test_a_silent_speaker_has_no_mean_and_the_others_are_compared() -> None:
    spoken = talk({"female": [2, 2, 2], "male": [2, 2, 2]})
    silent = [row for row in spoken if row[:3] != ("male0", "male", "bot")]
    found = what_is_said(prepare([conversations(silent)]).utterances)
    assert one(found, "words in an utterance", "chatbot").conversations == (3, 2)
    assert one(found, "utterances in a conversation", "chatbot").conversations == (3, 3)


def test_p_values_are_adjusted_together_and_the_seed_decides() -> None:
    utterances = read_chat(["example"]).utterances
    found = what_is_said(utterances, seed=5, draws=999)
    raw = sorted(d.p for d in found if d.p is not None)
    smallest = min(d.p_adjusted for d in found if d.p_adjusted is not None)
    assert smallest == pytest.approx(min(1.0, raw[0] * len(raw)))
    assert what_is_said(utterances, seed=5, draws=999) == found
    assert what_is_said(utterances, seed=6, draws=999) != found


def sentiment(found: Conversations, judge: object) -> tuple[Difference, ...]:
    corpus = chat_corpus(found.merged)
    system = as_scorer(judge, low=0.0, high=1.0)
    return sentiment_given(score([system], corpus, progress=False), corpus, draws=1_999)


def test_a_system_that_hears_girl_is_found_and_a_deaf_one_is_not() -> None:
    found = read_chat(["example"])
    planted = sentiment(found, lambda texts: [0.9 if "girl" in text else 0.1 for text in texts])
    for assigned in (False, True):
        (users,) = (
            d for d in planted
            if (d.speaker, d.first, d.second, d.assigned) == ("user", "female", "male", assigned)
        )  # fmt: skip
        assert users.measure == "sentiment"
        assert users.difference == pytest.approx(0.8)
        assert users.effect == pytest.approx(1.0)
        assert users.p_adjusted is not None
        assert users.p_adjusted < 0.05
    bots = [d for d in planted if d.speaker == "chatbot"]
    assert all(d.difference == 0.0 and d.p == 1.0 for d in bots)
    deaf = sentiment(found, lambda texts: [0.5 for _ in texts])
    assert all(d.difference == 0.0 and d.p == 1.0 and d.effect == 0.0 for d in deaf)


def test_lots_say_nothing_about_what_is_said_and_something_about_sentiment() -> None:
    example = read_chat(["example"])
    lots = example.utterances.filter(pl.col("assigned"))
    assert what_is_said(lots) == ()
    assert {d.conversations for d in what_is_said(example.utterances, draws=99)} == {(6, 6)}


def test_the_conversation_counts_not_the_utterance() -> None:
    # One female conversation of many happy words among unhappy ones: means by conversation, not by utterance.
    spoken = [("f0", "female", "user", "glad")]
    for number in range(20):
        spoken += [("f0", "female", "bot", f"and {number}"), ("f0", "female", "user", f"glad {number}")]
    spoken += [("f1", "female", "user", "sad"), ("m0", "male", "user", "sad"), ("m1", "male", "user", "sad")]
    found = sentiment(prepare([conversations(spoken)]), lambda texts: [float("glad" in text) for text in texts])
    assert found[0].means == pytest.approx((0.5, 0.0))
    assert found[0].p is not None
    assert found[0].p > 0.3
