from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.asking import Scores, score, scored
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, SystemsFailed, UsageError
from evenhand.systems.base import BaseScorer, Output

Make = Callable[..., Corpus]
LETTERS = list("abcdefghij")


def by_text(scores: Scores, corpus: Corpus) -> dict[str, list[float]]:
    return dict(zip(corpus.frame["text"], scores.matrix.tolist(), strict=True))


# What is asked


def test_each_distinct_sentence_is_asked_once_in_planned_batches(make_corpus: Make, recorder: Any, cache: Path) -> None:
    system = recorder()
    score([system], make_corpus(["c", "a", "b", "a", "c"]), cache=cache)
    assert system.asked == [["a", "b"], ["c"]]


def test_rows_come_in_the_order_of_the_corpus_and_twins_share_their_score(
    make_corpus: Make, recorder: Any, cache: Path
) -> None:
    corpus = make_corpus(["c", "a", "b", "a"], ids=["z", "y", "x", "w"])
    scores = score([recorder(answer=lambda texts: [ord(text) / 200 for text in texts])], corpus, cache=cache)
    assert scores.ids == ("z", "y", "x", "w")
    assert scores.matrix[:, 0].tolist() == [ord(text) / 200 for text in "caba"]
    assert scores.corpus_digest == corpus.digest


def test_columns_are_the_systems_outputs_in_order(make_corpus: Make, recorder: Any, cache: Path) -> None:
    two = recorder("two", outputs=(Output("joy"), Output("fear")), batch_size=3)
    scores = score([two, recorder("one", fingerprint=None)], make_corpus(LETTERS), cache=cache)
    assert [column.name for column in scores.columns] == ["two/joy", "two/fear", "one/valence"]
    assert [column.fingerprint for column in scores.columns] == ["v1", "v1", None]
    alone = score([recorder("one")], make_corpus(LETTERS), cache=cache)
    assert scores.matrix[:, 2].tobytes() == alone.matrix[:, 0].tobytes()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), min_size=1), st.randoms())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_row_order_does_not_change_a_sentences_score(
    make_corpus: Make, recorder: Any, texts: list[str], chance: random.Random
) -> None:
    one, other = make_corpus(texts), make_corpus(chance.sample(texts, len(texts)))
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        assert by_text(score([recorder()], one, cache=Path(first)), one) == by_text(
            score([recorder()], other, cache=Path(second)), other
        )


class Ahead(BaseScorer):
    """Wants to know the batch after the next one, and fails at it."""

    name, outputs, fingerprint, batch_size, ahead = "ahead", (Output("length", 0, 9),), "ahead", 2, 1

    def __init__(self) -> None:
        self.told: list[list[list[str]]] = []

    def expect(self, coming: Any) -> None:
        self.told.append([list(texts) for texts, _ in coming])
        raise RuntimeError("no matter: it will be told when it is asked")

    def score(self, texts: Any) -> Any:
        return np.array([[len(text)] for text in texts])


def test_a_system_may_know_ahead_what_the_cache_has_not(make_corpus: Make, cache: Path) -> None:
    first, second = Ahead(), Ahead()
    score([first], make_corpus(list("abcdef")), cache=cache)
    assert first.told == [[["a", "b"], ["c", "d"]], [["c", "d"], ["e", "f"]], [["e", "f"]], []]
    score([second], make_corpus(list("abcdefgh")), cache=cache)
    assert second.told == [[["g", "h"]], []]


def test_an_empty_corpus_asks_nothing(make_corpus: Make, recorder: Any, cache: Path) -> None:
    system = recorder()
    assert score([system], make_corpus([]), cache=cache).matrix.shape == (0, 1)
    assert system.asked == []


def test_a_system_may_change_the_list_it_is_given(make_corpus: Make, recorder: Any, cache: Path) -> None:
    def greedy(texts: list[str]) -> list[float]:
        numbers = [ord(text) / 200 for text in texts]
        texts.clear()
        return numbers

    corpus = make_corpus(LETTERS)
    expected = [[ord(text) / 200] for text in LETTERS]
    assert score([recorder(answer=greedy)], corpus, cache=cache).matrix.tolist() == expected


