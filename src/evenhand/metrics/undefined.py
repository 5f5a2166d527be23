"""Why a number does not exist: raised inside this room, caught by `measure`, shown to the reader."""

from __future__ import annotations


class Undefined(Exception):
    """What was asked for has no value here; the message is the reason, in words for the page."""
