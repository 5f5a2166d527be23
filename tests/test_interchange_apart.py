"""A task of inspect_ai and its log, and results files that lm-eval reads: the real packages (`make interchange`).

Both want older versions of what others here need (fsspec, python-dateutil), so they have an environment of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand import UsageError, audit, export, load_corpus

inspect_ai = pytest.importorskip("inspect_ai", reason="`make interchange` runs this, in an environment that has it")
lm_eval_utils = pytest.importorskip("lm_eval.utils", reason="`make interchange` runs this")

from evenhand.interchange import scores_from_inspect, to_inspect  # noqa: E402

# inspect_ai calls parts of its dependencies that will change.
pytestmark = pytest.mark.filterwarnings("ignore")
FRIENDS = Path(__file__).parent / "promises" / "saved" / "friends.yaml"
CORPUS = load_corpus(FRIENDS)


def answers(numbers: dict[str, str]) -> Any:
    """A model that looks its answers up by the text it is asked about; no model is called."""
    from inspect_ai.model import ModelOutput, get_model

    def told(messages: list[Any], *_: Any) -> ModelOutput:
        asked = messages[-1].text
        (text,) = [one for one in numbers if asked.endswith(f"\n\n{one}")]
        return ModelOutput.from_content("mockllm/model", numbers[text])

    async def count(text: str) -> int:
        return len(text)  # where inspect_ai counts tokens, it fetches a tokeniser

    model = get_model("mockllm/model", custom_outputs=told, memoize=False)
    model.api.count_text_tokens = count
    return model


def ran(numbers: dict[str, str], folder: Path, **task: Any) -> Any:
    (log,) = inspect_ai.eval(
        to_inspect(CORPUS, **task), model=answers(numbers), log_dir=str(folder), display="none", log_level="error"
    )
    assert log.status == "success", log.error
    return log


def worth(text: str) -> float:
    return round(len(text) / 200, 3)


def test_a_task_asks_about_every_text_and_its_log_gives_the_scores(tmp_path: Path) -> None:
    texts = CORPUS.frame["text"].to_list()
    log = ran({one: f"I'd say {worth(one)}." for one in texts}, tmp_path)
    for given in (log, log.location):
        scores = scores_from_inspect(given, CORPUS, name="mine")
        assert scores.matrix[:, 0].tolist() == pytest.approx([worth(one) for one in texts])
    assert (scores.columns[0].output.low, scores.columns[0].output.high) == (0, 1)
    assert audit(scores, CORPUS, progress=False).findings[0].system == "mine"


def test_inspect_gives_the_mean_of_each_group(tmp_path: Path) -> None:
    texts = CORPUS.frame["text"].to_list()
    log = ran({one: str(worth(one)) for one in texts}, tmp_path)
    attribute = next(iter(CORPUS.attributes))
    means = CORPUS.frame.group_by(attribute).agg(pl.col("text").map_elements(worth, pl.Float64).mean())
    told = {name: one.value for score in log.results.scores for name, one in score.metrics.items()}
    for group, mean in means.drop_nulls().iter_rows():
        assert told[group] == pytest.approx(mean, abs=1e-9)


def test_an_answer_without_a_number_is_no_zero(tmp_path: Path) -> None:
    texts = CORPUS.frame["text"].to_list()
    log = ran({one: "no idea" if one == texts[1] else "0.5" for one in texts}, tmp_path)
    with pytest.raises(UsageError, match=r"holds no number from 0 to 1"):
        scores_from_inspect(log, CORPUS)


def test_a_log_of_other_texts_is_refused(tmp_path: Path) -> None:
    texts = CORPUS.frame["text"].to_list()
    log = ran(dict.fromkeys(texts, "0.5"), tmp_path)
    with pytest.raises(UsageError, match="another corpus"):
        scores_from_inspect(log, load_corpus("eec"))


def test_lm_eval_makes_its_table_of_a_results_file(tmp_path: Path) -> None:
    found = audit("planted(gap=0.05, noise=0.01)", CORPUS, progress=False)
    path = tmp_path / "results_2026-11-20T00-00-00.json"
    export(found, "lm-eval", out=path)
    assert lm_eval_utils.get_results_filenames([str(path)]) == [str(path)]
    table = lm_eval_utils.make_table(json.loads(path.read_text(encoding="utf-8")))
    (row,) = [line for line in table.splitlines() if "|gap " in line and "±" in line][:1]
    finding = found.findings[0]
    *_, value, _, error, _ = (cell.strip() for cell in row.split("|"))
    assert float(value) == pytest.approx(finding.generalising.estimate, abs=6e-5)
    assert float(error) == pytest.approx(finding.generalising.standard_error, abs=6e-5)
    assert f"evenhand_{finding.output}_{finding.attribute}" in table
