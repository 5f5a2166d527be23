"""Estimators as the bytes of a .skops file: the same for the same estimator, whenever and wherever it was trained."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

SCHEMA = "schema.json"
NUMBERS = re.compile(r'(?<="__id__": )\d+|(?<="file": ")\d+(?=\.)')
"""Addresses in memory, by which skops names objects and their files."""


def skops_bytes(content: Any) -> bytes:
    """What skops writes, with running numbers in place of addresses and without the time."""
    from skops import io as skops_io

    written, settled = io.BytesIO(), io.BytesIO()
    skops_io.dump(content, written)
    with zipfile.ZipFile(written) as old, zipfile.ZipFile(settled, "w", zipfile.ZIP_DEFLATED) as new:
        schema = old.read(SCHEMA).decode()
        numbers: dict[str, str] = {}
        for found in NUMBERS.findall(schema):
            numbers.setdefault(found, str(len(numbers) + 1))
        files = {_renamed(name, numbers): old.read(name) for name in old.namelist()}
        files[SCHEMA] = NUMBERS.sub(lambda found: numbers[found[0]], schema).encode()
        for name in sorted(files):
            new.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
    return settled.getvalue()


def _renamed(name: str, numbers: dict[str, str]) -> str:
    stem, dot, ending = name.partition(".")
    return numbers.get(stem, stem) + dot + ending
