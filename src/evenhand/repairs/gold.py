"""What a repair does to quality: texts that people rated, answered before and after."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.asking import score_as
from evenhand.asking.settings import AskSettings
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.opened import naming_its_file
from evenhand.files.tables import TableFile
from evenhand.files.task_files import TaskFile, dimension_in_name
from evenhand.repairs.calibrator import Calibrator
from evenhand.repairs.repaired import repaired
from evenhand.repairs.result import GoldQuality
from evenhand.repairs.variables import variables
from evenhand.repairs.wrapping import distributed
from evenhand.stats import pearson, spearman
from evenhand.systems.base import Array, BaseScorer
from evenhand.systems.few_shot import FewShot

TEXT, GOLD, EMOTION = "text", "gold", "emotion"
TASK_COLUMNS = ("tweet", "intensity score")
FEWEST = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class GoldTexts:
    """Texts as a corpus about nobody in particular, and what people said of each."""

    corpus: Corpus
    gold: Array
    dimension: str | None = None
    """What was scored, as a file of the shared task says it: anger, fear, joy, sadness or valence."""


@naming_its_file
def read_gold_texts(path: Path) -> GoldTexts:
    """Read a table with the columns `text` and `gold`, and `emotion` where it has one; or a task's gold file as it is.

    A column called `score` could as well hold predictions, so it takes the task's own header to be read as gold.
    """
    task = TaskFile(path)
    if set(TASK_COLUMNS) <= {column.lower() for column in task.table.frame.columns}:
        return _gold_of_the_task(task)
    file = TableFile(path, known=(TEXT, GOLD, EMOTION))
    table = file.frame
    lacking = [column for column in (TEXT, GOLD) if column not in table.columns]
    if lacking:
        needed = f"{TEXT} and {GOLD}, or Tweet and Intensity Score as in the shared task"
        raise UsageError(f"{path} has no column {lacking[0]!r}; gold texts need {needed}; it has {file.has}")
    numbers = file.column(GOLD).numbers()
    file.column(TEXT).refuse_missing()
    corpus = _about_nobody(path, table[TEXT].cast(pl.String), table[EMOTION] if EMOTION in table.columns else None)
    return GoldTexts(corpus, numbers)


def _gold_of_the_task(file: TaskFile) -> GoldTexts:
    """The rows that people scored, and no others."""
    file.refuse_second_header()
    file.refuse_no_text()
    kept = (~file.without_score()).arg_true()
    scores = file.scores().gather(kept)
    wrong = (~scores.is_finite().fill_null(False)).arg_true()
    if len(wrong):
        raise EvenhandError(file.score_or_why(kept[int(wrong[0])]))
    if file.placeholders_in_words:
        log.info("%s: %s", file.path, file.placeholders_in_words)
    corpus = _about_nobody(file.path, file.texts.gather(kept))
    return GoldTexts(corpus, scores.to_numpy(), file.dimension or dimension_in_name(file.path))


def _about_nobody(path: Path, texts: pl.Series, emotions: pl.Series | None = None) -> Corpus:
    if len(texts) < FEWEST:
        raise UsageError(f"{path} has {len(texts)} texts with a score; a correlation needs {FEWEST}")
    ids = pl.Series("id", [f"gold-{row}" for row in range(1, len(texts) + 1)])
    person = pl.Series("person", [None] * len(texts), dtype=pl.String)
    frame = pl.DataFrame({"id": ids, "text": texts, "source": ids, "person": person})
    return Corpus(frame if emotions is None else frame.with_columns(emotions), path.stem, attributes={})


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
