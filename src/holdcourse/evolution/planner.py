"""Operation planning: the observation becomes typed edits Δ^edit (GRACE §2.2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pydantic import JsonValue

from holdcourse.evolution.asking import Asker, RoleUsage, ask_role
from holdcourse.evolution.edits import Edit, Refusal, parse_edits
from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.observation import Observation
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.shapes import EditsReply
from holdcourse.llm.replies import Unparsed


@dataclass(frozen=True)
class Proposal:
    """Edits that a role proposed: as given, as read, and those that are no edits at all."""

    proposed: tuple[JsonValue, ...] = ()
    edits: tuple[Edit, ...] = ()
    refused: tuple[Refusal, ...] = ()
    unparsed: str | None = None
    usage: tuple[RoleUsage, ...] = ()


def plan(graph: InstructionGraph, observation: Observation, schema: NetworkSchema, ask: Asker) -> Proposal:
    """Ask the planner how the observation is to be worked into the graph."""
    blocks: dict[str, JsonValue] = {
        "schema": schema.triples(),
        "graph": {
            "nodes": [asdict(node) for node in graph.nodes()],
            "edges": [asdict(edge) for edge in graph.edges()],
        },
        "observation": observation.to_record(),
    }
    answer, usage = ask_role(ask, "planner", blocks, EditsReply)
    if isinstance(answer, Unparsed):
        return Proposal(unparsed=answer.reason, usage=(usage,))
    edits, refused = parse_edits(answer.value.edits)
    return Proposal(tuple(answer.value.edits), edits, refused, None, (usage,))
