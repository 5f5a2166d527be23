"""Who answers: how probable one certain token is after a prompt, from a server that repeats prompts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from evenhand.systems.few_shot.likeliest import ROUNDING, SPACES

ALIKE = 0.02
"""By how much the probability of a token that is listed, too, may differ: beyond, the server means something else."""


def asking_for(token: str, prompt: str) -> dict[str, Any]:
    """The fields by which a server is asked to repeat a prompt and a token, and to tell how probable each token was."""
    return {"prompt": prompt + token, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}


def mass_in(answer: Any, token: str, prompt: str) -> float | None:
    """The token's probability after the prompt; None where the answer does not tell it.

    Servers that know no echo answer with what comes next; others cut the text so that the token's beginning is inside
    another one, and what that one's probability says of the label is not known.

    >>> said = {"tokens": ["<s>", "A:", " 2", "!"], "token_logprobs": [None, -3.0, math.log(0.25), -1.0]}
    >>> mass_in({"choices": [{"logprobs": said}]}, " 2", "A:"), mass_in({"choices": [{"logprobs": said}]}, "2", "A: ")
    (0.25, None)
    """
    found = _repeated(answer)
    if found is None:
        return None
    tokens, logs = found
    whole = "".join(tokens)
    start = whole.find(prompt + token)
    if start < 0:
        return None
    ends = list(accumulate(map(len, tokens), initial=0))
    first, last = start + len(prompt), start + len(prompt) + len(token)
    if first not in ends or last not in ends:
        return None
    inside = logs[ends.index(first) : ends.index(last)]
    if any(log is None or log > ROUNDING for log in inside):
        return None
    return math.exp(min(0.0, math.fsum(log for log in inside if log is not None)))


def _repeated(answer: Any) -> tuple[list[str], list[float | None]] | None:
    """The tokens of the repeated text and their log-probabilities, if the answer has both."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    logprobs = first.get("logprobs") if isinstance(first, Mapping) else None
    if not isinstance(logprobs, Mapping):
        return None
    tokens, logs = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(logs, list) or len(tokens) != len(logs):
        return None
    if not all(isinstance(token, str) for token in tokens) or not all(_is_log(log) for log in logs):
        return None
    return [token.translate(SPACES) for token in tokens], logs


def _is_log(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value))
