"""Relation maintenance: relation edits Δ^rel at the nodes that were just edited (GRACE §2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import JsonValue

from holdcourse.evolution.asking import Asker, ask_role
from holdcourse.evolution.edits import AddEdge, Edit, Refusal, RemoveEdge, edit_record, parse_edits
from holdcourse.evolution.graph import InstructionGraph, by_id
from holdcourse.evolution.planner import Proposal
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.scope import split_by_scope
from holdcourse.evolution.shapes import EditsReply
from holdcourse.evolution.similarity import nearest
from holdcourse.llm.replies import Unparsed


def review_relations(
    graph: InstructionGraph, edited: Sequence[str], candidates: int, schema: NetworkSchema, ask: Asker
) -> Proposal:
    """Ask for relation edits at edited nodes.

    The role sees the edited nodes, their edges, their neighbours and, for each, the lexically
    nearest other nodes. Nobody is asked when there is nothing to relate.

    Args:
        graph: the graph after the planner's edits.
        edited: nodes whose own text is new.
        candidates: at most so many nearest nodes for each edited one.
        schema: the admissible relations.
        ask: whom and how.
    """
    others = candidate_nodes(graph, edited, candidates)
    if not edited or len(edited) + len(others) < 2:
        return Proposal()
    blocks: dict[str, JsonValue] = {
        "schema": schema.triples(),
        "edited": [asdict(graph.node(node_id)) for node_id in edited],
        "incident": [asdict(edge) for edge in graph.edges_at(edited)],
        "candidates": [asdict(graph.node(node_id)) for node_id in others],
    }
    answer, usage = ask_role(ask, "relations", blocks, EditsReply)
    if isinstance(answer, Unparsed):
        return Proposal(unparsed=answer.reason, usage=(usage,))
    edits, refused = parse_edits(answer.value.edits)
    at_edited, elsewhere = _relation_edits(edits, frozenset(edited))
    within, beyond = split_by_scope(at_edited, (*edited, *others))
    refused = (*refused, *elsewhere, *beyond)
    return Proposal(tuple(answer.value.edits), within, refused, None, (usage,))


def candidate_nodes(graph: InstructionGraph, edited: Sequence[str], limit: int) -> tuple[str, ...]:
    """The other nodes to show: neighbours of the edited ones, and up to `limit` nearest for each."""
    rest = [(node.id, node.text) for node in graph.nodes() if node.id not in edited]
    shown: set[str] = set()
    for node_id in edited:
        shown.update(graph.neighbours(node_id))
        shown.update(nearest(graph.node(node_id).text, rest, limit))
    return by_id(shown.difference(edited))


def _relation_edits(
    edits: Sequence[Edit], edited: frozenset[str]
) -> tuple[tuple[Edit, ...], tuple[Refusal, ...]]:
    kept: list[Edit] = []
    refused: list[Refusal] = []
    for edit in edits:
        if not isinstance(edit, AddEdge | RemoveEdge):
            refused.append(Refusal(edit_record(edit), "relation maintenance edits relations only"))
        elif edited.isdisjoint((edit.source, edit.target)):
            refused.append(Refusal(edit_record(edit), "neither end is an edited node"))
        else:
            kept.append(edit)
    return tuple(kept), tuple(refused)
