"""The chain for round trips: send a corpus through another language and back, and see who gets lost on the way."""

from __future__ import annotations

from pathlib import Path

from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError
from evenhand.results import Subject, check_out
from evenhand.settings import check_seed
from evenhand.specs.resolving import resolve_trip
from evenhand.translation import Drift, ThereAndBack
from evenhand.translation import drift as measured_drift


def drift(
    translator: str | ThereAndBack,
    corpus: Corpus | str | Path | None = None,
    *,
    sample: int | None = None,
    seed: int | None = None,
    even: bool = False,
    cache: str | Path | None = None,
    progress: bool | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
) -> Drift:
    """Send a corpus there and back, and see what became of it.

    `translator` is a language (`es`), a translator (`apertium:eng-spa`), two with a comma between them, or a file that
    describes them. With `even`, uneven sentences are left out too, not only broken ones. `seed` is for the `sample`.
    With `out`, everything is saved in that folder. `command` goes into the provenance.
    """
    if seed is not None:
        check_seed(seed)
        if sample is None:
            raise UsageError("a seed is for a sample: say how many sentences to draw")
    asked = corpus if isinstance(corpus, Corpus) else load_corpus("eec" if corpus is None else corpus)
    asked = asked if sample is None else asked.sample(sample, seed=seed or 0)
    if out is not None:
        check_out(Path(out), Drift, Subject(corpora=(asked.name,)), overwrite=overwrite)
    folder = None if cache is None else Path(cache)
    way = resolve_trip(translator, cache=folder, progress=progress) if isinstance(translator, str) else translator
    found = measured_drift(asked, way, even=even, command=command)
    if out is not None:
        found.save(out, overwrite=overwrite)
    return found
