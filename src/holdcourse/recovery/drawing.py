"""The recovery graph drawn from its edges: as SVG and as Graphviz DOT, without any program beside Python.

`python -m holdcourse.recovery.drawing FOLDER` writes recovery-graph.svg and recovery-graph.dot.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

from holdcourse.files import write_text
from holdcourse.recovery.graph import EDGES, PLACES, Edge, Place
from holdcourse.recovery.nodes import NAMES

WIDTH, HEIGHT = 860, 520
BOX = (168, 46)

CENTRES: dict[Place, tuple[int, int]] = {
    "start": (110, 50),
    "n1": (110, 190),
    "n2": (400, 190),
    "n3": (720, 190),
    "n4": (720, 330),
    "n5": (400, 400),
    "rollback": (110, 480),
    "escalate": (720, 480),
}
"""Where each place stands, in pixels; what joins them comes from `EDGES`."""

LABELS: dict[Place, tuple[str, ...]] = {
    "start": ("suspected onset", "k := k₀"),
    **{node: (node, name) for node, name in NAMES.items()},
    "rollback": ("roll back", "keep steps up to the target"),
    "escalate": ("call a human", "with the report"),
}

BENDS: dict[tuple[Place, Place], tuple[int, int]] = {
    ("n2", "n1"): (255, 120),
    ("n4", "n1"): (300, 290),
    ("n1", "n5"): (180, 370),
}
"""Where the line between two places is drawn to, so that lines keep apart."""

SHIFTS: dict[tuple[Place, Place], tuple[int, int]] = {
    ("n2", "n5"): (0, 40),
    ("n4", "n1"): (-70, -12),
    ("n2", "n1"): (22, -2),
    ("n1", "n1"): (0, -18),
}
"""How far a label is moved from the middle of its line."""


@dataclass(frozen=True, slots=True)
class Line:
    """All edges between two places, drawn as one."""

    source: Place
    target: Place
    words: tuple[str, ...]


def lines() -> tuple[Line, ...]:
    """The lines to draw: edges that the paper has, those between the same two places together."""
    joined: dict[tuple[Place, Place], list[str]] = {}
    for edge in EDGES:
        if not edge.safety:
            joined.setdefault((edge.source, edge.target), []).append(_words(edge))
    return tuple(Line(source, target, tuple(words)) for (source, target), words in joined.items())


def svg() -> str:
    """The drawing. Safety edges are told in words below it: each node has them."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 50}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">',
        "<title>The recovery graph</title>",
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#444"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT + 50}" fill="white"/>',
        *(part for line in lines() for part in _line(line)),
        *(part for place in PLACES for part in _box(place)),
        *_safety(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def dot() -> str:
    """The graph in Graphviz's language, safety edges dashed."""
    rows = ["digraph recovery {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for place in PLACES:
        name = "\\n".join(LABELS[place])
        rows.append(f'  {place} [label="{name}"];')
    for edge in EDGES:
        style = ', style=dashed, color="gray50"' if edge.safety else ""
        rows.append(f'  {edge.source} -> {edge.target} [label="{_words(edge)}"{style}];')
    return "\n".join([*rows, "}"]) + "\n"


def _words(edge: Edge) -> str:
    return edge.guard.words + (", k := k − 1" if edge.back else "")


def _box(place: Place) -> list[str]:
    x, y = CENTRES[place]
    width, height = BOX
    end = place in ("start", "rollback", "escalate")
    fill, dash = ("#f2f2f2", ' stroke-dasharray="4 3"') if end else ("#dbe9f6", "")
    name, below = LABELS[place]
    return [
        f'<rect x="{x - width // 2}" y="{y - height // 2}" width="{width}" height="{height}" rx="8" '
        f'fill="{fill}" stroke="#444"{dash}/>',
        f'<text x="{x}" y="{y - 4}" text-anchor="middle" font-weight="bold">{escape(name)}</text>',
        f'<text x="{x}" y="{y + 13}" text-anchor="middle" font-size="11">{escape(below)}</text>',
    ]


def _line(line: Line) -> list[str]:
    if line.source == line.target:
        return _loop(line)
    start, end = CENTRES[line.source], CENTRES[line.target]
    middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
    bend = BENDS.get((line.source, line.target), middle)
    leaves, arrives = _border(start, bend), _border(end, bend)
    path = f"M{leaves[0]},{leaves[1]} Q{bend[0]},{bend[1]} {arrives[0]},{arrives[1]}"
    # The middle of a quadratic curve lies halfway between its bend and the middle of its ends.
    at = ((leaves[0] + arrives[0]) // 4 + bend[0] // 2, (leaves[1] + arrives[1]) // 4 + bend[1] // 2)
    return [_path(path), *_told(line, at)]


def _loop(line: Line) -> list[str]:
    x, y = CENTRES[line.source]
    top, left = y - BOX[1] // 2, x + 20
    path = f"M{left},{top} C{left - 5},{top - 52} {left + 75},{top - 52} {left + 45},{top}"
    return [_path(path), *_told(line, (left + 100, top - 40))]


def _path(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="#444" stroke-width="1.3" marker-end="url(#tip)"/>'


def _told(line: Line, at: tuple[int, int]) -> list[str]:
    right, down = SHIFTS.get((line.source, line.target), (0, 0))
    rows: list[str] = []
    for place, text in enumerate(line.words):
        y = at[1] + down + 4 + 14 * place - 7 * (len(line.words) - 1)
        # A white rim keeps a label readable where it stands on a line.
        rows.append(
            f'<text x="{at[0] + right}" y="{y}" text-anchor="middle" font-size="11" fill="#223" '
            f'stroke="white" stroke-width="4" paint-order="stroke">{escape(text)}</text>'
        )
    return rows


def _border(centre: tuple[int, int], toward: tuple[int, int]) -> tuple[int, int]:
    """Where the straight line from the centre of a box leaves the box."""
    x, y = toward[0] - centre[0], toward[1] - centre[1]
    scale = max(abs(x) / (BOX[0] / 2 + 2), abs(y) / (BOX[1] / 2 + 2), 1e-9)
    return round(centre[0] + x / scale), round(centre[1] + y / scale)


def _safety() -> list[str]:
    reasons: dict[str, list[str]] = {}
    for edge in EDGES:
        if edge.safety:
            reasons.setdefault(edge.guard.words.rpartition(", ")[2], []).append(edge.source)
    told = "; ".join(f"{words} ({', '.join(dict.fromkeys(sources))})" for words, sources in reasons.items())
    return [
        f'<text x="20" y="{HEIGHT + 30}" font-size="11" fill="#223">'
        f"Failing safe, not in the paper: straight to “call a human” on {escape(told)}.</text>"
    ]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"{__doc__}\nexpected one folder, got {len(sys.argv) - 1} arguments")
    folder = Path(sys.argv[1])
    write_text(folder / "recovery-graph.svg", svg())
    write_text(folder / "recovery-graph.dot", dot())
