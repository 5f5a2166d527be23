"""Ratings, shown and saved: a page, a label for each system, and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.files import write_together
from evenhand.rating import RatingReport
from evenhand.rating.questions import Answer
from evenhand.report.ratings.page import label_page, to_html
from evenhand.report.study.page import slug

__all__ = ["label_page", "save_ratings", "to_html"]

PAGE_FILE, JSON_FILE, LABELS = "rating.html", "rating.json", "labels"


def save_ratings(report: RatingReport, answers: Sequence[Answer], values: Mapping[str, Any], folder: Path) -> None:
    """Write `rating.html`, `rating.json` and `labels/SYSTEM.html`."""
    text = json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False)
    contents = {
        folder / PAGE_FILE: to_html(report, answers, values).encode(),
        folder / JSON_FILE: f"{text}\n".encode(),
    }
    for system in report.systems:
        name = slug(system)
        path, number = folder / LABELS / f"{name}.html", 1
        while path in contents:  # names that differ in signs only
            number += 1
            path = path.with_name(f"{name}-{number}.html")
        contents[path] = label_page(report, system, answers, values).encode()
    write_together(contents)
