"""What is asked: corpora with their persons replaced by names of a pool, and parts of such corpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.corpora.catalogue import RECIPE_ENDINGS, corpus_names, packaged_recipe
from evenhand.corpora.corpus import Corpus
from evenhand.corpora.drawn import ATTRIBUTES, SURNAME, PoolDraw, drawn_by
from evenhand.corpora.filler import fill, takes_names
from evenhand.corpora.language import language
from evenhand.corpora.pools import Pool, load_pool
from evenhand.corpora.recipe import Recipe, made_recipe, read_recipe
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.opened import naming_its_file
from evenhand.files.structured import read_yaml

POOL = "us-names"
CALLED = ("name", "noun_phrase", "pronoun")
"""The kinds of persons whose place a name can take."""


def with_names(
    corpus: str | Path | Recipe,
    *,
    per_cell: int,
    matched: bool = False,
    strength: float = 0.80,
    seed: int = 0,
    pool: str = POOL,
    spelling: str | None = None,
) -> Corpus:
    """The templates and words of a corpus with names of a pool as its only persons.

    Races are those of the corpus that the pool knows, or all of the pool. The first k names of each race and gender are
    those that `per_cell=k` would give; `first_names` cuts a corpus to them.

    >>> named = with_names("eec", per_cell=20, matched=True)
    >>> named.name, len(named), named.attributes["race"]
    ('eec with 80 names', 11520, ('African American', 'European American'))
    """
    recipe = corpus if isinstance(corpus, Recipe) else _recipe(str(corpus))
    names = load_pool(pool)
    if names.of_surnames:
        raise UsageError(
            f"the pool {pool} has surnames, which cannot take the place of first names; draw them in a recipe of your "
            f"own, as the corpus surnames does: persons: {{ pool: {pool}, per_cell: {per_cell} }}"
        )
    content = _content(recipe, names)
    drawn = {"pool": pool, "per_cell": per_cell, "matched": matched, "strength": strength, "seed": seed}
    made = made_recipe(content | {"persons": [drawn]})
    number = sum(len(persons.terms) for persons in made.persons)
    name = f"{recipe.name} with {number} names"
    whole = fill(made.model_copy(update={"name": name.replace(" ", "-")}), spelling=spelling)
    how = "matched for how common they are, birth year and length" if matched else "drawn at random"
    chosen = (
        f"The templates and words of {recipe.title or recipe.name}; in place of its persons, {per_cell} first names "
        f"for each race and gender from {pool} ({how}; at least {strength:.0%} of the bearers are of the race; "
        f"seed {seed})."
    )
    about = replace(
        whole.about,
        title=f"{recipe.title or recipe.name}, with {number} first names",
        chosen=chosen,
        licence="; ".join(part.rstrip(".") for part in (recipe.licence, names.licence) if part),
        limits=(*names.limits, f"The sentences are those of {recipe.name}; what limits them limits this corpus."),
    )
    subsets = {name: conditions for name, conditions in recipe.subsets.items() if _some(whole, conditions)}
    return replace(whole, name=name, about=about, subsets=subsets, language=recipe.language)


def most_names(corpus: str | Path, *, matched: bool = False, strength: float = 0.80, pool: str = POOL) -> int:
    """The most names per cell that `with_names` can draw for a corpus."""
    names = load_pool(pool)
    races = _groups(_recipe(str(corpus)), names)["race"] or None
    cells = (names.matched if matched else names.cells)(races=races, strength=strength)
    return min(len(there) for there in cells.values())


@naming_its_file
def own_draw(corpus: str | Path) -> PoolDraw | None:
    """How a recipe draws its names from a pool; None where its names are listed.

    A recipe without any names is refused: more of its people cannot be had from a pool.
    """
    recipe = _recipe(str(corpus))
    _content(recipe, load_pool(POOL))  # refuses sentences that take no names, for which asking for some is no way out
    if not any(persons.kind == "name" for persons in recipe.persons):
        raise UsageError(
            f"the people of corpus {recipe.name!r} go by no names, so there are no more of them to ask about: ask "
            "about all of them at once, or add --names unmatched to put first names in its sentences"
        )
    if str(corpus) in corpus_names():
        return None
    return drawn_by(read_yaml(Path(corpus)))


def called_after_waves(corpus: Corpus, waves: Sequence[int]) -> Corpus:
    """A corpus that may not be asked to the end does not go by the number of its names."""
    base = corpus.name.rsplit(" with ", 1)[0]
    title = corpus.about.title.rsplit(", with ", 1)[0]
    listed = ", ".join(map(str, waves))
    about = replace(
        corpus.about,
        title=f"{title}, with first names in waves",
        chosen=f"{corpus.about.chosen} They are asked about in waves: the first {listed}.",
    )
    return replace(corpus, name=f"{base} with names in waves", about=about)


def first_names(corpus: Corpus, k: int) -> Corpus:
    """Only the first k names that were drawn for each cell; persons who were not drawn stay.

    >>> named = with_names("eec", per_cell=20)
    >>> len(first_names(named, 5)), first_names(named, 20) is named
    (2880, True)
    """
    if "nth" not in corpus.frame.columns:
        raise UsageError(f"corpus {corpus.name!r} has no names drawn from a pool; make one with with_names")
    most = int(corpus.frame["nth"].max())  # type: ignore[arg-type]
    if not 1 <= k <= most:
        raise UsageError(f"the first {k} names per cell of corpus {corpus.name!r}: it has 1 to {most}")
    if k == most:
        return corpus
    frame = corpus.frame.filter(pl.col("nth").is_null() | (pl.col("nth") <= k))
    return replace(corpus, frame=frame, drawn_from=corpus.drawn_from or corpus.digest)


def _recipe(name: str) -> Recipe:
    """The recipe of that name or in that file, if first names can take the place of its persons."""
    recipe = _found_recipe(name)
    if any(persons.kind == SURNAME for persons in recipe.persons):
        raise UsageError(
            f"corpus {recipe.name!r} asks about surnames, whose place first names cannot take; choose another corpus, "
            "or write a recipe that draws more surnames (persons: { pool: us-surnames, per_cell: 80 })"
        )
    return recipe


def _found_recipe(name: str) -> Recipe:
    if name in corpus_names():
        return packaged_recipe(name)
    path = Path(name)
    if path.suffix.lower() not in RECIPE_ENDINGS:
        raise UsageError(
            f"{name!r}: names of a pool need the templates of a recipe (a .yaml file or a corpus of Evenhand)"
            f"{did_you_mean(name, corpus_names())}"
        )
    if not path.is_file():
        raise UsageError(f"no such corpus file: {path}")
    return read_recipe(path)


def _content(recipe: Recipe, pool: Pool) -> dict[str, Any]:
    """What of a recipe stays when its persons are exchanged for names."""
    if recipe.language != pool.language:
        raise UsageError(
            f"corpus {recipe.name!r} is in {recipe.language!r}; the names of {pool.name} are for {pool.language!r}"
        )
    templates = _templates(recipe)
    if not templates:
        raise UsageError(
            f"corpus {recipe.name!r} has no sentence that takes a first name, as “{{person}} left” does and "
            "“the {person} left” does not; choose another corpus, such as eec or identity-names"
        )
    attributes = {name: groups for name, groups in _groups(recipe, pool).items() if groups}
    labels = {
        name: {group: label for group, label in recipe.labels.get(name, {}).items() if group in groups}
        for name, groups in attributes.items()
    }
    kept = recipe.model_dump(
        include={"name", "version", "language", "title", "source", "licence", "groupings", "spellings"}
    )
    slots = {name: slot.model_dump(exclude_unset=True) for name, slot in recipe.slots.items()}
    held = {name: [one.model_dump(exclude_unset=True) for one in some] for name, some in recipe.held.items()}
    return kept | {"attributes": attributes, "labels": labels, "slots": slots, "held": held, "templates": templates}


def _templates(recipe: Recipe) -> list[dict[str, Any]]:
    """The templates that are about people called by a name, a noun phrase or a pronoun, and that take names."""
    rules = language(recipe.language)
    people = [persons for persons in recipe.persons if persons.kind in CALLED]
    named = [persons for persons in people if persons.kind == "name"] or people
    everywhere = range(1, len(list(recipe.numbered())) + 1)
    wanted = {number for persons in named for number in persons.templates or everywhere}
    return [
        template.columns
        | {"text": text}
        | ({"tags": template.tags} if template.tags else {})
        | ({"attribute": template.attribute} if template.attribute else {})
        for number, (text, template) in enumerate(recipe.numbered(), start=1)
        if number in wanted and template.attribute in (None, *ATTRIBUTES) and takes_names(text, rules)
    ]


def _groups(recipe: Recipe, pool: Pool) -> dict[str, list[str]]:
    """The groups of gender and race that the recipe and the pool share, in its words; none where too few."""
    shared = {
        name: [group for group in recipe.attributes.get(name, []) if pool.called(name, group)] for name in ATTRIBUTES
    }
    return {name: groups if len(groups) > 1 else [] for name, groups in shared.items()}


def _some(corpus: Corpus, conditions: Any) -> bool:
    """Whether the corpus has sentences of a subset."""
    if any(column not in corpus.frame.columns for column in conditions):
        return False
    try:
        return bool(replace(corpus, subsets={"asked": conditions}).mask("asked").any())
    except EvenhandError:
        return False