# The cache


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(make_corpus: Make, recorder: Any, cache: Path) -> None:
    corpus, again = make_corpus(LETTERS), recorder()
    first = score([recorder()], corpus, cache=cache)
    assert score([again], corpus, cache=cache).matrix.tobytes() == first.matrix.tobytes()
    assert again.asked == []


def test_the_folder_can_be_named_by_the_environment(
    make_corpus: Make, recorder: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(cache))
    score([recorder()], make_corpus(LETTERS))
    assert cache.is_dir()


@pytest.mark.parametrize(
    "change",
    [{"fingerprint": "v2"}, {"batch_size": 3}, {"outputs": (Output("other"),)}],
    ids=lambda change: next(iter(change)),
)
def test_a_change_of_system_or_plan_asks_again(
    make_corpus: Make, recorder: Any, cache: Path, change: dict[str, Any]
) -> None:
    corpus, changed = make_corpus(LETTERS), recorder(**change)
    score([recorder()], corpus, cache=cache)
    score([changed], corpus, cache=cache)
    assert sum(map(len, changed.asked)) == len(LETTERS)


def test_a_renamed_system_is_not_asked_again(make_corpus: Make, recorder: Any, cache: Path) -> None:
    renamed = recorder("another name")
    score([recorder()], make_corpus(LETTERS), cache=cache)
    score([renamed], make_corpus(LETTERS), cache=cache)
    assert renamed.asked == []


@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        pytest.param(lambda content: b"", LETTERS, id="empty"),
        pytest.param(lambda content: b"garbage" * 99, LETTERS, id="garbage"),
        pytest.param(lambda content: content[:-1], ["i", "j"], id="half-written"),
        pytest.param(lambda content: content[: len(content) // 2], list("efghij"), id="truncated"),
        pytest.param(lambda content: content[:200] + b"?" + content[201:], ["c", "d"], id="a wrong byte"),
        pytest.param(lambda content: content[:200] + content[201:], ["c", "d"], id="a missing byte"),
    ],
)
def test_only_damaged_batches_are_asked_again(
    make_corpus: Make, recorder: Any, cache: Path, files_in: Any, damage: Callable[[bytes], bytes], lost: list[str]
) -> None:
    corpus, again, third = make_corpus(LETTERS), recorder(), recorder()
    first = score([recorder()], corpus, cache=cache)
    (kept,) = files_in(cache)
    kept.write_bytes(damage(kept.read_bytes()))
    assert score([again], corpus, cache=cache).matrix.tobytes() == first.matrix.tobytes()
    assert [text for batch in again.asked for text in batch] == lost
    score([third], corpus, cache=cache)
    assert third.asked == []


def test_kept_answers_outside_a_range_that_was_narrowed_are_asked_again(
    make_corpus: Make, recorder: Any, cache: Path
) -> None:
    wide = recorder(answer=lambda texts: [5.0] * len(texts), outputs=(Output("valence", high=10),))
    narrow = recorder()
    score([wide], make_corpus(LETTERS), cache=cache)
    assert score([narrow], make_corpus(LETTERS), cache=cache).matrix.max() <= 1
    assert len(narrow.asked) == 5
    score([narrow], make_corpus(LETTERS), cache=cache)
    assert len(narrow.asked) == 5


def test_a_cache_that_cannot_be_written_stops_before_the_system_is_asked(
    make_corpus: Make, recorder: Any, cache: Path
) -> None:
    cache.write_text("a file")
    system = recorder()
    with pytest.raises(EvenhandError, match="cannot write to the cache"):
        score([system], make_corpus(LETTERS), cache=cache)
    assert system.asked == []


# Systems without a fingerprint


def test_without_a_fingerprint_a_completed_run_leaves_nothing(
    make_corpus: Make, recorder: Any, cache: Path, files_in: Any
) -> None:
    for _ in range(2):
        system = recorder(fingerprint=None)
        score([system], make_corpus(LETTERS), cache=cache)
        assert len(system.asked) == 5
        assert files_in(cache) == []


