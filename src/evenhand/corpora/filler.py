"""Templates × persons × words: every sentence of a recipe, in a fixed order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any, cast

import polars as pl

from evenhand.corpora.corpus import TAGGED, About, Corpus
from evenhand.corpora.language import BAR, Form, Language, language, sentence_case, starts_sentence
from evenhand.corpora.lexicon import Persons, Term
from evenhand.corpora.recipe import GOLD, Recipe, Template
from evenhand.corpora.tagged import TaggedTemplate
from evenhand.errors import EvenhandError, UsageError, did_you_mean

PLACE = re.compile(r"\{([^{}]*)\}")
ARTICLE = re.compile(r"\{a\}(?= (\S+))")
WITH = re.compile(r"([\w.]+): (?=.)")
"""`{other: goes|go}` agrees with who stands before the colon; without one, with the person."""
PERSON = "person"
FORMS: dict[str, Form] = {
    "": "subject",
    ".object": "object",
    ".genitive": "genitive",
    ".reflexive": "reflexive",
    ".possessive": "possessive",
    ".pronoun": "pronoun",
    ".pronoun.object": "pronoun object",
}
NAMING = ("subject", "object", "genitive")
"""The forms in which a person is named; the others stand for one who was."""
PERSON_FORMS: dict[str, Form] = {f"{PERSON}{ending}": form for ending, form in FORMS.items()}
TERM_FORMS = {"person.noun": "noun", "person.plural": "plural"}
SHOWN = ("<person>", "<people>", "<identity>")
"""How the column `template` shows who is named or described."""
DESCRIBED = "person as "
"""`{person as guest}` is a guest whom the identity term describes: a deaf guest, a guest with epilepsy."""


@dataclass(frozen=True)
class _Person:
    term: str
    kind: str
    pair: str | None
    groups: dict[str, str]
    entry: Persons
    """Where the recipe lists them, with what holds for all listed there."""
    identity: Term | None = None
    pronoun: str | None = None
    ambiguous: str | None = None
    nth: int | None = None
    """The place in the order of a draw."""

    @property
    def family(self) -> str | None:
        """What the name shares with those that are spelled alike, where the recipe says so."""
        return self.entry.families.get(self.term)

    @property
    def notes(self) -> dict[str, str | None]:
        """How the term is received and what else it means."""
        use = self.identity.use if self.identity else self.entry.use_of(self.term)
        return {"use": use, "ambiguous": self.ambiguous}


@dataclass(frozen=True)
class _Filling:
    words: dict[str, str]
    """Word by slot, with all its forms."""
    held: dict[str, _Person]
    """The other persons, by their place."""
    columns: dict[str, str]
    """Word, in its first form, and category by column; the other persons and their groups."""

    @property
    def listed(self) -> list[str]:
        """The words in their first form, then the other persons."""
        return [word.split(BAR)[0] for word in self.words.values()] + [one.term for one in self.held.values()]

    def others(self, rules: Language) -> str | None:
        """The pronouns that stand for the other persons."""
        pronouns = [rules.pronoun(p.term, gender=p.groups.get("gender"), given=p.pronoun) for p in self.held.values()]
        return " ".join(dict.fromkeys(pronouns)) or None


def fill(recipe: Recipe, *, spelling: str | None = None) -> Corpus:
    """Build the corpus that a recipe describes: templates in order, then words, then persons."""
    rules = language(recipe.language)
    respell = _respelling(recipe, spelling)
    persons = [person for group in recipe.persons for person in _persons(group, recipe, rules)]
    for slot in recipe.slots.values():
        for _, word in slot.fillings():
            _check_forms(word, recipe, rules)
    drawn = [key for key in ("family", "nth") if any(getattr(person, key) is not None for person in persons)]
    noted = [key for key in ("use", "ambiguous") if any(person.notes[key] for person in persons)]
    held = {
        name: [one for group in some for one in _persons(group, recipe, rules)] for name, some in recipe.held.items()
    }
    slot_columns = [*_slot_columns(recipe), *recipe.held_columns]
    rows: list[dict[str, Any]] = []
    for number, (text, template) in enumerate(recipe.numbered(), start=1):
        places = _places(text, recipe, rules)
        tagged = None if template.tags is None else TaggedTemplate(text, template.tags)
        shown = _shown(text, recipe, rules)
        place = _naming_place(places)
        given = {column: template.columns.get(column) for column in recipe.template_columns}
        there = [person for person in persons if number in (person.entry.templates or [number])]
        for filling, (attribute, asked) in product(_fillings(places, recipe, held), _sets(there, template, recipe)):
            words = {slot: respell.get(word, word) for slot, word in filling.words.items()}
            source = ":".join([*attribute, str(number), *filling.listed])
            others = filling.others(rules) if held else None
            for person in asked:
                row: dict[str, Any] = {
                    "id": f"{recipe.name}-{len(rows) + 1:05d}",
                    "text": _sentence(text, words, {PERSON: person, **filling.held}, rules),
                    "source": source,
                }
                row |= {"person": person.term, "term": _term(place, person, rules)}
                row |= {"kind": person.kind, "pair": person.pair, "role": _role(place)}
                row |= {key: getattr(person, key) for key in drawn}
                row |= {key: person.notes[key] for key in noted}
                row |= {"others": others} if held else {}
                row |= {column: value for column, value in given.items() if column == GOLD}
                row |= {attribute: person.groups.get(attribute) for attribute in recipe.attributes}
                row |= {"template": shown} | {column: value for column, value in given.items() if column != GOLD}
                row |= {column: filling.columns.get(column) for column in slot_columns}
                rows.append(row if tagged is None else row | tagged.filled(row["text"]))
    if not rows:
        raise EvenhandError(f"corpus {recipe.name!r}: nobody fits any template")
    texts = [column for column in rows[0] if column not in (*TAGGED, "nth")]
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(texts, pl.String))
    _no_sentence_twice(frame, recipe)
    return Corpus(
        frame=frame,
        name=recipe.name,
        version=recipe.version,
        attributes={attribute: tuple(groups) for attribute, groups in recipe.attributes.items()},
        groupings=_known_columns(recipe.groupings, frame, recipe),
        subsets=recipe.subsets,
        about=About(
            recipe.title,
            recipe.chosen,
            recipe.provenance,
            recipe.licence,
            tuple(recipe.limits),
            recipe.selection,
        ),
        labels=recipe.labels,
    )


def _persons(group: Persons, recipe: Recipe, rules: Language) -> Iterator[_Person]:
    if group.agreement not in (None, *rules.agreement):
        hint = did_you_mean(str(group.agreement), rules.agreement)
        raise EvenhandError(f"corpus {recipe.name!r}: no agreement {group.agreement!r}{hint}")

    def kind(term: str) -> str:
        return "pronoun" if term in rules.pronouns else group.kind

    pronouns = group.pronoun if isinstance(group.pronoun, list) else [group.pronoun]
    for nth, term in enumerate(group.terms, start=1):
        if isinstance(term, Term):
            yield _Person(term.singular, group.kind, group.pair, group.groups, group, term, pronouns[0], term.ambiguous)
        else:
            yield _Person(
                term,
                kind(term),
                group.pair,
                group.groups,
                group,
                pronoun=pronouns[0],
                ambiguous=group.ambiguous.get(term),
                nth=nth if group.in_order else None,
            )
    for pair in group.pairs:
        attribute = cast(str, group.paired)
        for term, value, pronoun in zip(pair, recipe.attributes[attribute], cycle(pronouns), strict=False):
            groups = group.groups | {attribute: value}
            yield _Person(term, kind(term), "/".join(pair), groups, group, pronoun=pronoun)


def _sets(persons: list[_Person], template: Template, recipe: Recipe) -> list[tuple[list[str], list[_Person]]]:
    """Who stands in one source together: all whom the template is about, or those of each attribute apart."""
    about = [attribute for attribute in recipe.attributes if template.attribute in (None, attribute)]
    if recipe.one_attribute_at_a_time:
        return [([attribute], [person for person in persons if attribute in person.groups]) for attribute in about]
    return [([], [person for person in persons if template.attribute is None or template.attribute in person.groups])]


def takes_names(template: str, rules: Language) -> bool:
    """Whether the person in a template is named there, and can be called by a name wherever that is.

    >>> english = language("en")
    >>> [takes_names(one, english) for one in ("{person} naps.", "The {person} naps.", "{person.possessive} nap ends.")]
    [True, False, False]
    """
    places = [place for place in PLACE.findall(template) if _role(place)]
    named = any(PERSON_FORMS.get(place) in NAMING for place in places)
    return named and all(place in PERSON_FORMS for place in places) and not _as_noun(template, rules)


def _as_noun(template: str, rules: Language) -> bool:
    """Whether a word that no name follows stands before the person."""
    before = "|".join(re.escape(word) for word in ("{a}", *rules.before_nouns_only))
    there = "|".join(place for place, form in PERSON_FORMS.items() if form in NAMING)
    return re.search(rf"(?<!\w)(?:{before})\s+\{{(?:{there})\}}", template, re.IGNORECASE) is not None


def _role(place: str) -> str | None:
    """The form in which a place shows the person, or None if it shows something else."""
    described = place.startswith(DESCRIBED) and place != DESCRIBED
    return PERSON_FORMS.get(place) or TERM_FORMS.get(place) or ("adjective" if described else None)


def _naming_place(places: list[str]) -> str:
    """The place that names the person; where none does, the first that stands for them."""
    own = [place for place in places if _role(place)]
    return next((place for place in own if PERSON_FORMS.get(place, NAMING[0]) in NAMING), own[0])


def _held_form(place: str, names: Iterable[str]) -> tuple[str, Form] | None:
    """Of a place of another person: who, and in which form."""
    name = place.partition(".")[0]
    form = FORMS.get(place.removeprefix(name))
    return (name, form) if name in names and form else None


def _places(template: str, recipe: Recipe, rules: Language) -> list[str]:
    places = PLACE.findall(template)
    if places.count("a") > len(ARTICLE.findall(template)):
        raise EvenhandError(f"corpus {recipe.name!r}, template {template!r}: after {{a}} comes a space and then a word")
    for place in places:
        if place == "a" and rules.indefinite is None:
            example = BAR.join(rules.agreement)
            hint = f"{recipe.language!r} has no rule for {{a}}; write its forms with bars between: {{{example}}}"
            raise EvenhandError(f"corpus {recipe.name!r}, template {template!r}: {hint}")
        if BAR in place:
            _check_forms(WITH.sub("", place), recipe, rules)
            _check_whom(template, place, recipe)
            continue
        held = _held_form(place, recipe.held)
        if not _role(place) and not held and place != "a" and place not in recipe.slots:
            others = [f"{name}{ending}" for name in recipe.held for ending in FORMS]
            hint = did_you_mean(place, [*PERSON_FORMS, *TERM_FORMS, "a", *recipe.slots, *others])
            raise EvenhandError(f"corpus {recipe.name!r}, template {template!r}: unknown slot {{{place}}}{hint}")
    if not any(_role(place) for place in places):
        raise EvenhandError(f"corpus {recipe.name!r}, template {template!r} has no {{person}}")
    return places


def _check_whom(template: str, place: str, recipe: Recipe) -> None:
    """Refuse words that agree with somebody who is not there."""
    given = WITH.match(place)
    whom = given.group(1) if given else PERSON
    known = [f"{name}{ending}" for name in (PERSON, *recipe.held) for ending in ("", ".pronoun")]
    if whom not in known:
        where = f"corpus {recipe.name!r}, template {template!r}"
        raise EvenhandError(f"{where}: {{{place}}} agrees with {whom!r}{did_you_mean(whom, known)}")


def _fillings(places: list[str], recipe: Recipe, held: Mapping[str, list[_Person]]) -> Iterator[_Filling]:
    slots = [place for place in dict.fromkeys(places) if place in recipe.slots]
    there = [name for name in held if any(_held_form(place, [name]) for place in places)]
    filled = product(
        product(*(recipe.slots[slot].fillings() for slot in slots)), product(*(held[name] for name in there))
    )
    for chosen, others in filled:
        columns: dict[str, str] = {}
        for slot, (category, word) in zip(slots, chosen, strict=True):
            columns[recipe.slots[slot].column or slot] = word.split(BAR)[0]
            if category is not None:
                columns[cast(str, recipe.slots[slot].by)] = category
        people = dict(zip(there, others, strict=True))
        for name, one in people.items():
            columns |= {name: one.term} | {f"{name}_{key}": group for key, group in one.groups.items()}
        yield _Filling(dict(zip(slots, (word for _, word in chosen), strict=True)), people, columns)


def _slot_columns(recipe: Recipe) -> list[str]:
    columns: dict[str, None] = {}
    for name, slot in recipe.slots.items():
        if slot.by:
            columns[slot.by] = None
        columns[slot.column or name] = None
    return list(columns)


def _sentence(template: str, words: dict[str, str], people: Mapping[str, _Person], rules: Language) -> str:
    def filled(match: re.Match[str]) -> str:
        place = match.group(1)
        if place == "a":
            return match.group(0)
        said = _filled(place, words, people, rules)
        return sentence_case(said) if starts_sentence(template, match.start()) else said

    def article(match: re.Match[str]) -> str:
        said = rules.article(match.group(1))
        return sentence_case(said) if starts_sentence(text, match.start()) else said

    text = PLACE.sub(filled, template)
    return sentence_case(rules.contracted(ARTICLE.sub(article, text)))


def _filled(place: str, words: dict[str, str], people: Mapping[str, _Person], rules: Language) -> str:
    """What stands in a place: a person in some form, or words that agree with one."""
    held = _held_form(place, people)
    if BAR not in place and held is not None:
        name, form = held
        return _called(people[name], form, rules)
    if _role(place):
        return _said(place, people[PERSON], rules)
    whom = WITH.match(place) if BAR in place else None
    name, _, form_of = (whom.group(1) if whom else PERSON).partition(".")
    forms = WITH.sub("", place) if BAR in place else words.get(place, "")
    return _agreeing(forms, people[name], rules, as_pronoun=bool(form_of))


def _check_forms(forms: str, recipe: Recipe, rules: Language) -> None:
    wrong = rules.wrong_with(forms)
    if wrong:
        raise EvenhandError(f"corpus {recipe.name!r}: {forms!r}: {wrong}")


def _agreeing(forms: str, person: _Person, rules: Language, *, as_pronoun: bool = False) -> str:
    if person.entry.agreement is not None and BAR in forms:
        return forms.split(BAR)[rules.agreement.index(person.entry.agreement)]
    gender = person.groups.get("gender")
    term = _called(person, "pronoun", rules) if as_pronoun else person.term
    return rules.agree(forms, term, gender=gender, pronoun=person.pronoun)


def _called(person: _Person, form: Form, rules: Language) -> str:
    if form == "object" and person.entry.object is not None:
        return person.entry.object
    return rules.person(person.term, form, gender=person.groups.get("gender"), pronoun=person.pronoun)


def _said(place: str, person: _Person, rules: Language) -> str:
    if place in PERSON_FORMS:
        return _called(person, PERSON_FORMS[place], rules)
    if person.identity is None:
        raise EvenhandError(f"{person.term!r} has no form for {{{place}}}: write it as a term with adjective or after")
    if place.startswith(DESCRIBED):
        return person.identity.describing(place.removeprefix(DESCRIBED))
    return person.identity.in_plural if TERM_FORMS[place] == "plural" else person.identity.singular


def _term(place: str, person: _Person, rules: Language) -> str:
    """What stands for the person in the sentence; of a described noun, only what describes it."""
    if person.identity is not None and place.startswith(DESCRIBED):
        return person.identity.adjective or person.identity.after or ""
    return _said(place, person, rules)


def _shown(template: str, recipe: Recipe, rules: Language) -> str:
    genders = recipe.attributes.get("gender", [])
    names = dict.fromkeys([*PERSON_FORMS, *TERM_FORMS], "<person>") | {"a": "a/an"}
    names[f"{PERSON}.genitive"] = f"<{PERSON}>{rules.genitive or ''}"
    for place, form in PERSON_FORMS.items():
        if form not in NAMING and f"{{{place}}}" in template:
            names[place] = "/".join(rules.forms_for(genders, form))
    for name, some in recipe.held.items():
        of_held = list(dict.fromkeys(one.groups.get("gender", "") for one in some))
        for ending, form in FORMS.items():
            if f"{{{name}{ending}}}" in template:
                named = f"<{name}>{rules.genitive if form == 'genitive' else ''}"
                names[f"{name}{ending}"] = named if form in NAMING else "/".join(rules.forms_for(of_held, form))
    names["person.plural"] = "<people>"
    described = re.sub(rf"\{{{DESCRIBED}([^{{}}]*)\}}", r"<identity> \1", template)
    return PLACE.sub(lambda match: names.get(match.group(1)) or _placeholder(match.group(1)), described)


def _placeholder(place: str) -> str:
    return WITH.sub("", place).replace(BAR, "/") if BAR in place else f"<{place}>"


def _respelling(recipe: Recipe, spelling: str | None) -> dict[str, str]:
    if spelling is None:
        return {}
    if spelling not in recipe.spellings:
        known = did_you_mean(spelling, recipe.spellings) if recipe.spellings else "; it has only one"
        raise UsageError(f"corpus {recipe.name!r} has no spelling {spelling!r}{known}")
    return recipe.spellings[spelling]


def _known_columns(columns: list[str], frame: pl.DataFrame, recipe: Recipe) -> tuple[str, ...]:
    for column in columns:
        if column not in frame.columns:
            hint = did_you_mean(column, frame.columns)
            raise EvenhandError(f"corpus {recipe.name!r}: grouping {column!r} is not a column{hint}")
    for name, conditions in recipe.subsets.items():
        for column in conditions:
            if column not in frame.columns:
                raise EvenhandError(f"corpus {recipe.name!r}: subset {name!r}: no column {column!r}")
    return tuple(columns)


def _no_sentence_twice(frame: pl.DataFrame, recipe: Recipe) -> None:
    doubled = frame["text"].is_duplicated()
    if doubled.any():
        example, template = frame.filter(doubled).select("text", "template").row(0)
        unnamed = not any(mark in template for mark in SHOWN)
        why = ": nobody is named in its template; write {person} in it" if unnamed else ""
        raise EvenhandError(f"corpus {recipe.name!r} makes the sentence {example!r} more than once{why}")
