"""Transformers as the engine asks them, beside the `pipeline` calls that one would write instead.

Models are built from a configuration, with random weights: what they say means nothing, and takes as long.
"""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.interleaved import ratio_row, timed
from evenhand.asking import score
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.hf import HuggingFace
from evenhand.systems.transformers.pieces import Reader
from evenhand.systems.transformers.torch_import import import_torch

ROUNDS = 5
BLOCK, BLOCKS = 32, 8
"""The corpus in the order that it has, of which so many blocks are asked."""
MIXED, SHORTEST, LONGEST = 64, 4, 200
"""Texts of so many words."""
ALIKE = 1e-5
SEED = 20_261_119
GOALS = {"EEC": (4.0, 1.3), "4 to 200 words": (1.7, 2.0)}
"""How many times as fast as `pipeline(texts)`, and as `pipeline(texts, batch_size=32)`."""

Row = tuple[str, str, str, str]


def run() -> list[Row]:
    """All contenders on the same texts, in turn, several times."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        build(place / "model")
        rows = [row for name, texts in corpora().items() for row in _rows(name, texts, place)]
        return [*rows, *(_pieces(name, texts, place) for name, texts in corpora().items())]


def corpora() -> dict[str, list[str]]:
    """Texts of two kinds."""
    every = eec().frame["text"].to_list()
    starts = range(0, len(every), len(every) // BLOCKS)
    rng = np.random.default_rng(SEED)
    words = " ".join(every[::50]).split()
    lengths = rng.integers(SHORTEST, LONGEST + 1, MIXED)
    mixed = [" ".join(rng.choice(words, length)) for length in lengths]
    return {"EEC": [text for start in starts for text in every[start : start + BLOCK]], "4 to 200 words": mixed}


def build(folder: Path) -> None:
    """A DistilBERT with random weights, and word pieces learned from the corpus."""
    torch = import_torch()
    import tokenizers
    import transformers

    reads = tokenizers.BertWordPieceTokenizer(lowercase=True)
    reads.train_from_iterator(eec().frame["text"].to_list(), vocab_size=30_522, show_progress=False)
    torch.manual_seed(0)
    with quiet():
        config = transformers.DistilBertConfig(vocab_size=30_522, num_labels=2)
        transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)
        made = transformers.BertTokenizerFast(vocab=reads.get_vocab(), model_max_length=512)
        made.save_pretrained(folder)


def _pieces(name: str, texts: list[str], place: Path) -> Row:
    """Word pieces put together from those of words, each seen for the first time, beside the tokeniser's own way."""
    from transformers import AutoTokenizer

    tokeniser = AutoTokenizer.from_pretrained(place / "model", local_files_only=True)

    def ours() -> None:
        Reader(tokeniser, limit=512).read(texts)

    seconds = timed({"ours": ours, "whole": lambda: tokeniser(texts, return_attention_mask=False)}, ROUNDS)
    return ratio_row(
        f"word pieces, {name}, against the tokeniser", seconds["whole"], seconds["ours"], texts=len(texts), goal=1.0
    )


def _rows(name: str, texts: list[str], place: Path) -> list[Row]:
    import transformers

    system = HuggingFace(str(place / "model"), outputs=["LABEL_0", "LABEL_1"], device="cpu")
    with quiet():
        pipeline = transformers.pipeline("text-classification", model=str(place / "model"), device="cpu", top_k=None)
    caches = (place / f"{name} {number}" for number in count())
    rows = {"id": [str(row) for row in range(len(texts))], "text": texts}
    corpus = Corpus(pl.DataFrame({**rows, "source": rows["id"], "person": "nobody"}), name, {})
    said: dict[str, Any] = {}

    def ours() -> None:
        said["hf"] = score([system], corpus, cache=next(caches), progress=False).matrix

    def one_by_one() -> None:
        said["pipeline"] = pipeline(texts)

    system.score(texts[:BLOCK])
    pipeline(texts[:2])
    seconds = timed({"hf": ours, "one": one_by_one, "32": lambda: pipeline(texts, batch_size=32)}, ROUNDS)
    theirs = [{one["label"]: one["score"] for one in answer} for answer in said["pipeline"]]
    off = float(np.abs(said["hf"] - [[one["LABEL_0"], one["LABEL_1"]] for one in theirs]).max())
    slowest = min(min(np.divide(seconds[other], seconds["hf"])) for other in ("one", "32"))
    goals = dict(zip(("one", "32"), GOALS[name], strict=True))
    called = {"one": "pipeline(texts)", "32": "pipeline(texts, batch_size=32)"}
    return [
        *(
            ratio_row(
                f"hf, {name}, against {called[other]}", seconds[other], seconds["hf"], texts=len(texts), goal=goal
            )
            for other, goal in goals.items()
        ),
        (f"hf, {name}, worst round", f"{slowest:.2f} ×", ">= 1 ×", "yes" if slowest >= 1 else "no"),
        (f"hf, {name}, scores beside pipeline's", f"{off:.1g} off", f"<= {ALIKE:g}", "yes" if off <= ALIKE else "no"),
    ]
