"""What trained models say of themselves: parts of the cards that lie beside them, and how good they are."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from evenhand.errors import UsageError
from evenhand.files.structured import json_values, validated
from evenhand.settings import short
from evenhand.systems.base import Array, HeldOut

CONSTANT = 1e-12
"""Numbers that differ by less than this share of their size differ by rounding only."""


class Part(BaseModel):
    """A part of a card: frozen, and nothing in it that is not known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Quality(Part):
    """How well predictions for texts not trained on go with their scores; None where a correlation is undefined."""

    n: int
    pearson: float | None
    spearman: float | None
    how: str

    @property
    def held_out(self) -> HeldOut:
        """The same as systems tell it."""
        return HeldOut(**self.model_dump())


P = TypeVar("P", bound=Part)


def read_part(kind: type[P], content: str | bytes, where: object) -> P:
    """A card from its JSON; what is wrong with it is said with its place."""
    return validated(kind, json_values(content, where), where, advice="; train it again")


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """The installed versions of packages."""
    return {package: importlib.metadata.version(package) for package in packages}


def correlations(known: Array, predicted: Array, how: str) -> Quality:
    """Pearson and Spearman of predictions with the known scores; undefined where either are all the same.

    >>> correlations(np.array([0.1, 0.2, 0.9]), np.array([0.5, 0.5, 0.5]), "by hand").pearson is None
    True
    """
    from scipy.stats import pearsonr, spearmanr

    if len(known) < 2 or _is_constant(known) or _is_constant(predicted):
        return Quality(n=len(known), pearson=None, spearman=None, how=how)
    pearson, spearman = pearsonr(known, predicted).statistic, spearmanr(known, predicted).statistic
    return Quality(n=len(known), pearson=float(pearson), spearman=float(spearman), how=how)


def _is_constant(numbers: Array) -> bool:
    return bool(np.ptp(numbers) <= CONSTANT * np.abs(numbers).max())


def settings_of(kind: type[P], given: dict[str, Any]) -> P:
    """Settings of training, or one line about the first that cannot be."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        setting, must = str(first["loc"][0]).replace("_", " "), first["msg"].replace("Input should be", "must be")
        raise UsageError(f"{setting} {must}, not {short(repr(first['input']))}") from error
