"""Where the words of added nodes go in the instruction (delta reconstruction, GRACE §2.2).

The paper is silent on the place. Ours: by the unit that the graph relates it to, else by the unit of
its type that it resembles, else at the end; always as a line of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.layout import Layout, Span
from holdcourse.evolution.lines import indentation, line_end, line_start, marker_below
from holdcourse.evolution.similarity import nearest
from holdcourse.evolution.state import GraphState


@dataclass(frozen=True, slots=True)
class Placement:
    """A new line for a node: where in the old text, and what stands in front of its words.

    `position` is the start of a line, or the end of the text. `anchor` is the node that it was
    placed by, None at the end of the text.
    """

    node: str
    position: int
    front: str
    anchor: str | None


def place(before: GraphState, after: InstructionGraph) -> tuple[Placement, ...]:
    """Place every node that `after` has and `before` lacks.

    Returns:
        Placements by position; those of one position in the order in which their lines shall stand.
    """
    pending = [node.id for node in after.nodes() if node.id not in before.graph]
    placed: list[Placement] = []
    while pending:
        known = {node.id for node in after.nodes()} - set(pending)
        linked = [(node, link) for node in pending if (link := _linked(node, after, known))]
        node, (anchor, follows) = linked[0] if linked else (pending[0], (None, True))
        pending.remove(node)
        beside = next((i for i, other in enumerate(placed) if other.node == anchor), None)
        if beside is not None:
            _insert_beside(placed, beside, node, follows)
        else:
            anchor = anchor or _resembling(node, before, after)
            placed.append(_by_text(node, anchor, follows, before))
    return tuple(sorted(placed, key=lambda placement: placement.position))


def _linked(node: str, graph: InstructionGraph, known: set[str]) -> tuple[str, bool] | None:
    """The best known unit that the graph relates a node to, and whether to stand after it."""
    edges = [edge for edge in graph.edges_at([node]) if {edge.source, edge.target} - {node} <= known]
    leaving = [edge for edge in edges if edge.source == node]
    arriving = [edge for edge in edges if edge.target == node]
    by_preference = [
        *((edge.target, True) for edge in leaving if edge.relation == "refines"),
        *((edge.source, True) for edge in arriving if edge.relation == "sequence"),
        *((edge.target, False) for edge in leaving if edge.relation == "sequence"),
        *((edge.target, True) for edge in leaving if edge.relation == "supports"),
        *((edge.source, True) for edge in arriving),
    ]
    return next(iter(by_preference), None)


def _resembling(node: str, before: GraphState, after: InstructionGraph) -> str | None:
    new = after.node(node)
    alike = [
        (old, after.node(old).text)
        for old in (span.node for span in before.layout.spans)
        if old in after and after.node(old).type == new.type
    ]
    return next(iter(nearest(new.text, alike, 1)), None)


def _insert_beside(placed: list[Placement], beside: int, node: str, follows: bool) -> None:
    anchor = placed[beside]
    index = beside + 1 if follows else beside
    while follows and index < len(placed) and placed[index].anchor == anchor.node:
        index += 1
    placed.insert(index, Placement(node, anchor.position, anchor.front, anchor.node))


def _by_text(node: str, anchor: str | None, follows: bool, before: GraphState) -> Placement:
    text = before.instruction
    if anchor is None:
        start = line_start(text, len(text.rstrip()))
        return Placement(node, len(text), marker_below(text[start : line_end(text, start)]), None)
    span = before.layout.span(anchor)
    start = line_start(text, span.start)
    position = _below(text, span, before.layout) if follows else _above(text, span, before.layout)
    return Placement(node, position, marker_below(text[start : line_end(text, start)]), anchor)


def _below(text: str, span: Span, layout: Layout) -> int:
    position = line_end(text, span.end - 1)
    own = line_start(text, span.start)
    own_indentation = indentation(text[own : line_end(text, own)])
    while True:
        crossing = _crossing(position, layout)
        line = text[position : line_end(text, position)]
        if crossing:
            position = line_end(text, crossing.end - 1)
        elif line.strip() and indentation(line) > own_indentation:
            # What is indented further belongs to the anchor; a new line must not part them.
            position = line_end(text, position)
        else:
            return position


def _above(text: str, span: Span, layout: Layout) -> int:
    position = line_start(text, span.start)
    while crossing := _crossing(position, layout):
        position = line_start(text, crossing.start)
    return position


def _crossing(position: int, layout: Layout) -> Span | None:
    return next((span for span in layout.spans if span.start < position < span.end), None)
