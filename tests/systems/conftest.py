"""A corpus small enough to see through: two sources, four persons and a couple."""

from __future__ import annotations

import polars as pl
import pytest

from evenhand.corpora.corpus import Corpus

PERSONS = {
    "Ebony": ("Ebony", "female", "African American"),
    "Ellen": ("Ellen", "female", "European American"),
    "Jamel": ("Jamel", "male", "African American"),
    "my dad": ("my dad", "male", None),
    "they": ("they", None, None),
}
TEMPLATES = {"sad": "{} feels sad.", "glad": "{} feels glad."}


@pytest.fixture
def corpus() -> Corpus:
    rows = [
        {
            "id": f"tiny-{source}-{person}",
            "text": template.format(term[0].upper() + term[1:]),
            "source": source,
            "person": person,
            "term": term,
            "gender": gender,
            "race": race,
        }
        for source, template in TEMPLATES.items()
        for person, (term, gender, race) in PERSONS.items()
    ]
    groups = {"gender": ("female", "male"), "race": ("African American", "European American")}
    return Corpus(frame=pl.DataFrame(rows), name="tiny", attributes=groups)
