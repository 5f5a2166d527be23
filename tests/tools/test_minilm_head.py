"""The program that makes the packaged head: what it writes is what is read, and what it compares."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from evenhand.systems.trained.ready_head import ready_head
from evenhand.systems.training import rated_text
from evenhand.systems.training.embedding import train_embedding


def loaded() -> ModuleType:
    """The tools are not an installed package."""
    path = Path(__file__).parents[2] / "tools" / "minilm_head.py"
    spec = importlib.util.spec_from_file_location("tools_minilm_head", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = loaded()


def test_the_file_is_as_the_program_writes_it() -> None:
    assert tool.written(ready_head()) == tool.PATH.read_text(encoding="utf-8")


def test_heads_differ_by_their_largest_weight_and_by_what_they_learned_from() -> None:
    head = ready_head()
    moved = head.model_copy(update={"weights": (head.weights[0] + 0.25, *head.weights[1:])})
    assert tool.differs(head, head) == 0
    assert tool.differs(moved, head) == pytest.approx(0.25)
    assert tool.differs(head.model_copy(update={"data_sha256": "0" * 64}), head) == float("inf")


@pytest.mark.slow
def test_it_is_made_as_training_makes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty sentences in place of the rated texts."""
    texts = tuple(f"It was a {word} {thing}." for word in ("great", "bad", "plain") for thing in map(str, range(20)))
    ratings = np.repeat([3.0, -3.0, 0.0], 20)
    monkeypatch.setattr(rated_text, "rated_texts", lambda folder: rated_text.RatedTexts(texts, ratings))
    head = tool.made()
    card = train_embedding(tmp_path / "again")
    assert (head.quality, head.encoder) == (card.quality, card.encoder)
    vector = np.full(384, 0.05)
    assert 0 < head.regressor.predict(vector[None])[0] < 1
    assert len(head.weights) == 384
