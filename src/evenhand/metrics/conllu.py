"""Dependency trees as CoNLL-U has them, gold beside predicted: which arcs a parser has right, sentence by sentence.

An arc is right if its head and its label are (LAS), or its head alone (UAS). As in the CoNLL 2018 shared task, all
words count, punctuation too, and of a label what stands before the colon; multi-word tokens and empty nodes are no
words. The tokens of both files are the same: what a tokeniser does wrong is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import EvenhandError, did_you_mean
from evenhand.files.opened import read_text
from evenhand.metrics.predictions import Predictions

ENDING = ".conllu"
COLUMNS = 10
GROUP, TERM, SOURCE, ID = "group", "term", "source", "sent_id"
"""Comments that are read, as in `# group = women`."""
BOTH, HEAD, NEITHER = 2, 1, 0
"""How much of an arc is right."""


@dataclass(frozen=True)
class Tree:
    """One sentence: its comments, and of each word the form, the head (0: the root) and the label."""

    line: int
    comments: Mapping[str, str]
    forms: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Parsed:
    """A sentence with what its parser has right of each arc."""

    gold: Tree
    right: tuple[int, ...]

    def comment(self, name: str) -> str | None:
        """What the gold file says of it."""
        return self.gold.comments.get(name) or None


def read_trees(path: Path | str) -> list[Tree]:
    """The sentences of a file; what is wrong is said with its line."""
    path = Path(path)
    lines = read_text(path).split("\n")
    trees, block = [], []
    for number, line in enumerate([*lines, ""], start=1):
        text = line.rstrip("\r")
        if text.strip():
            block.append((number, text))
        elif block:
            trees.append(_tree(path, block))
            block = []
    if not trees:
        raise EvenhandError(f"{path} holds no sentence")
    return trees


def _tree(path: Path, block: Sequence[tuple[int, str]]) -> Tree:
    comments: dict[str, str] = {}
    words: list[tuple[int, str, int, str]] = []
    for number, line in block:
        if line.startswith("#"):
            name, _, value = line[1:].partition("=")
            comments[name.strip()] = value.strip()
            continue
        cells = line.split("\t")
        if len(cells) != COLUMNS:
            raise EvenhandError(f"{path}, line {number}: {len(cells)} columns where CoNLL-U has {COLUMNS}, with tabs")
        place, form, head, label = cells[0], cells[1], cells[6], cells[7]
        if "-" in place or "." in place:  # a multi-word token, or an empty node of the enhanced graph
            continue
        if place != str(len(words) + 1):
            raise EvenhandError(f"{path}, line {number}: the word {place!r} where {len(words) + 1} should come")
        if not head.isdecimal():
            raise EvenhandError(f"{path}, line {number}: the head {head!r} is no number of a word")
        words.append((number, form, int(head), label.partition(":")[0]))
    if not words:
        raise EvenhandError(f"{path}, line {block[0][0]}: a sentence without words")
    for number, _, at, _ in words:
        if at > len(words):
            raise EvenhandError(f"{path}, line {number}: the head {at} in a sentence of {len(words)} words")
    _, forms, heads, labels = zip(*words, strict=True)
    return Tree(block[0][0], comments, forms, heads, labels)


def read_parses(predicted: Path | str, gold: Path | str) -> list[Parsed]:
    """The sentences of both files, matched by `sent_id` where all have one, else by their order."""
    said, known = read_trees(predicted), read_trees(gold)
    pairs = _by_id(said, known) if _have_ids(known) and _have_ids(said) else None
    if pairs is None:
        if len(said) != len(known):
            raise EvenhandError(f"{predicted} holds {len(said):,} sentences, and {gold} {len(known):,}")
        pairs = list(zip(said, known, strict=True))
    lacking = len(known) - len(pairs)
    if lacking:
        there = {tree.comments[ID] for tree, _ in pairs}
        first = next(tree.comments[ID] for tree in known if tree.comments[ID] not in there)
        raise EvenhandError(f"{predicted} lacks {lacking:,} of the sentences of {gold}; the first is {first!r}")
    return [_parsed(one, other, Path(predicted), Path(gold)) for one, other in pairs]


def _have_ids(trees: Sequence[Tree]) -> bool:
    ids = [tree.comments.get(ID) for tree in trees]
    return all(ids) and len(set(ids)) == len(ids)


def _by_id(said: Sequence[Tree], known: Sequence[Tree]) -> list[tuple[Tree, Tree]]:
    found = {tree.comments[ID]: tree for tree in said}
    return [(found[tree.comments[ID]], tree) for tree in known if tree.comments[ID] in found]


def _parsed(said: Tree, known: Tree, predicted: Path, gold: Path) -> Parsed:
    if said.forms != known.forms:
        pairs = enumerate(zip(said.forms, known.forms, strict=False), start=1)
        word = next(
            (place for place, (one, other) in pairs if one != other), min(len(said.forms), len(known.forms)) + 1
        )
        raise EvenhandError(
            f"{predicted}, line {said.line}, and {gold}, line {known.line}: the sentences differ from word {word} on; "
            "parse the tokens of the gold file"
        )
    arcs = zip(said.heads, known.heads, said.labels, known.labels, strict=True)
    right = tuple((BOTH if label == own else HEAD) if head == at else NEITHER for head, at, label, own in arcs)
    return Parsed(known, right)


def groups_of(parses: Sequence[Parsed], by: str, gold: Path | str) -> list[str | None]:
    """Each sentence's group, from the comment of that name in the gold file."""
    groups = [one.comment(by) for one in parses]
    if not any(groups):
        names = dict.fromkeys(name for one in parses for name, value in one.gold.comments.items() if value)
        raise EvenhandError(
            f"{gold}: no sentence has a comment '# {by} = ...' that names its group{did_you_mean(by, names)}"
        )
    return groups


def predictions_of_parses(parses: Sequence[Parsed], gold: Path | str, *, by: str = GROUP) -> Predictions:
    """Sentences as rows with counts of arcs, for the metrics that compare LAS; sentences without a group stay out."""
    groups = groups_of(parses, by, gold)
    rows = [(place, one) for place, one in enumerate(parses) if groups[place] is not None]
    return Predictions.of(
        source=[one.comment(SOURCE) or one.comment(ID) or f"line {one.gold.line}" for _, one in rows],
        group=[groups[place] for place, _ in rows],
        term=[one.comment(TERM) for _, one in rows],
        arcs=[(sum(part == BOTH for part in one.right), len(one.right)) for _, one in rows],
    )


def arcs_of(parses: Sequence[Parsed]) -> Iterator[tuple[int, int]]:
    """Each arc: the number of its sentence, and how much of it is right."""
    for number, one in enumerate(parses):
        for right in one.right:
            yield number, right
