"""Names of files that are made from names of systems, groups and figures, which are other people's text."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from itertools import count

LONGEST = 120
"""Bytes: less than half of what file systems allow, as endings, numbers and other spellings of a sign come on top."""
UNNAMED = "unnamed"
RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")}
)
"""Devices on Windows, whatever their ending."""


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file's name, without ending, for each name: no two are the same, also where case makes no difference.

    They do not depend on the order of the names; those that can be files' names as they are choose first.

    >>> file_names(["a b", "a-b", "A-B"])
    {'a b': 'a-b-3', 'a-b': 'a-b-2', 'A-B': 'A-B'}
    """
    names = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names, key=lambda name: (file_name(name) != name, name)):
        stem = file_name(name)
        tries = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        found[name] = next(one for one in tries if _folded(one) not in taken)
        taken.add(_folded(found[name]))
    return {name: found[name] for name in names}


def file_name(name: str) -> str:
    """A name as a file's: no path, no sign that a file cannot have, no device, and not too long.

    >>> file_name("Team X/../y"), file_name(".."), file_name("nul.x")
    ('Team-X-..-y', 'unnamed', '_nul.x')
    """
    stem = re.sub(r"[^\w.+-]+", "-", unicodedata.normalize("NFC", name)).strip("-.")
    stem = f"_{stem}" if stem.partition(".")[0].casefold() in RESERVED else stem
    return _shortened(stem, name) or UNNAMED


def _shortened(stem: str, name: str) -> str:
    """A name that is cut ends with a digest of the whole, so that it stays the same and others differ."""
    written = stem.encode("utf-8", "replace")
    if len(written) <= LONGEST:
        return stem
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{written[: LONGEST - 9].decode('utf-8', 'ignore').rstrip('-.')}-{digest}"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
