"""Makes the head of `embedding:all-minilm` (`python -m tools.minilm_head`), or compares it (`--check`)."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from evenhand.asking.progress import progress_bars
from evenhand.systems.trained.embedding import read_head
from evenhand.systems.trained.embedding_card import read_card
from evenhand.systems.trained.ready_head import DIGITS, FILE, ReadyHead, ready_head
from evenhand.systems.training.embedding import train_embedding

PATH = Path(__file__).parent.parent / "src" / "evenhand" / "data" / "heads" / FILE
LICENCES = "texts and ratings: MIT (vaderSentiment 3.3.2); encoder: Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)"
MOST = 1e-4
"""Other processors and versions give other last digits; a weight that differs by more comes from something else."""


def main(arguments: list[str] | None = None) -> None:
    """Train it again, and write it or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    given = parser.parse_args(arguments)
    head = made()
    if given.check:
        apart = differs(head, ready_head())
        print(f"largest difference between the weights: {apart:.1e}")
        raise SystemExit(apart > MOST)
    PATH.write_text(written(head), encoding="utf-8", newline="\n")
    quality = head.quality
    print(f"{PATH}: n {quality.n:,}, pearson {quality.pearson}, spearman {quality.spearman} ({quality.how})")


def made() -> ReadyHead:
    """The head of a training from scratch, as `evenhand train embedding` does it."""
    with tempfile.TemporaryDirectory() as folder, progress_bars() as bar:
        train_embedding(Path(folder), start=lambda most: bar("all-minilm", most, 0))
        card = read_card(Path(folder))
        learned = read_head(Path(folder), card)
    return ReadyHead(
        made_by="python -m tools.minilm_head",
        licences=LICENCES,
        encoder=card.encoder,
        output=card.output,
        high_is_desirable=card.high_is_desirable,
        data=card.data,
        data_sha256=card.data_sha256,
        alpha=float(learned.alpha_),
        quality=card.quality,
        versions=card.versions,
        intercept=round(float(learned.intercept_), DIGITS),
        weights=tuple(round(float(weight), DIGITS) for weight in learned.coef_),
    )


def written(head: ReadyHead) -> str:
    """As a file: readable, eight weights a line."""
    values = head.model_dump()
    weights = values.pop("weights")
    rows = [", ".join(f"{weight:.{DIGITS}f}" for weight in weights[at : at + 8]) for at in range(0, len(weights), 8)]
    start = json.dumps(values, indent=2, ensure_ascii=False).removesuffix("\n}")
    return start + ',\n  "weights": [\n    ' + ",\n    ".join(rows) + "\n  ]\n}\n"


def differs(one: ReadyHead, other: ReadyHead) -> float:
    """The largest difference between weights; infinite where they are not of the same encoder and texts."""
    if (one.encoder, one.data_sha256) != (other.encoder, other.data_sha256):
        return float("inf")
    return float(np.abs(np.array([*one.weights, one.intercept]) - [*other.weights, other.intercept]).max())


if __name__ == "__main__":
    main()
