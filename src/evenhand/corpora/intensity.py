"""What is asked: how strong an emotion each emotion word is meant to express, as this project judges it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evenhand.files.structured import read_yaml

EMOTION, WORD = "emotion", "emotion_word"
"""The columns of a corpus whose sentences hold a word for an emotion."""

Strength = Annotated[int, Field(ge=1, le=5)]
Kind = Literal["state", "situation"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Meant(_Strict):
    """What one word is meant to express: its strength within its emotion, and of what it is said."""

    strength: Strength
    kind: Kind


class OutputNames(_Strict):
    """What outputs are called for which an order of the words is intended."""

    intensity: list[str]
    pleasant: list[str]
    unpleasant: list[str]
    pleasant_if_desirable: list[str]


class Intensities(_Strict):
    """The intended intensity of emotion words, from 1 to 5, with who says so."""

    chosen: str
    agrees_with: str
    pleasant: dict[str, Literal[-1, 1]]
    outputs: OutputNames
    words: dict[str, dict[str, dict[Kind, dict[str, Strength]]]]
    """By language, emotion and kind."""

    @model_validator(mode="after")
    def _each_word_once(self) -> Intensities:
        listed = [(emotion, word) for emotion, word, _ in self._listed()]
        twice = [word for word in listed if listed.count(word) > 1]
        if twice:
            raise ValueError(f"{twice[0][1]!r} is listed twice under {twice[0][0]}")
        for emotion, _ in listed:
            if emotion not in self.pleasant:
                raise ValueError(f"it is not said whether {emotion} is pleasant")
        return self

    def _listed(self) -> list[tuple[str, str, Meant]]:
        return [
            (emotion, word, Meant(strength=strength, kind=kind))
            for emotions in self.words.values()
            for emotion, kinds in emotions.items()
            for kind, words in kinds.items()
            for word, strength in words.items()
        ]

    def by_word(self) -> dict[tuple[str, str], Meant]:
        """What each word means, by emotion and word, whatever its language.

        >>> meant = intensities().by_word()
        >>> meant["anger", "furious"].strength, meant["anger", "annoyed"].strength
        (5, 2)
        """
        return {(emotion, word): meant for emotion, word, meant in self._listed()}


@cache
def intensities() -> Intensities:
    """The judgement that comes with Evenhand."""
    file = files("evenhand") / "data" / "intensity.yaml"
    return Intensities.model_validate(read_yaml(file))
