"""What settings may be, checked in one place: levels, counts, seeds and choices."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from evenhand.errors import UsageError, did_you_mean
from evenhand.visible import SURROGATE


def check_alpha(alpha: float) -> None:
    """The level of tests lies between 0 and 0.5, and quantiles beyond it can be calculated."""
    check_between("alpha", alpha, 0.0, 0.5)
    if alpha < LEAST_ALPHA:
        raise UsageError(f"alpha must be at least {LEAST_ALPHA:g}, not {alpha!r}: no test is that certain")


def check_level(level: float) -> None:
    """The confidence level of intervals lies between 0.5 and 1."""
    check_between("the confidence level", level, 0.5, 1.0)


def check_between(name: str, value: float, low: float, high: float, *, ends: bool = False) -> None:
    """A number strictly between two others, or one of them where the `ends` count.

    >>> check_between("alpha", 7, 0, 0.5)
    Traceback (most recent call last):
    evenhand.errors.UsageError: alpha must lie between 0 and 0.5, not 7
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not (low < value < high or (ends and value in (low, high)))
    ):
        raise UsageError(f"{name} must lie between {low:g} and {high:g}, not {_shown(value)}")


def check_equivalence(share: float, name: str = "the equivalence tolerance, a share of the range,") -> None:
    """A tolerance is a share of the range, and not finer than sums of scores are."""
    check_between(name, share, 0.0, 1.0)
    if share < LEAST_SHARE:
        raise UsageError(f"{name} must be at least {LEAST_SHARE:g}, not {share!r}: no score is that fine")


LEAST_SHARE = 1e-12
LEAST_ALPHA = 1e-12
MOST = 1_000_000_000
"""More of anything is a slip of the finger; numbers in tables and arrays hold that many."""
MOST_RESAMPLES = 1_000_000
MOST_LEVELS = 1_000
MOST_SEED = 2**32 - 1
"""What every generator of random numbers takes."""
CROSS = "+"
"""Between attributes that are crossed, as in race+gender."""


def check_count(name: str, value: int, *, least: int = 0, most: int = MOST) -> None:
    """A whole number, not below the least that makes sense, nor above the most.

    >>> check_count("a sample", 10**12)
    Traceback (most recent call last):
    evenhand.errors.UsageError: a sample must be a whole number from 0 to 1,000,000,000, not 1000000000000
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} must be a whole number from {least}, not {_shown(value)}")
    if value > most:
        raise UsageError(f"{name} must be a whole number from {least} to {most:,}, not {_shown(value)}")


def check_resamples(name: str, value: int, *, least: int = 0) -> None:
    """How often something is drawn again: a count, of which each takes time and room."""
    check_count(name, value, least=least, most=MOST_RESAMPLES)


def check_seed(seed: int) -> None:
    """Seeds are whole numbers that every generator takes."""
    check_count("a seed", seed, most=MOST_SEED)


def check_separator(sign: str | None) -> None:
    """What stands between cells is one character that no cell needs."""
    if sign is not None and (len(sign) != 1 or not sign.isascii() or sign in '"\r\n\0' or sign.isalnum()):
        raise UsageError(f"the separator must be one character, such as ; or , and not {_shown(sign)}")


def crossed(attribute: str) -> list[str]:
    """The attributes in `race+gender`, each there once.

    >>> crossed("race+gender"), crossed("gender")
    (['race', 'gender'], ['gender'])
    >>> crossed("gender+gender")
    Traceback (most recent call last):
    evenhand.errors.UsageError: 'gender+gender' crosses an attribute with itself
    """
    if not isinstance(attribute, str):
        raise UsageError(f"an attribute is a name, as in 'gender' or 'race+gender', not {attribute!r}")
    parts = attribute.split(CROSS)
    if not all(part.strip() for part in parts):
        raise UsageError(f"{attribute!r} names no attribute: give one, or several with plus signs, as in race+gender")
    if len(set(parts)) < len(parts):
        raise UsageError(f"{attribute!r} crosses an attribute with itself")
    return parts


def whole_number(text: str, name: str) -> int:
    """A whole number as it is typed; nothing that takes longer to read than to type.

    >>> whole_number("12", "waves")
    12
    >>> whole_number("1.5", "waves")
    Traceback (most recent call last):
    evenhand.errors.UsageError: waves: '1.5' is not a whole number
    """
    typed = text.strip()
    if not re.fullmatch(r"[-+]?[0-9]{1,18}", typed):
        too_large = typed.isascii() and typed.isdecimal()
        raise UsageError(f"{name}: {short(typed)!r} is {'too large' if too_large else 'not a whole number'}")
    return int(typed)


def short(text: str, most: int = 60) -> str:
    """A text whose middle is left out where it is long.

    >>> short("9" * 5000, 11)
    '99999…99999'
    """
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def _shown(value: object) -> str:
    """A value in a message; integers of thousands of digits cannot even be written."""
    if isinstance(value, int) and abs(value) > 10**30:
        return "one of more than 30 digits"
    return short(repr(value))


def check_choice(name: str, value: str, known: Iterable[str]) -> None:
    """One of the names that are known."""
    known = list(known)
    if value not in known:
        raise UsageError(f"unknown {name} {value!r}{did_you_mean(str(value), known)}")


def check_name(what: str, name: object) -> None:
    """A name is a text that can be written; results are saved under it.

    >>> check_name("a system's name", "\\ud800")
    Traceback (most recent call last):
    evenhand.errors.UsageError: a system's name must be a text that can be written, not '\\ud800'
    """
    if not isinstance(name, str) or SURROGATE.search(name):
        raise UsageError(f"{what} must be a text that can be written, not {short(ascii(name))}")


def check_least(name: str, value: float, least: float = 0.0) -> None:
    """A number that is not below the least that makes sense, and that can be calculated with."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < math.inf:
        raise UsageError(f"{name} must be a number from {least:g}, not {_shown(value)}")
    if value > LARGEST:
        raise UsageError(f"{name} must be a number from {least:g} to {LARGEST:g}, not {_shown(value)}")


LARGEST = 1e60
"""No number of an output may be larger: variances of variances are fourth powers, which must not overflow."""
FEWEST_RELABELLINGS = 20
"""With fewer, no p could come below 5 %."""


def check_range(low: float, high: float, name: str = "a range") -> None:
    """The ends of a range, the lower first."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"{name} needs two numbers, the lower first, not {low:g} and {high:g}")
    if max(abs(low), abs(high)) > LARGEST or high - low < 1 / LARGEST:
        raise UsageError(
            f"{name} from {low:g} to {high:g} cannot be calculated with: its ends may be up to {LARGEST:g}, and no "
            f"closer than {1 / LARGEST:g}; rescale the scores"
        )


def check_unit(unit: float, name: str) -> None:
    """The unit of an output without a range: a number above zero that can be calculated with."""
    if not 1 / LARGEST <= unit <= LARGEST:
        raise UsageError(f"{name} needs a unit above zero, from {1 / LARGEST:g} to {LARGEST:g}, not {unit:g}")


def check_relabellings(number: int) -> None:
    """None, or enough of them for a p.

    >>> check_relabellings(1)
    Traceback (most recent call last):
    evenhand.errors.UsageError: the number of relabellings must be 0 (none) or from 20, not 1: fewer give no p below 5 %
    """
    check_resamples("the number of relabellings", number)
    if 0 < number < FEWEST_RELABELLINGS:
        raise UsageError(
            f"the number of relabellings must be 0 (none) or from {FEWEST_RELABELLINGS}, not {number}: fewer give no p "
            "below 5 %"
        )
