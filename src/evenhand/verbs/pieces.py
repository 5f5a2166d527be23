"""Into which pieces systems cut the persons of a corpus, and whom they cannot spell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evenhand.corpora import Corpus
from evenhand.errors import foreign_code, so_many
from evenhand.results import Note
from evenhand.systems import BaseScorer
from evenhand.verbs.ask import Made

UNKNOWN = ("[UNK]", "<unk>", "<UNK>")
"""How tokenisers write what they have no piece for."""
SHOWN = 5
"""Persons that a note names."""

Pieces = dict[str, list[str]]
"""By person."""


def all_pieces(systems: Iterable[Made], corpus: Corpus) -> dict[str, dict[str, int]]:
    """By system that tells, into how many pieces it cuts each person."""
    return {
        name: {person: len(cut) for person, cut in pieces.items()} for name, pieces in _told(systems, corpus).items()
    }


def unspelled(systems: Iterable[Made], corpus: Corpus) -> tuple[Note, ...]:
    """Notes on persons whom a system's tokeniser has no pieces for, or cannot tell from each other."""
    return tuple(Note(name, why) for name, pieces in _told(systems, corpus).items() for why in _why_not(pieces))


def _told(systems: Iterable[Made], corpus: Corpus) -> dict[str, Pieces]:
    found = {one.name: _pieces(one, corpus) for one in systems if isinstance(one, BaseScorer)}
    return {name: pieces for name, pieces in found.items() if pieces}


def _pieces(system: BaseScorer, corpus: Corpus) -> Pieces:
    terms: dict[str, str] = dict(corpus.frame.select("person", "term").unique("person").drop_nulls("term").iter_rows())
    try:
        with foreign_code():
            cut = {person: system.tokenise(term) for person, term in sorted(terms.items())}
    except Exception:  # its answers are there all the same
        return {}
    return {person: pieces for person, pieces in cut.items() if pieces is not None}


def _why_not(pieces: Mapping[str, Sequence[str]]) -> Iterable[str]:
    unknown = [person for person, cut in pieces.items() if not cut or any(piece in UNKNOWN for piece in cut)]
    if unknown:
        yield (
            f"its tokeniser cannot spell {so_many(len(unknown), 'person')} of {len(pieces):,} ({_some(unknown)}): what "
            "it says of them, it says of an unknown word; leave them out (--without) to see what is left"
        )
    alike: dict[tuple[str, ...], list[str]] = {}
    for person in pieces:
        if person not in unknown:
            alike.setdefault(tuple(pieces[person]), []).append(person)
    same = [_some(persons) for persons in alike.values() if len(persons) > 1]
    if same:
        more = "" if len(same) <= SHOWN else f"; and {len(same) - SHOWN:,} more"
        yield f"it reads these as one and cannot treat them differently: {'; '.join(same[:SHOWN])}{more}"


def _some(persons: Sequence[str]) -> str:
    more = "" if len(persons) <= SHOWN else f" and {len(persons) - SHOWN:,} more"
    return ", ".join(persons[:SHOWN]) + more
