"""What is in conversations, and what the user's gender changes: in what is said, and in the sentiment given to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.comparing.conversations import Difference
from evenhand.corpora.chat import StepDone
from evenhand.errors import EvenhandError
from evenhand.files.plain import rebuild
from evenhand.files.tables import TableFile, table_bytes
from evenhand.results import Result
from evenhand.results.rendering import Files

UTTERANCES_FILE = "utterances.parquet"
PROPERTIES = ("by_gender", "by_study", "by_study_with_prefix")


@dataclass(frozen=True, eq=False, repr=False)
class Chat(Result):
    """What was found in conversations.

    Properties are counted without the gender prefix; `by_study_with_prefix` counts it in, as the paper's Table III
    does. `utterances` are those of `Conversations`, as they were typed.
    """

    kind: ClassVar[str] = "chat"
    file: ClassVar[str] = "chat.json"

    steps: tuple[StepDone, ...]
    by_gender: pl.DataFrame = field(repr=False)
    by_study: pl.DataFrame = field(repr=False)
    by_study_with_prefix: pl.DataFrame = field(repr=False)
    said: tuple[Difference, ...] = field(repr=False)
    sentiment: tuple[Difference, ...] = field(repr=False)
    utterances: pl.DataFrame = field(repr=False)

    def content(self) -> dict[str, Any]:
        """All of it but the utterances."""
        return {
            "steps": [asdict(step) for step in self.steps],
            "properties": {name: getattr(self, name).to_dicts() for name in PROPERTIES},
            "said": [asdict(one) for one in self.said],
            "sentiment": [asdict(one) for one in self.sentiment],
            "settings": dict(self.provenance.settings),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it, with the utterances that are saved beside the JSON."""
        if folder is None or not (folder / UTTERANCES_FILE).is_file():
            raise EvenhandError(f"{folder or 'the JSON'} lacks {UTTERANCES_FILE}; read the logs again")
        by_gender, by_study, with_prefix = (
            pl.DataFrame(values["properties"][name], infer_schema_length=None) for name in PROPERTIES
        )
        return cls(
            steps=tuple(rebuild(StepDone, step) for step in values["steps"]),
            by_gender=by_gender,
            by_study=by_study,
            by_study_with_prefix=with_prefix,
            said=tuple(rebuild(Difference, one) for one in values["said"]),
            sentiment=tuple(rebuild(Difference, one) for one in values["sentiment"]),
            utterances=TableFile(folder / UTTERANCES_FILE).whole,
            **cls.common(values),
        )

    def attachments(self) -> Files:
        """The utterances."""
        return {UTTERANCES_FILE: table_bytes(self.utterances, ".parquet")}

    def frame(self) -> pl.DataFrame:
        """One row per difference, in what is said and in the sentiment given to it."""
        return pl.DataFrame([_flat(one) for one in (*self.said, *self.sentiment)], infer_schema_length=None)


def _flat(one: Difference) -> dict[str, Any]:
    values = asdict(one)
    ends = {"conversations": ("first", "second"), "means": ("first", "second"), "interval": ("low", "high")}
    for name, (start, end) in ends.items():
        first, second = values.pop(name) or (None, None)
        values |= {f"{name}_{start}": first, f"{name}_{end}": second}
    return values
