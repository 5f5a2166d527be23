"""Causal diagrams: who may act on the sentiment, by which path, and what must be held fixed to see one path alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import networkx as nx

from evenhand.errors import UsageError, did_you_mean

Role = Literal["protected", "input", "output", "other"]
Kind = Literal["desirable", "undesirable", "possible confounding", "given"]
"""Desirable: sentiment may follow it. Undesirable: it must not. Possible confounding: there in some data and not in
others. Given: neither good nor bad, such as an attribute that is a part of a crossed one."""

EMOTION, SENTIMENT = "emotion", "sentiment"


@dataclass(frozen=True)
class Node:
    """A variable; `x` and `y` say where it is drawn, from 0 to 1, to the right and down."""

    name: str
    role: Role
    x: float
    y: float
    observed: bool = True


@dataclass(frozen=True)
class Edge:
    """An arrow from a cause to its effect; `tested` ones carry a question mark."""

    source: str
    target: str
    kind: Kind
    tested: bool = False


@dataclass(frozen=True)
class Diagram:
    """A causal diagram: a directed graph without cycles.

    >>> confounded = rating_diagram(["gender"], confounders=["gender"])
    >>> confounded.backdoor_set(), rating_diagram(["gender"]).backdoor_set()
    (('gender',), ())
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        if len(set(names)) < len(names):
            raise UsageError(f"a diagram names {next(name for name in names if names.count(name) > 1)!r} twice")
        for edge in self.edges:
            for name in (edge.source, edge.target):
                if name not in names:
                    raise UsageError(f"an arrow names {name!r}{did_you_mean(name, names)}")
        if not nx.is_directed_acyclic_graph(self.graph):
            raise UsageError("the arrows of a causal diagram must not run in a circle")

    @cached_property
    def graph(self) -> nx.DiGraph:
        """The diagram as a graph of networkx."""
        graph = nx.DiGraph()
        graph.add_nodes_from(node.name for node in self.nodes)
        graph.add_edges_from((edge.source, edge.target) for edge in self.edges)
        return graph

    def backdoor_set(self, cause: str = EMOTION, effect: str = SENTIMENT) -> tuple[str, ...] | None:
        """The fewest observed variables that close every path into `cause` which leads on to `effect`.

        This is Pearl's back-door criterion: given them, the two are d-separated once the arrows out of `cause` are
        taken away, and none of them is an effect of `cause`. Empty: nothing confounds. None: no observed variables do.
        """
        for name in (cause, effect):
            if name not in self.graph:
                raise UsageError(f"the diagram has no {name!r}{did_you_mean(name, self.graph.nodes)}")
        behind = self.graph.copy()
        behind.remove_edges_from(list(self.graph.out_edges(cause)))
        for chosen in self._candidates(cause, effect):
            if nx.is_d_separator(behind, {cause}, {effect}, set(chosen)):
                return chosen
        return None

    def _candidates(self, cause: str, effect: str) -> Iterator[tuple[str, ...]]:
        """Sets of observed variables that `cause` does not act on: small ones first, protected attributes first."""
        taken = nx.descendants(self.graph, cause) | {cause, effect}
        free = [node for node in self.nodes if node.observed and node.name not in taken]
        names = [node.name for node in sorted(free, key=lambda node: node.role != "protected")]
        for size in range(len(names) + 1):
            yield from combinations(names, size)

    def to_dict(self) -> dict[str, Any]:
        """Plain values to draw from: nodes with their places, arrows with their kind."""
        return asdict(self)


def rating_diagram(attributes: Sequence[str], *, confounders: Sequence[str] = ()) -> Diagram:
    """The paper's diagram: protected attributes and the emotion word may act on the sentiment, confounders also on the
    choice of the emotion word.

    A crossed attribute (`race+gender`) is a node of its own that its parts act on, as in the paper's group 4.
    """
    acting = list(dict.fromkeys([*attributes, *confounders]))
    if not acting:
        raise UsageError("a diagram needs a protected attribute")
    parts = [part for name in acting if "+" in name for part in name.split("+") if part not in acting]
    parts = list(dict.fromkeys(parts))
    nodes = [
        *(Node(name, "protected", x, 0.0) for name, x in zip(parts, _spread(len(parts)), strict=True)),
        *(
            Node(name, "protected", x, 0.45 if parts else 0.2)
            for name, x in zip(acting, _spread(len(acting)), strict=True)
        ),
        Node(EMOTION, "input", 0.15, 1.0),
        Node(SENTIMENT, "output", 0.85, 1.0),
    ]
    edges = [
        *(Edge(part, name, "given") for name in acting if "+" in name for part in name.split("+") if part != name),
        *(Edge(name, EMOTION, "possible confounding") for name in confounders),
        *(Edge(name, SENTIMENT, "undesirable", tested=True) for name in acting),
        Edge(EMOTION, SENTIMENT, "desirable", tested=True),
    ]
    return Diagram(tuple(nodes), tuple(edges))


def chat_diagram(*, gender_may_change_words: bool = True) -> Diagram:
    """The paper's diagram of conversations: gender, what user and chatbot say, and the sentiment given to each.

    Where the gender was put into the text afterwards, it cannot have changed what was said.
    """
    said = ("user utterance", "chatbot utterance")
    felt = ("user sentiment", "chatbot sentiment")
    nodes = (
        Node("gender", "protected", 0.5, 0.0),
        *(Node(name, "input", x, 0.5) for name, x in zip(said, (0.15, 0.85), strict=True)),
        *(Node(name, "output", x, 1.0) for name, x in zip(felt, (0.15, 0.85), strict=True)),
    )
    words = [Edge("gender", name, "possible confounding", tested=True) for name in said]
    edges = (
        *(words if gender_may_change_words else ()),
        Edge(said[0], said[1], "given"),
        *(Edge("gender", name, "undesirable", tested=True) for name in felt),
        *(Edge(source, target, "desirable") for source, target in zip(said, felt, strict=True)),
    )
    return Diagram(nodes, edges)


def _spread(number: int) -> list[float]:
    """Places from left to right for so many nodes."""
    return [0.5] if number == 1 else [0.2 + 0.6 * place / (number - 1) for place in range(number)]
