"""A corpus in words: size, groups, examples, how it was made and what it cannot show."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter

import polars as pl

from evenhand.corpora import Corpus
from evenhand.printing import visible
from evenhand.schemes import BILOU

WIDTH = 100
EXAMPLES = 6


def describe(corpus: Corpus) -> str:
    """A page about a corpus."""
    about = corpus.about
    lines = [f"{corpus.name} (version {corpus.version}): {about.title}", "", _size(corpus), "", "Groups"]
    for attribute, groups in corpus.attributes.items():
        lines += _wrapped(f"{attribute}: {_groups(corpus, attribute)}; {_differences(groups)}")
    if "label" in corpus.frame.columns:
        labels = corpus.frame["label"].drop_nulls().value_counts().sort("label")
        lines += ["", "Labels", *_wrapped(", ".join(f"{label} ({n:,} sentences)" for label, n in labels.iter_rows()))]
    if corpus.tagged:
        spans = Counter(span.label for tags in corpus.frame["tags"] for span in BILOU.read(tags.to_list()).spans)
        lines += ["", "Tags", *_wrapped("BILOU; " + ", ".join(f"{label} ({n:,})" for label, n in spans.most_common()))]
    lines += ["", "Examples", *(f"  {text}" for text in _examples(corpus))]
    if corpus.subsets:
        lines += ["", "Subsets", *(f"  {name}: {corpus.mask(name).sum():,} sentences" for name in corpus.subsets)]
    chosen = [about.chosen, *(f"{part[:1].upper()}{part[1:]}: {how}" for part, how in about.selection.items())]
    sections = {"How its sentences were chosen": chosen, "What it cannot show": list(about.limits)}
    sections["Words with another meaning"] = [f"{who}: {meaning}" for who, meaning in corpus.ambiguous.items()]
    sections |= {
        "Source": [about.source],
        "Licence": [about.licence],
        "Digest of the sentences": [corpus.sentences_digest],
    }
    for heading, paragraphs in sections.items():
        if any(paragraphs):
            lines += ["", heading, *(line for paragraph in paragraphs for line in _wrapped(paragraph))]
    return "\n".join(map(visible, lines))


def _groups(corpus: Corpus, attribute: str) -> str:
    """Groups by what to type, with what they are called where that differs, and how often they occur."""
    labels = corpus.labels_of(attribute)
    counts = dict(corpus.frame[attribute].value_counts().iter_rows())
    called = {group: f"{labels[group]}, " if labels.get(group, group) != group else "" for group in counts}
    return ", ".join(f"{group} ({called[group]}{counts[group]:,} sentences)" for group in corpus.attributes[attribute])


def _differences(groups: tuple[str, ...]) -> str:
    return f"gaps are {groups[0]} − {groups[1]}" if len(groups) == 2 else "compared in pairs, earlier − later"


def _size(corpus: Corpus) -> str:
    frame = corpus.frame
    counted = {"sentences": len(corpus), "sources": frame["source"].n_unique(), "people": frame["person"].n_unique()}
    slots = [slot for slot in corpus.slots if frame[slot].dtype != pl.Boolean]
    counted |= {_plural(slot): frame[slot].drop_nulls().n_unique() for slot in slots}
    return ", ".join(f"{number:,} {name}" for name, number in counted.items())


def _plural(slot: str) -> str:
    plural = f"{slot[:-1]}ies" if slot.endswith("y") else slot if slot.endswith("s") else f"{slot}s"
    return plural.replace("_", " ")


def _examples(corpus: Corpus) -> list[str]:
    # One sentence per template, each about another person.
    per = "template" if "template" in corpus.frame.columns else "source"
    numbered = corpus.frame.with_columns(place=pl.int_range(pl.len()).over(per), group=pl.col(per).rank("dense"))
    persons = corpus.frame["person"].n_unique()
    chosen = numbered.filter(pl.col("place") == (pl.col("group") * 7) % persons)
    return chosen["text"].to_list()[:EXAMPLES] or corpus.frame["text"].to_list()[:EXAMPLES]


def _wrapped(text: str) -> list[str]:
    width = min(WIDTH, shutil.get_terminal_size().columns)
    return textwrap.wrap(" ".join(text.split()), width, initial_indent="  ", subsequent_indent="  ")
