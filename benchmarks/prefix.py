"""The common prefix of a few-shot model's prompts read once, beside every prompt read from its start."""

from __future__ import annotations

import time

import numpy as np

from evenhand.corpora import eec
from evenhand.systems.few_shot.smollm import smollm

SENTENCES = 60
ROUNDS = 3


def run() -> list[tuple[str, str, str, str]]:
    """Both ways on the same sentences, in turn; their scores must be the same."""
    corpus = eec()
    emotional = corpus.frame.filter(corpus.mask("emotional"))["text"]  # the others are asked four questions each
    texts = emotional.gather_every(len(emotional) // SENTENCES).to_list()[:SENTENCES]
    systems = {"once": smollm(corpus), "each time": smollm(corpus, prefix_cache=False)}
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    scores = {}
    for _ in range(ROUNDS):
        for name, system in systems.items():
            start = time.perf_counter()
            scores[name] = system.score(texts)
            seconds[name].append(time.perf_counter() - start)
    np.testing.assert_allclose(scores["once"], scores["each time"], atol=1e-6)
    best = {name: min(times) for name, times in seconds.items()}
    ratio = best["each time"] / best["once"]
    speed = ", ".join(f"{SENTENCES / took:.0f}/s {name}" for name, took in best.items())
    return [("prefix read once", f"{ratio:.1f} × ({speed})", "> 2 ×", "yes" if ratio > 2 else "no")]
