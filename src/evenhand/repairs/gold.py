"""What a repair does to quality: texts that people rated, answered before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.asking import score_as
from evenhand.asking.settings import AskSettings
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.files.tables import TableFile
from evenhand.repairs.calibrator import Calibrator
from evenhand.repairs.repaired import repaired
from evenhand.repairs.result import GoldQuality
from evenhand.repairs.variables import variables
from evenhand.repairs.wrapping import distributed
from evenhand.stats import pearson, spearman
from evenhand.systems.base import Array, BaseScorer
from evenhand.systems.few_shot import FewShot

TEXT, GOLD, EMOTION = "text", "gold", "emotion"


@dataclass(frozen=True, eq=False)
class GoldTexts:
    """Texts as a corpus about nobody in particular, and what people said of each."""

    corpus: Corpus
    gold: Array


def read_gold_texts(path: Path) -> GoldTexts:
    """Read a table with the columns `text` and `gold`, and `emotion` where it has one."""
    file = TableFile(path)
    table = file.frame
    lacking = [column for column in (TEXT, GOLD) if column not in table.columns]
    if lacking:
        raise UsageError(f"{path} has no column {lacking[0]!r}; gold texts need {TEXT} and {GOLD}")
    numbers = file.column(GOLD).numbers()
    file.column(TEXT).refuse_missing()
    if table.height < 3:
        raise UsageError(f"{path} has {table.height} texts; a correlation needs three")
    ids = pl.Series("id", [f"gold-{row}" for row in range(1, table.height + 1)])
    frame = pl.DataFrame({"id": ids, "text": table[TEXT].cast(pl.String), "source": ids}).with_columns(
        pl.lit(None, dtype=pl.String).alias("person")
    )
    if EMOTION in table.columns:
        frame = frame.with_columns(table[EMOTION])
    return GoldTexts(Corpus(frame, path.stem, attributes={}), numbers)


def quality_on_gold(
    system: BaseScorer,
    texts: GoldTexts,
    calibrators: Mapping[str, Calibrator],
    corpus: Corpus,
    how: AskSettings,
) -> tuple[GoldQuality, ...]:
    """How well the system agrees with people before each repair and after it.

    Who stands in a text is found by the names and words of the corpus that the repair was fitted on.
    """
    plain = distributed(system)
    if isinstance(plain, FewShot) and plain.asks_by_corpus:
        plain = plain.with_corpus(texts.corpus)
    before = score_as([plain], texts.corpus, how).matrix
    found = []
    for method, calibrator in calibrators.items():
        wrapped = repaired(plain, calibrator, corpus)
        after = score_as([wrapped], texts.corpus, how).matrix
        named = wrapped.named(texts.corpus.frame["text"].to_list())
        kept = bool((after[~named] == before[~named]).all())
        for variable in variables(plain.outputs):
            own = list(variable.places)
            was, now = variable.read(before[:, own]), variable.read(after[:, own])
            for place, output in enumerate(variable.readings):
                both = [part[:, [place]] for part in (was, now)]
                pearsons, spearmans = (
                    [_number(measure(part, texts.gold)[0]) for part in both] for measure in (pearson, spearman)
                )
                found.append(
                    GoldQuality(
                        method,
                        output.name,
                        len(texts.gold),
                        int(named.sum()),
                        (pearsons[0], pearsons[1]),
                        (spearmans[0], spearmans[1]),
                        kept,
                    )
                )
    return tuple(found)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
