"""Causal diagrams: what must be held fixed follows from the arrows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evenhand.errors import UsageError
from evenhand.rating import Diagram, chat_diagram, rating_diagram
from evenhand.rating.diagram import Edge, Node


@pytest.mark.parametrize(
    ("attributes", "confounders", "held"),
    [
        (["gender"], [], ()),
        (["gender"], ["gender"], ("gender",)),
        (["gender", "race"], [], ()),
        (["gender", "race"], ["gender", "race"], ("gender", "race")),
        (["race+gender"], ["race+gender"], ("race+gender",)),
        (["gender", "race"], ["race+gender"], ("race+gender",)),
        (["gender"], ["race"], ("race",)),
    ],
)
def test_the_backdoor_set_of_the_papers_diagrams(
    attributes: Sequence[str], confounders: Sequence[str], held: tuple[str, ...]
) -> None:
    assert rating_diagram(attributes, confounders=confounders).backdoor_set() == held


def drawn(*arrows: str, hidden: str = "") -> Diagram:
    names = dict.fromkeys(name for arrow in arrows for name in arrow)
    nodes = tuple(Node(name, "other", 0, 0, observed=name not in hidden) for name in names)
    return Diagram(nodes, tuple(Edge(source, target, "given") for source, target in arrows))


def test_a_collider_is_left_alone() -> None:
    # X ← A → C ← B → Y is closed already, and holding C fixed would open it.
    assert drawn("AX", "AC", "BC", "BY", "XY").backdoor_set("X", "Y") == ()


def test_what_the_cause_acts_on_is_never_held_fixed() -> None:
    assert drawn("XM", "MY", "ZX", "ZY").backdoor_set("X", "Y") == ("Z",)


def test_an_unobserved_confounder_can_be_closed_behind_or_not_at_all() -> None:
    assert drawn("UZ", "ZX", "UY", "XY", hidden="U").backdoor_set("X", "Y") == ("Z",)
    assert drawn("UX", "UY", "XY", hidden="U").backdoor_set("X", "Y") is None


def test_arrows_have_the_papers_kinds() -> None:
    kinds = {
        (edge["source"], edge["target"]): (edge["kind"], edge["tested"])
        for edge in rating_diagram(["gender"], confounders=["gender"]).to_dict()["edges"]
    }
    assert kinds == {
        ("gender", "emotion"): ("possible confounding", False),
        ("gender", "sentiment"): ("undesirable", True),
        ("emotion", "sentiment"): ("desirable", True),
    }


@pytest.mark.parametrize(
    "diagram",
    [
        rating_diagram(["gender"]),
        rating_diagram(["race+gender"], confounders=["race+gender"]),
        rating_diagram(["gender", "race", "age"]),
        chat_diagram(),
    ],
)
def test_nodes_have_places_of_their_own(diagram: Diagram) -> None:
    places = [(node.x, node.y) for node in diagram.nodes]
    assert len(set(places)) == len(places)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places)


def test_conversations() -> None:
    assert chat_diagram().backdoor_set("user utterance", "user sentiment") == ("gender",)
    proxies = chat_diagram(gender_may_change_words=False)
    assert proxies.backdoor_set("user utterance", "user sentiment") == ()


def test_diagrams_that_are_none() -> None:
    with pytest.raises(UsageError, match="run in a circle"):
        drawn("AB", "BA")
    with pytest.raises(UsageError, match="names 'A' twice"):
        Diagram((Node("A", "other", 0, 0), Node("A", "other", 1, 0)), ())
    with pytest.raises(UsageError, match="an arrow names 'B'"):
        Diagram((Node("A", "other", 0, 0),), (Edge("A", "B", "given"),))
    with pytest.raises(UsageError, match="no 'emotion'"):
        drawn("AB").backdoor_set()
    with pytest.raises(UsageError, match="needs a protected attribute"):
        rating_diagram([])
