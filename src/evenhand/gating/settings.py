"""The settings of a gate: what is asked of whom, and how large a gap may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from evenhand.asking.settings import AskOptions
from evenhand.comparing.sequential import WAVES, Waves
from evenhand.comparing.settings import Settings
from evenhand.corpora.asked_names import Names, read_names
from evenhand.errors import UsageError
from evenhand.systems.base import HighIs

Share = Annotated[float, Field(gt=0, lt=1)]
Names_ = Annotated[list[str], Field(min_length=1)]


class Strict(BaseModel):
    """Settings in which no key is unknown and no value is of another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Asking(Strict):
    """How systems are asked, as on the command line."""

    range: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    system_version: str | None = None
    base_url: str | None = None
    outputs: Names_ | None = None
    kind: str | None = None
    high_is: HighIs | dict[str, HighIs] | None = None
    draws: Annotated[int, Field(ge=1)] | None = None

    def options(self) -> AskOptions:
        """What was said, as `AskSettings` has it."""
        said = self.model_dump(exclude_none=True)
        called = {"range": "bounds", "system_version": "version"}
        found: dict[str, Any] = {called.get(name, name): value for name, value in said.items()}
        if self.range is not None:
            found["bounds"] = (self.range[0], self.range[1])
        return cast("AskOptions", found)


class UntilSettled(Strict):
    """How names are asked about in waves."""

    names: int | None = None
    waves: Annotated[list[int], Field(min_length=1)] | None = None
    budget: int | None = None
    price: float | None = None
    drawn: Literal["matched", "unmatched"] | None = None
    strength: float | None = None

    def in_waves(self) -> Waves:
        """On, until a gap is shown to lie within the tolerance or beyond it."""
        return Waves(tuple(self.waves or WAVES), self.budget, self.price, beyond=True)

    def which_names(self) -> Names | None:
        """The names that are drawn, where something is said about them."""
        said = [str(one) for one in (self.names, self.drawn) if one is not None]
        return None if not said and self.strength is None else read_names(said, strength=self.strength)


class GateSettings(Strict):
    """What `evenhand.toml` holds; shares are shares of an output's range."""

    systems: Names_
    corpora: list[str] = []
    """By name or file, as for `--corpus`; `eec` where neither these nor texts are named."""
    text: str | None = None
    """A file of one's own texts, with versions about other groups of each attribute."""
    column: str = "text"
    attributes: Names_ | None = None
    subsets: Names_ = ["all"]
    within: Share = 0.01
    """The largest gap that is allowed, either way."""
    tolerances: dict[str, Share] = {}
    """The same for single attributes."""
    thresholds: list[float | Literal["median"]] = []
    selection_difference: Share | None = None
    """The largest difference in selection rates that is allowed at a threshold."""
    impact_ratio: Share | None = None
    """The least ratio of selection rates that is allowed at a threshold, either way: 0.8 allows 0.8 to 1.25."""
    until_settled: bool | UntilSettled = False
    baseline: str | None = None
    """An audit that was saved, or a check: gaps may not be larger than there."""
    worse_by: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """By how much they may."""
    cannot_tell: Literal["fail", "pass"] = "fail"
    no_reaction: Literal["cannot tell", "pass"] = "cannot tell"
    unable: Literal["fail", "cannot tell"] = "fail"
    """What a system gets that is shown not to do its job."""
    alpha: float = 0.05
    correction: str = "bonferroni"
    sample: int | None = None
    without: list[str] = []
    seed: int = 0
    asking: Asking = Asking()

    @field_validator("systems", "corpora", "attributes", "subsets", "without", mode="before")
    @classmethod
    def _one_is_enough(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @field_validator("thresholds", mode="before")
    @classmethod
    def _one_threshold(cls, value: object) -> object:
        return value if isinstance(value, list) else [value]

    @model_validator(mode="after")
    def _fits_together(self) -> GateSettings:
        self.settings(self.within)  # refuses what cannot be
        if self.until_settled:
            self.waves.in_waves().check(self.settings(self.within))
            self.waves.which_names()
        for wrong, why in _conflicts(self):
            if wrong:
                raise UsageError(why)
        return self

    @property
    def waves(self) -> UntilSettled:
        """How names are asked about in waves, if they are."""
        return self.until_settled if isinstance(self.until_settled, UntilSettled) else UntilSettled()

    @property
    def asked_corpora(self) -> list[str]:
        """The corpora that are asked about, besides one's own texts."""
        return self.corpora or ([] if self.text is not None else ["eec"])

    def tolerance(self, attribute: str) -> float:
        """The largest gap that is allowed by an attribute, as a share of the range."""
        return self.tolerances.get(attribute, self.within)

    def by_tolerance(self, attributes: Sequence[str]) -> Mapping[float, list[str]]:
        """The attributes that share a tolerance, together."""
        found: dict[float, list[str]] = {}
        for attribute in attributes:
            found.setdefault(self.tolerance(attribute), []).append(attribute)
        return found

    def settings(self, tolerance: float) -> Settings:
        """Those of an audit with this tolerance."""
        return Settings(alpha=self.alpha, correction=self.correction, equivalence=tolerance, seed=self.seed)

    def to_dict(self) -> dict[str, Any]:
        """What was said, without what was left at its default; the tolerances always."""
        return {"within": self.within, **self.model_dump(exclude_defaults=True, mode="json")}


def _conflicts(said: GateSettings) -> Iterator[tuple[bool, str]]:
    """What cannot stand beside each other."""
    limits = [name for name in ("selection_difference", "impact_ratio") if getattr(said, name) is not None]
    yield (
        bool(said.thresholds) and not limits,
        "thresholds: without a limit they decide nothing; add selection_difference or impact_ratio",
    )
    yield (
        bool(limits) and not said.thresholds,
        f"{(*limits, '')[0]}: decisions need thresholds, as in thresholds = [0.5]",
    )
    yield said.text is not None and not said.attributes, "text: name the attributes, as in attributes = ['gender']"
    yield said.text is not None and bool(said.until_settled), "until_settled: texts have no names to ask more about"
    yield said.sample is not None and bool(said.until_settled), "sample: waves are limited by a budget, not by a sample"
    yield said.worse_by > 0 and said.baseline is None, "worse_by: there is no baseline that gaps could be worse than"
    unknown = [name for name in said.tolerances if said.attributes is not None and name not in said.attributes]
    yield bool(unknown), f"tolerances: {(*unknown, '')[0]} is not one of the attributes"