def test_without_a_fingerprint_an_unfinished_run_is_resumed(
    make_corpus: Make, recorder: Any, cache: Path, files_in: Any
) -> None:
    corpus = make_corpus(LETTERS)
    with pytest.raises(ScoringFailed):
        score([recorder(fingerprint=None, fails_on=("c",))], corpus, cache=cache)
    mended = recorder(fingerprint=None)
    undisturbed = score([recorder(fingerprint=None)], corpus, cache=cache.with_name("other"))
    assert score([mended], corpus, cache=cache).matrix.tobytes() == undisturbed.matrix.tobytes()
    # What is kept is asked again, as there is little of it, to see that it is still the same.
    assert mended.asked == [["a", "b"], ["e", "f"], ["g", "h"], ["i", "j"], ["c", "d"]]
    assert files_in(cache) == []


@pytest.mark.parametrize(
    ("change", "texts"),
    [({"name": "another"}, LETTERS), ({"resume_key": "edited"}, LETTERS), ({}, [*LETTERS, "k"])],
    ids=["name", "code", "corpus"],
)
def test_without_a_fingerprint_another_run_takes_nothing_over(
    make_corpus: Make, recorder: Any, cache: Path, change: dict[str, Any], texts: list[str]
) -> None:
    unfinished = recorder(fingerprint=None, resume_key="code", fails_on=("c",))
    with pytest.raises(ScoringFailed):
        score([unfinished], make_corpus(LETTERS), cache=cache)
    other = recorder(**{"fingerprint": None, "resume_key": "code", **change})
    score([other], make_corpus(texts), cache=cache)
    assert sum(map(len, other.asked)) == len(texts)


def test_an_unfinished_run_stays_until_all_its_systems_are_done(make_corpus: Make, recorder: Any, cache: Path) -> None:
    done = recorder("done", fingerprint=None)
    with pytest.raises(ScoringFailed):
        score([done, recorder("failing", fails_on=("a",))], make_corpus(LETTERS), cache=cache)
    again, mended = recorder("done", fingerprint=None), recorder("failing")
    with scored([again, mended], make_corpus(LETTERS), cache=cache):
        assert len(again.asked) == len(LETTERS) / 2  # to see that it is still the same
        assert ["a", "b"] in mended.asked


