"""Causal diagrams as drawings: desirable paths green, undesirable red, confounding dotted, "?" on what is tested."""

from __future__ import annotations

import math
from typing import Any

from evenhand.rating import Diagram

WIDTH, HEIGHT, MARGIN = 460, 210, 62
RADIUS_X, RADIUS_Y = 54, 22


def drawing(diagram: Diagram) -> dict[str, Any]:
    """Places of nodes and arrows, ready for an SVG."""
    place = {node.name: (_x(node.x), _y(node.y)) for node in diagram.nodes}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "nodes": [
            {"name": node.name, "role": node.role, "x": place[node.name][0], "y": place[node.name][1]}
            for node in diagram.nodes
        ],
        "edges": [
            {
                **_ends(place[edge.source], place[edge.target]),
                "kind": edge.kind.replace(" ", "-"),
                "tested": edge.tested,
            }
            for edge in diagram.edges
        ],
        "described": "; ".join(
            f"{edge.source} to {edge.target}, {edge.kind}{', tested' if edge.tested else ''}" for edge in diagram.edges
        ),
        "rx": RADIUS_X,
        "ry": RADIUS_Y,
    }


def _x(share: float) -> float:
    return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)


def _y(share: float) -> float:
    return round(RADIUS_Y + 12 + share * (HEIGHT - 2 * RADIUS_Y - 24), 1)


def _ends(start: tuple[float, float], end: tuple[float, float]) -> dict[str, float]:
    """An arrow from the rim of one ellipse to that of the other."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    reach = 1 / math.hypot(dx / RADIUS_X, dy / RADIUS_Y)
    return {
        "x1": round(start[0] + reach * dx, 1),
        "y1": round(start[1] + reach * dy, 1),
        "x2": round(end[0] - 1.08 * reach * dx, 1),
        "y2": round(end[1] - 1.08 * reach * dy, 1),
        "mx": round((start[0] + end[0]) / 2, 1),
        "my": round((start[1] + end[1]) / 2, 1),
    }
