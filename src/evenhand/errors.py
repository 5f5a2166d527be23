"""What can go wrong, in words for the person at the keyboard."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping

from evenhand.visible import visible

LONGEST = 2_000
"""Characters of a message."""


class EvenhandError(Exception):
    """A failure with a message meant to be read; the command line shows it in one line and exits with `exit_code`."""

    exit_code = 1

    def __str__(self) -> str:
        """One line, cut where what somebody else wrote makes it endless, with what acts on a terminal spelled out.

        Python shows it where nobody catches it, and notebooks do.
        """
        text = super().__str__()
        line = visible(" ".join(text.split()) if "\n" in text or "\r" in text else text)
        return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


class UsageError(EvenhandError):
    """What was asked for cannot be done as it was typed."""

    exit_code = 2


class SettingRefused(UsageError):
    """A setting of systems that cannot be as it was given; `{}` in the message stands for its name."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(message.replace("{}", setting))
        self.setting, self.message = setting, message

    def called(self, name: str) -> UsageError:
        """The same for those who know the setting by another name."""
        return UsageError(self.message.replace("{}", name))


class MissingExtra(UsageError):
    """A package that belongs to an optional extra is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra!r}: pip install 'evenhand[{extra}]'")


class BadAnswer(EvenhandError):
    """A system answered something that cannot be used."""


class ScoringFailed(EvenhandError):
    """A system could not answer for some sentences; what it did answer is kept in the cache."""


class GivenUp(EvenhandError):
    """A system elsewhere does not answer any more, whatever it is asked: asking on is of no use for now."""


class SystemsFailed(ScoringFailed):
    """Systems that failed, each with why; `result` is what was found about the others, where there are others."""

    def __init__(self, failed: Mapping[str, str], result: object = None) -> None:
        super().__init__("; ".join(failed.values()))
        self.failed = dict(failed)
        self.result = result


class foreign_code:  # noqa: N801 - reads as a `with` statement
    """A block that runs code of others: whatever that raises is an `Exception` behind it, but for an interrupt.

    >>> with foreign_code():
    ...     raise SystemExit(3)
    Traceback (most recent call last):
    RuntimeError: it called sys.exit(3)
    """

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Turn what would end this process into what can be reported."""
        if error is not None and not isinstance(error, Exception | KeyboardInterrupt):
            raise RuntimeError(ended(error)) from error


def ended(error: BaseException) -> str:
    """What code did that meant to end more than itself."""
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code})"
    said = one_line(error)
    return f"it raised {type(error).__name__}" + (f": {said}" if said else "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint to append to a message about an unknown name.

    >>> did_you_mean("vadr", ["vader", "textblob"])
    "; did you mean 'vader'?"
    >>> did_you_mean("zzz", ["vader", "textblob"])
    '; known: textblob, vader'
    """
    options = sorted(known)
    close = difflib.get_close_matches(name, options, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {one_line(', '.join(options), 1_000)}"


def quoted(text: str, most: int = 200) -> str:
    """A text as one line in quotation marks, cut where it is long.

    >>> quoted("Alan feels\\nangry.")
    '"Alan feels\\\\nangry."'
    """
    return json.dumps(text if len(text) <= most else text[: most - 1] + "…", ensure_ascii=False)


def one_line(value: object, most: int = 200) -> str:
    """Anything as one line, cut where it is long."""
    try:
        line = " ".join(str(value).split())
    except Exception:  # the object's own code
        line = f"<{type(value).__name__}>"
    return line if len(line) <= most else line[: most - 1] + "…"


def so_many(count: int, noun: str) -> str:
    """
    >>> so_many(1, "text"), so_many(1_200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
