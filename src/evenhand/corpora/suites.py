"""Corpora from folders of templates and identity terms, laid out as in the public code of Czarnowska et al. (2021)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.corpora.corpus import About, Condition, Corpus
from evenhand.corpora.language import language
from evenhand.corpora.lexicon import known_labels
from evenhand.corpora.suite_terms import Identity, Layout, check_columns, layout_of, read_identities
from evenhand.corpora.tagged import TaggedTemplate, tokens_of
from evenhand.errors import EvenhandError, UsageError, quoted
from evenhand.files.tables import TableFile
from evenhand.schemes import OUTSIDE

SPEC = "suite:"
GENERIC, GENERIC_WITH_PHRASES = "generic_templates.csv", "generic_templates_adj_or_pp.csv"
LABELS = {"0": "negative", "neg": "negative", "1": "neutral", "neut": "neutral", "2": "positive", "pos": "positive"}
NAMES_A_GROUP = 100
SLOT = re.compile(r"\{(?:([aA]):)?([A-Za-z]\w*)\}")
"""`{identity_adj}`; `{a:identity_np}` with an article before it; `{Identity_adj}` with a capital letter."""


@dataclass(frozen=True)
class Template:
    """One row of a file of templates."""

    text: str
    label: str | None
    scope: str
    file: TableFile
    row: int
    entities: str = ""
    """For taggers: `Ada:U-PER|{country}:U-LOC`, in the order of the sentence."""

    @property
    def slots(self) -> list[str]:
        """The names of its slots, without article and capital."""
        return [_lower(match.group(2)) for match in SLOT.finditer(self.text)]

    @property
    def where(self) -> str:
        """Its file and line."""
        return self.file.where(self.row)

    @cached_property
    def tagged(self) -> TaggedTemplate:
        """The template with a tag for each token; what is not listed is outside."""
        if len(self.slots) != 1 or SLOT.findall(self.text)[0][0]:
            raise EvenhandError(f"{self.where}: a sentence with entities has one slot, and no article before it")
        before, after = SLOT.sub("\0", self.text).split("\0")
        slot = self.text[len(before) : len(self.text) - len(after)]
        tokens = [*tokens_of(before), slot, *tokens_of(after)]
        tags, place = [OUTSIDE] * len(tokens), 0
        for entity in self.entities.split("|"):
            surface, _, tag = entity.strip().rpartition(":")
            if surface not in tokens[place:]:
                raise EvenhandError(
                    f"{self.where}: NER has {surface!r}, which does not come then in {quoted(self.text)}"
                )
            place += tokens[place:].index(surface)
            tags[place] = tag
            place += 1
        try:
            return TaggedTemplate(self.text, " ".join(tags))
        except EvenhandError as error:
            raise EvenhandError(f"{self.where}: {error}") from error


def read_suite(
    templates: str | Path,
    terms: str | Path,
    *,
    attribute: str,
    by: str | None = None,
    names: int | None = NAMES_A_GROUP,
    seed: int = 0,
    tagged: bool = False,
) -> Corpus:
    """Fill the templates of an attribute with its identity terms: every term in every template that it has a form for.

    Both are folders, or files. Of a folder of templates, the generic ones are read and those of the attribute
    (`age_templates.csv`); of a folder of terms, the attribute's (`age.csv`). `by` is the column of the groups: for
    nationality `GDP_PPP` or `GDP_NOMINAL` (sixths of the countries), or another such as `REGION`. Of longer lists of
    names, so many a group are drawn (None: all are taken). With `tagged`, only templates that list their entities are
    used, and sentences come with tokens and tags.

    A term that a file lists twice stands in the corpus twice, as in the authors' own sentences.
    """
    layout = layout_of(attribute, by=by)
    identities = read_identities(Path(terms), layout, names=names, seed=seed)
    rows = _templates(Path(templates), layout, phrases=any(one.after for one in identities))
    if tagged:
        rows = [row for row in rows if row.entities]
        if not rows:
            raise EvenhandError(f"{templates}: no template lists its entities in the column NER")
    column = layout.column or attribute
    frame = pl.DataFrame(list(_sentences(rows, identities, attribute, layout, tagged)), infer_schema_length=None)
    there = set(frame[column])
    groups = tuple(dict.fromkeys(one.group for one in identities if one.group in there))
    if len(groups) < 2:
        raise EvenhandError(f"{terms}: only the group {groups[0]!r} has terms for these templates")
    return Corpus(
        frame=frame.with_columns(pl.col("pair", "label").cast(pl.String)),
        name=f"suite-{attribute}{'-tags' if tagged else ''}",
        attributes={column: groups},
        groupings=("template",),
        subsets=_subsets(frame),
        about=_about(attribute, rows, identities),
        labels=known_labels(column, groups),
    )


def load_suite(spec: str) -> Corpus:
    """A suite as people type it: `suite:FOLDER#age` (the folder has both), or `suite:TEMPLATES+TERMS#age`.

    For taggers, `:tags` comes behind the attribute: `suite:FOLDER#nationality:tags`.
    """
    places, _, wanted = spec.removeprefix(SPEC).rpartition("#")
    attribute, colon, task = wanted.partition(":")
    if not (places and attribute) or (colon and task != "tags"):
        raise UsageError(f"{spec!r}: write suite:FOLDER#ATTRIBUTE or suite:TEMPLATES+TERMS#ATTRIBUTE (or …:tags)")
    templates, plus, terms = places.partition("+")
    if not plus:
        templates, terms = f"{places}/templates", f"{places}/terms"
    both = [Path(place).expanduser() for place in (templates, terms)]
    for place in both:
        if not place.exists():
            raise UsageError(f"{spec!r}: no such file or folder: {place}")
    return read_suite(*both, attribute=attribute, tagged=bool(colon))


def _templates(place: Path, layout: Layout, *, phrases: bool) -> list[Template]:
    """Generic templates first; phrases such as "with a limp" need those that leave room for them after a noun."""
    if not place.is_dir():
        return list(_rows(place, layout, "specific"))
    specific = place / f"{layout.templates}_templates.csv"
    if not specific.is_file():
        there = ", ".join(sorted(path.name for path in place.glob("*.csv"))) or "no CSV file"
        raise UsageError(f"{place} has no {specific.name}; there is {there}")
    generic = place / (GENERIC_WITH_PHRASES if phrases else GENERIC)
    shared = list(_rows(generic, layout, "generic")) if layout.generic and generic.is_file() else []
    return shared + list(_rows(specific, layout, "specific"))


def _rows(path: Path, layout: Layout, scope: str) -> Iterator[Template]:
    file = TableFile(path, known=("TEMPLATE", "SENT", "NER"))
    check_columns(file, "TEMPLATE", "SENT")
    for number, row in enumerate(file.frame.iter_rows(named=True)):
        text, label, entities = (str(row.get(name) or "").strip() for name in ("TEMPLATE", "SENT", "NER"))
        label = label.lower()
        template = Template(text, LABELS.get(label), scope, file, number, entities)
        if label and label not in LABELS:
            raise EvenhandError(f"{template.where}: SENT is {label!r}; it must be {', '.join(LABELS)} or empty")
        _check_slots(template, layout)
        yield template


def _check_slots(template: Template, layout: Layout) -> None:
    shown = quoted(template.text, 80)
    if re.search(r"[{}]", SLOT.sub("", template.text)):
        raise EvenhandError(f"{template.where}: {shown} has a slot that cannot be read; write {{slot}} or {{a:slot}}")
    if not template.slots:
        raise EvenhandError(f"{template.where}: {shown} has no slot such as {{identity_adj}}")
    for slot in template.slots:
        if slot != "person" and slot.partition("_")[0] not in ("identity", *layout.slots):
            known = ", ".join(f"{{{name}_adj}}" for name in ("identity", *layout.slots))
            raise EvenhandError(f"{template.where}: no terms are known for {{{slot}}}; known are {known} and the like")


def _sentences(
    templates: Sequence[Template], identities: Sequence[Identity], attribute: str, layout: Layout, tagged: bool
) -> Iterator[dict[str, Any]]:
    count = 0
    for number, template in enumerate(templates, start=1):
        before, slot = count, template.slots[0]
        for one in identities:
            said = {name: found for name in template.slots if (found := one.said(name)) is not None}
            if len(said) < len(set(template.slots)):
                continue
            count += 1
            text = _filled(template.text, said)
            row = {
                "id": f"suite-{attribute}-{count:05d}",
                "text": text,
                "source": f"{attribute}:{number}",
                "person": one.person,
                "term": _term(one, slot),
                "kind": "identity" if layout.generic else "name",
                "pair": None,
                "role": _role(slot),
                "label": template.label,
                layout.column or attribute: one.group,
                "template": template.text,
                "scope": template.scope,
            }
            yield row | (template.tagged.filled(text) if tagged else {})
        if count == before:
            raise EvenhandError(f"{template.where}: no term has a form for {{{slot}}}")


def _term(one: Identity, slot: str) -> str | None:
    """What stands for the person in the sentence; of a described noun, only what describes it."""
    return (one.adjective or one.after) if _role(slot) == "adjective" else one.said(slot)


def _role(slot: str) -> str:
    """As what the term stands in the sentence."""
    if slot == "person" or slot.endswith("_np"):
        return "noun"
    return "adjective" if "_" in slot else slot


def _filled(text: str, said: dict[str, str]) -> str:
    def words(match: re.Match[str]) -> str:
        article, slot = match.groups()
        found = said[_lower(slot)]
        found = found[:1].upper() + found[1:] if slot[0].isupper() else found
        if article is None:
            return found
        said_before = language("en").article(found)
        return f"{said_before.capitalize() if article == 'A' else said_before} {found}"

    return SLOT.sub(words, text)


def _lower(slot: str) -> str:
    return slot[0].lower() + slot[1:]


def _subsets(frame: pl.DataFrame) -> dict[str, dict[str, Condition]]:
    values = [("label", label) for label in dict.fromkeys(LABELS.values())]
    values += [("scope", scope) for scope in ("generic", "specific")]
    return {value: {column: value} for column, value in values if (frame[column] == value).any()}


def _about(attribute: str, templates: Sequence[Template], identities: Sequence[Identity]) -> About:
    labels = Counter(template.label or "without a label" for template in templates)
    counted = ", ".join(f"{count} {label}" for label, count in labels.items())
    return About(
        title=f"Templates and identity terms of one's own: {attribute}",
        chosen=f"{len(templates)} templates ({counted}) and {len(identities)} terms, each wherever it has a form for",
        source="Files laid out as in the public code of Czarnowska, Vyas and Shah (2021), Quantifying Social Biases "
        "in NLP, TACL",
    )
