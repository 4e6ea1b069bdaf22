"""The simulated structural analyst: issues among the touched units of a subgraph, with repairs."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig
from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.blocks import JsonObject, object_block
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.competence import competence
from holdcourse.simulated.network import Edge, Node, Schema, edges_of, nodes_of, schema_of
from holdcourse.simulated.verdict import Party, Verdict, judge


def analyst_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """Each true issue of a pair with a touched unit is seen with probability c(L); there are no false alarms.

    Raises:
        MalformedRequestError: a block is missing or malformed.
    """
    schema = schema_of(request)
    graph = object_block(request, "subgraph")
    nodes = nodes_of(graph.get("nodes", []), "the nodes of <subgraph>")
    edges = edges_of(graph.get("edges", []), "the edges of <subgraph>")
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    gone: set[str] = set()
    issues: list[JsonValue] = []
    for place, first in enumerate(nodes):
        for second in nodes[place + 1 :]:
            if not (first.touched or second.touched) or not gone.isdisjoint((first.id, second.id)):
                continue
            verdict = _judge(first, second, edges)
            if verdict and coins.comes_true(right, f"see {verdict.kind} {first.id} {second.id}"):
                loser, winner = (first, second) if verdict.first_gives_way else (second, first)
                gone.add(loser.id)
                issues.append(
                    {
                        "kind": verdict.kind,
                        "nodes": [first.id, second.id],
                        "why": verdict.why,
                        "repairs": _repairs(verdict, loser, winner, nodes, edges, schema),
                    }
                )
    return {"issues": issues}


def _judge(first: Node, second: Node, edges: Sequence[Edge]) -> Verdict | None:
    verdict = judge(_party(first, edges), _party(second, edges))
    if verdict and verdict.kind == "redundancy":
        steps = any(edge.relation == "sequence" and edge.joins(first.id, second.id) for edge in edges)
        return None if steps or first.type != second.type else verdict
    return verdict


def _party(node: Node, edges: Sequence[Edge]) -> Party:
    grounds = frozenset(e.source for e in edges if e.relation == "supports" and e.target == node.id)
    return Party(node.text, node.reading, grounds)


def _repairs(
    verdict: Verdict,
    loser: Node,
    winner: Node,
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    schema: Schema,
) -> list[JsonValue]:
    if verdict.remainder:
        return [{"op": "ModifyNode", "id": loser.id, "text": verdict.remainder}]
    repairs: list[JsonValue] = [{"op": "RemoveNode", "id": loser.id}]
    if verdict.kind == "redundancy":
        repairs += [edge.edit() for edge in _inherited(loser, winner, nodes, edges, schema)]
    return repairs


def _inherited(
    loser: Node, winner: Node, nodes: Sequence[Node], edges: Sequence[Edge], schema: Schema
) -> list[Edge]:
    """The loser's relations, from and to the winner, where they are admissible and new."""
    types = {node.id: node.type for node in nodes}
    inherited: list[Edge] = []
    for edge in edges:
        if loser.id not in (edge.source, edge.target):
            continue
        source = winner.id if edge.source == loser.id else edge.source
        target = winner.id if edge.target == loser.id else edge.target
        moved = Edge(source, edge.relation, target)
        admitted = schema.admits(types.get(source, ""), edge.relation, types.get(target, ""))
        if source != target and admitted and moved not in edges and moved not in inherited:
            inherited.append(moved)
    return inherited