def test_a_few_kept_batches_from_all_over_the_plan_are_asked_again(
    make_corpus: Make, recorder: Any, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = make_corpus([f"{number:04}" for number in range(4_000)])
    broken = recorder("broken", fails_on=("0000",))
    with pytest.raises(ScoringFailed):
        score([recorder(fingerprint=None, batch_size=100), broken], corpus, cache=cache)
    again = recorder(fingerprint=None, batch_size=100)
    with caplog.at_level("INFO"):
        score([again, recorder("broken")], corpus, cache=cache)
    first = [texts[0] for texts in again.asked]
    assert first[:4] == ["0000", "1300", "2600", "3900"]
    assert len(first) == 20  # half of the batches, as every sentence has words of its own
    assert "20 of 40 batches were asked again and agree" in caplog.text


@pytest.mark.parametrize("name", ["N003", "N017", "N026", "N034", "N045", "N058"])
def test_a_change_by_one_name_is_noticed(make_corpus: Make, recorder: Any, cache: Path, name: str) -> None:
    names = [f"N{number:03}" for number in range(60)]
    lead = ["Today", "Look,", "Now", "Often", "Somehow", "Again", "Perhaps", "Indeed"]
    corpus = make_corpus(
        [f"{start} {name} feels {word}." for start in lead for name in names for word in ("sad", "glad")]
    )
    broken = recorder("broken", fails_on=(corpus.frame["text"][0],))
    with pytest.raises(ScoringFailed):
        score([recorder(fingerprint=None, batch_size=20), broken], corpus, cache=cache)

    class Changed(recorder):  # type: ignore[misc]
        def score(self, texts: Any) -> Any:
            halved = np.array([0.5 if name in text else 1.0 for text in texts])
            return np.asarray(super().score(texts)) * halved[:, np.newaxis]

    found = score([Changed(fingerprint=None, batch_size=20), recorder("broken")], corpus, cache=cache)
    afresh = score([Changed(fingerprint=None, batch_size=20)], corpus, cache=cache.with_name("other"))
    assert found.matrix[:, 0].tobytes() == afresh.matrix[:, 0].tobytes()


def test_a_change_is_noticed_however_wide_the_declared_range(make_corpus: Make, recorder: Any, cache: Path) -> None:
    corpus, wide = make_corpus(LETTERS), {"fingerprint": None, "outputs": (Output("score", low=0, high=1_000_000),)}
    with pytest.raises(ScoringFailed):
        score([recorder(**wide), recorder("broken", fails_on=("a",))], corpus, cache=cache)

    class Changed(recorder):  # type: ignore[misc]
        def score(self, texts: Any) -> Any:
            return np.asarray(super().score(texts)) / 2

    found = score([Changed(**wide), recorder("broken")], corpus, cache=cache)
    afresh = score([Changed(**wide)], corpus, cache=cache.with_name("other"))
    assert found.matrix[:, 0].tobytes() == afresh.matrix[:, 0].tobytes()


def test_a_system_that_does_not_sample_is_checked_though_it_is_asked_several_times(
    make_corpus: Make, recorder: Any, cache: Path
) -> None:
    corpus = make_corpus(LETTERS)
    with pytest.raises(ScoringFailed):
        score(
            [recorder(fingerprint=None), recorder("bad", fingerprint=None, fails_on=("a",))],
            corpus,
            cache=cache,
            draws=2,
        )

    class Changed(recorder):  # type: ignore[misc]
        def score(self, texts: Any) -> Any:
            return np.asarray(super().score(texts)) / 2

    both = [Changed(fingerprint=None), recorder("bad", fingerprint=None)]
    afresh = score([Changed(fingerprint=None)], corpus, cache=cache.with_name("other"), draws=2)
    assert score(both, corpus, cache=cache, draws=2).matrix[:, 0].tobytes() == afresh.matrix[:, 0].tobytes()


@pytest.mark.parametrize("changed_from", ["0000", "2000", "3950"])
def test_a_model_that_was_changed_between_two_runs_is_noticed_though_all_its_answers_are_kept(
    make_corpus: Make, recorder: Any, cache: Path, changed_from: str
) -> None:
    corpus = make_corpus([f"{number:04}" for number in range(4_000)])
    with pytest.raises(ScoringFailed):
        score([recorder(fingerprint=None, batch_size=50), recorder("broken", fails_on=("0000",))], corpus, cache=cache)

    class Changed(recorder):  # type: ignore[misc]
        def score(self, texts: Any) -> Any:
            halved = [0.5 if text >= changed_from else 1.0 for text in texts]
            return np.asarray(super().score(texts)) * np.array(halved)[:, np.newaxis]

    changed = Changed(fingerprint=None, batch_size=50)
    afresh = score([Changed(fingerprint=None, batch_size=50)], corpus, cache=cache.with_name("other"))
    found = score([changed, recorder("broken")], corpus, cache=cache)
    assert found.matrix[:, 0].tobytes() == afresh.matrix[:, 0].tobytes()


def test_what_comes_from_the_cache_is_said(
    make_corpus: Make, recorder: Any, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = make_corpus(LETTERS)
    score([recorder()], corpus, cache=cache)
    with caplog.at_level("INFO"):
        score([recorder()], corpus, cache=cache)
    assert "10 of 10 answers come from the cache" in caplog.text


def test_an_unfinished_run_stays_until_the_block_ended_well(
    make_corpus: Make, recorder: Any, cache: Path, files_in: Any
) -> None:
    corpus, again = make_corpus(LETTERS), recorder(fingerprint=None)
    with pytest.raises(ZeroDivisionError), scored([recorder(fingerprint=None)], corpus, cache=cache):
        raise ZeroDivisionError
    with scored([again], corpus, cache=cache) as scores:
        assert scores.matrix.shape == (10, 1)
        assert files_in(cache)
    assert files_in(cache) == []


def test_a_system_that_answers_differently_now_is_asked_everything_again(
    make_corpus: Make, recorder: Any, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = make_corpus(LETTERS)
    with pytest.raises(ScoringFailed):
        score([recorder(fingerprint=None, fails_on=("c",))], corpus, cache=cache)

    class Retrained(recorder):  # type: ignore[misc]
        def score(self, texts: Any) -> Any:
            return np.asarray(super().score(texts)) / 2

    retrained = Retrained(fingerprint=None)
    undisturbed = score([Retrained(fingerprint=None)], corpus, cache=cache.with_name("other"))
    assert score([retrained], corpus, cache=cache).matrix.tobytes() == undisturbed.matrix.tobytes()
    assert "answers differently" in caplog.text


def test_a_system_that_ends_the_process_has_failed(make_corpus: Make, recorder: Any, cache: Path) -> None:
    class Quitter(recorder):  # type: ignore[misc]
        def score(self, texts: Any) -> Any:
            raise SystemExit(3)

    with pytest.raises(ScoringFailed, match=r"it called sys\.exit\(3\)"):
        score([Quitter()], make_corpus(LETTERS), cache=cache)


# Systems that fail


def test_a_failing_sentence_is_named_and_the_rest_is_kept(make_corpus: Make, recorder: Any, cache: Path) -> None:
    corpus = make_corpus([*LETTERS, "a"])
    with pytest.raises(ScoringFailed) as caught:
        score([recorder(fails_on=("d",))], corpus, cache=cache)
    assert str(caught.value) == (
        "system 'recorder' could not score 2 of 10 sentences, the first of them \"d\" (ValueError: cannot read this); "
        "what was scored is kept, and the same command asks only the rest"
    )
    assert isinstance(caught.value.__cause__, ValueError)
    mended = recorder()
    score([mended], corpus, cache=cache)
    assert mended.asked == [["c", "d"]]


def test_answers_given_while_looking_for_the_sentence_are_not_kept(
    make_corpus: Make, recorder: Any, cache: Path
) -> None:
    system, one_by_one = recorder(fails_on=("d",)), recorder(batch_size=1)
    with pytest.raises(ScoringFailed):
        score([system], make_corpus(LETTERS), cache=cache)
    assert system.asked[-2:] == [["c"], ["d"]]
    score([one_by_one], make_corpus(LETTERS), cache=cache)
    assert len(one_by_one.asked) == len(LETTERS)


def test_a_batch_that_fails_only_together_says_so(make_corpus: Make, recorder: Any, cache: Path) -> None:
    def no_pairs(texts: list[str]) -> list[float]:
        if len(texts) > 1:
            raise MemoryError
        return [0.5]

    with pytest.raises(ScoringFailed, match=r'asked together, though not alone, from the sentence "a" \(MemoryError'):
        score([recorder(answer=no_pairs)], make_corpus(["a", "b"]), cache=cache)


def test_a_system_that_is_down_is_not_asked_to_the_end(make_corpus: Make, recorder: Any, cache: Path) -> None:
    texts = [f"{number:03}" for number in range(200)]
    went_down = {"yet": False}

    def down_after_ten_batches(asked: list[str]) -> list[float]:
        went_down["yet"] |= asked[0] >= "020"
        if went_down["yet"]:
            raise ConnectionError("refused")
        return [0.5] * len(asked)

    system = recorder(answer=down_after_ten_batches)
    with pytest.raises(ScoringFailed, match=r"could not score 180 of 200 .* refused\); stopped asking"):
        score([system], make_corpus(texts), cache=cache)
    assert len(system.asked) == 10 + 3 + 1 + 1
    mended = recorder()
    score([mended], make_corpus(texts), cache=cache)
    assert len(mended.asked) == 90


@pytest.mark.parametrize("batch_size", [1, 2])
@pytest.mark.parametrize("first", [0, 10])
def test_many_failing_neighbours_do_not_keep_the_others_from_being_asked(
    make_corpus: Make, recorder: Any, cache: Path, batch_size: int, first: int
) -> None:
    texts = [f"{number:03}" for number in range(40)]
    system = recorder(fails_on=tuple(texts[first : first + 20]), batch_size=batch_size)
    with pytest.raises(ScoringFailed, match=f'could not score 20 of 40 sentences, the first of them "{texts[first]}"'):
        score([system], make_corpus(texts), cache=cache)
    mended = recorder(batch_size=batch_size)
    score([mended], make_corpus(texts), cache=cache)
    assert sum(map(len, mended.asked)) == 20


def test_the_other_systems_are_scored_before_the_failure_is_told(make_corpus: Make, recorder: Any, cache: Path) -> None:
    failing = [recorder("one", fails_on=("a",)), recorder("three", fails_on=("j",), fingerprint="v3")]
    two = recorder("two", fingerprint="v2")
    with pytest.raises(
        ScoringFailed, match=r"system 'one' could .* \"a\" .*; system 'three' could .* \"j\" "
    ) as caught:
        score([failing[0], two, failing[1]], make_corpus(LETTERS), cache=cache)
    assert "\n" not in str(caught.value)
    assert len(two.asked) == 5


def test_an_interrupt_passes_through_and_what_was_scored_is_kept(make_corpus: Make, recorder: Any, cache: Path) -> None:
    def interrupted(texts: list[str]) -> list[float]:
        if "e" in texts:
            raise KeyboardInterrupt
        return [0.5] * len(texts)

    with pytest.raises(KeyboardInterrupt):
        score([recorder(answer=interrupted)], make_corpus(LETTERS), cache=cache)
    again = recorder()
    score([again], make_corpus(LETTERS), cache=cache)
    assert again.asked == [["e", "f"], ["g", "h"], ["i", "j"]]


def test_a_bad_answer_stops_its_system_at_once_and_is_not_kept(make_corpus: Make, recorder: Any, cache: Path) -> None:
    bad = recorder(answer=lambda texts: [np.nan if text == "d" else 0.5 for text in texts])
    after = recorder("after", fingerprint="another")
    said = "system 'recorder' answered nan for the output 'valence' to the sentence \"d\""
    with pytest.raises(SystemsFailed, match=said) as caught:
        score([bad, after], make_corpus(LETTERS), cache=cache)
    assert list(caught.value.failed) == ["recorder"]
    assert bad.asked == [["a", "b"], ["c", "d"]]
    assert after.asked[-1] == LETTERS[-2:]
    with pytest.raises(BadAnswer, match=said):
        score([bad], make_corpus(LETTERS), cache=cache)
    mended = recorder()
    score([mended], make_corpus(LETTERS), cache=cache)
    assert mended.asked[0] == ["c", "d"]


@pytest.mark.parametrize("error", [BadAnswer("row 3 is empty"), UsageError("no such model")])
def test_what_an_adapter_says_in_our_own_words_passes_through(
    make_corpus: Make, recorder: Any, cache: Path, error: EvenhandError
) -> None:
    def refuse(texts: list[str]) -> list[float]:
        raise error

    with pytest.raises(type(error), match=str(error)):
        score([recorder(answer=refuse)], make_corpus(LETTERS), cache=cache)


# What cannot be asked


def test_unusable_systems_are_refused_before_anything_is_asked(make_corpus: Make, recorder: Any, cache: Path) -> None:
    corpus, good = make_corpus(LETTERS), recorder("good")
    for systems, message in [
        ([], "no system to ask"),
        ([good, recorder("good")], "two systems are called 'good'"),
        ([good, recorder(outputs=())], "needs outputs"),
        ([good, recorder(outputs=(Output("x"), Output("x")))], "needs outputs with different names"),
        ([good, recorder(batch_size=0)], "batch size 0"),
    ]:
        with pytest.raises(UsageError, match=message):
            score(systems, corpus, cache=cache)
    assert good.asked == []


def test_a_sentence_without_text_is_named(make_corpus: Make, recorder: Any, cache: Path) -> None:
    with pytest.raises(EvenhandError, match="the sentence 's1' has no text"):
        score([recorder()], make_corpus(["a", None]), cache=cache)
