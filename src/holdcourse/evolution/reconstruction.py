"""Delta reconstruction: ℓ_t from ℓ_{t-1} and the change of the graph (GRACE §2.2).

Only the words of changed units are written anew. All other text keeps its bytes, order and layout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue, model_validator

from holdcourse.evolution.asking import Asker, RoleUsage, ask_role
from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.lines import content_end, line_end, line_ending, line_start, without_marker
from holdcourse.evolution.placement import Placement, place
from holdcourse.evolution.shapes import ReconstructorReply
from holdcourse.evolution.similarity import words
from holdcourse.evolution.splice import splice
from holdcourse.evolution.state import GraphState
from holdcourse.llm.replies import Unparsed

_LINE_ENDS = re.compile(r"\s*[\r\n]\s*")
_LINE_END = re.compile(r"\r\n|\r|\n")

_CONTEXT_CHARACTERS = 300
"""Longest line shown from around a change; enough to see the style of the place."""


@dataclass(frozen=True)
class Reconstruction:
    """The new state, or the old one with the reason why it stayed."""

    state: GraphState
    changes: tuple[JsonValue, ...]
    removed: tuple[str, ...]
    wordings: Mapping[str, str]
    unchanged_because: str | None
    usage: tuple[RoleUsage, ...]

    def to_record(self) -> dict[str, JsonValue]:
        """The reconstruction as JSON."""
        return {
            "changes": list(self.changes),
            "removed": list(self.removed),
            "wordings": dict(self.wordings),
            "unchanged_because": self.unchanged_because,
        }


def reconstruct(before: GraphState, after: InstructionGraph, ask: Asker) -> Reconstruction:
    """Bring text and layout in line with a changed graph; one reconstructor call for all changed units.

    When a wording is missing or no reply can be read, the whole state stays as it was, the graph
    included, so that graph and text never part.

    Args:
        before: the state of batch t - 1.
        after: the validated graph G_t, a descendant of the state's graph.
        ask: whom and how.
    """
    removed = tuple(node.id for node in before.graph.nodes() if node.id not in after)
    modified = tuple(
        node.id for node in before.graph.nodes() if node.id in after and after.node(node.id).text != node.text
    )
    placements = place(before, after)
    changes = _changes(before, after, modified, placements)
    wordings: dict[str, str] = {}
    usage: tuple[RoleUsage, ...] = ()
    if changes:
        wanted = frozenset((*modified, *(placement.node for placement in placements)))
        answer, spent = ask_role(ask, "reconstructor", {"changes": list(changes)}, _reply_for(wanted))
        usage = (spent,)
        if isinstance(answer, Unparsed):
            return Reconstruction(before, changes, removed, {}, answer.reason, usage)
        wordings = {wording.id: wording.text for wording in answer.value.wordings if wording.id in wanted}
    text, layout = splice(
        before.instruction,
        before.layout,
        removed,
        {node: _fitted(wordings[node], before, node) for node in modified},
        [(placement, _one_line(wordings[placement.node])) for placement in placements],
    )
    if before.instruction.strip() and not text.strip():
        reason = "the edits would leave an instruction without text"
        return Reconstruction(before, changes, removed, wordings, reason, usage)
    state = GraphState(text, after, layout)
    state.check()
    return Reconstruction(state, changes, removed, wordings, None, usage)


def _changes(
    before: GraphState,
    after: InstructionGraph,
    modified: Sequence[str],
    placements: Sequence[Placement],
) -> tuple[JsonValue, ...]:
    changes: list[JsonValue] = []
    for node in modified:
        span = before.layout.span(node)
        above = line_start(before.instruction, span.start)
        below = line_end(before.instruction, span.end - 1)
        changes.append(
            {
                "id": node,
                "change": "modified",
                "statement": after.node(node).text,
                "old_wording": before.wording(node),
                **_around(before.instruction, above, below),
            }
        )
    for placement in placements:
        changes.append(
            {
                "id": placement.node,
                "change": "added",
                "statement": after.node(placement.node).text,
                "old_wording": "",
                **_around(before.instruction, placement.position, placement.position),
            }
        )
    return tuple(changes)


def _around(text: str, above: int, below: int) -> dict[str, JsonValue]:
    """The line that ends at `above` and the line that starts at `below`, without their line ends."""
    start = line_start(text, max(0, above - 1))
    return {
        "before": text[start : min(above, content_end(text, start))][:_CONTEXT_CHARACTERS],
        "after": text[below : content_end(text, below)][:_CONTEXT_CHARACTERS],
    }


def _reply_for(wanted: frozenset[str]) -> type[ReconstructorReply]:
    """The shape of a reply that words each wanted unit once."""

    class CompleteReply(ReconstructorReply):
        @model_validator(mode="after")
        def _complete(self) -> CompleteReply:
            problem = _problem(self, wanted)
            if problem:
                raise ValueError(problem)
            return self

    return CompleteReply


def _problem(reply: ReconstructorReply, wanted: frozenset[str]) -> str | None:
    given = [wording.id for wording in reply.wordings if wording.id in wanted]
    missing = sorted(wanted.difference(given))
    if missing:
        return f"there is no wording for {', '.join(missing)}"
    if len(given) > len(wanted):
        return "a unit has two wordings"
    empty = sorted(w.id for w in reply.wordings if w.id in wanted and not words(w.text))
    return f"the wording is empty for {', '.join(empty)}" if empty else None


def _fitted(wording: str, before: GraphState, node: str) -> str:
    """The wording in the line ends of its place; on one line when the old words stood on one."""
    if "\n" not in before.wording(node):
        return _one_line(wording)
    ending = line_ending(before.instruction, before.layout.span(node).start)
    return ending.join(_LINE_END.split(without_marker(wording)))


def _one_line(wording: str) -> str:
    return _LINE_ENDS.sub(" ", without_marker(wording))
