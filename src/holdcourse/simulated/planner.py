"""The simulated planner and relation keeper: lessons become typed edits of the graph."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig
from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.aim import Change, Passage, changes_for
from holdcourse.simulated.blocks import JsonObject, json_block, object_block
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.competence import competence
from holdcourse.simulated.judgement import more_specific, same_subject
from holdcourse.simulated.network import Edge, Node, Schema, edges_of, nodes_of, schema_of
from holdcourse.simulated.observation import Lesson, lessons_of


def planner_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """Edits that work each lesson in: aimed well with probability c(L), else a plain addition.

    A ground becomes a unit of knowledge that supports the unit its lesson went into, unless a unit
    gives it already.

    Raises:
        MalformedRequestError: a block is missing or malformed.
    """
    schema = schema_of(request)
    graph = object_block(request, "graph")
    nodes = nodes_of(graph.get("nodes", []), "the nodes of <graph>")
    present = edges_of(graph.get("edges", []), "the edges of <graph>")
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    edits: list[JsonValue] = []
    reworded: dict[str, str] = {}
    for change in changes_for(lessons_of(request), [Passage(node.text) for node in nodes], right, coins):
        lesson, place = change.lesson, change.aim.place
        if change.aim.act == "merge" and place is not None:
            unit = nodes[place]
            reworded[unit.id] = f"{reworded.get(unit.id, unit.text)} {lesson.text}"
            edits += _grounded(change, unit.id, unit.type, nodes, present, schema)
            continue
        name = _name(lesson)
        edits.append(_add(name, lesson.type, lesson.text))
        if place is not None and schema.admits(lesson.type, "refines", nodes[place].type):
            edits.append(Edge(name, "refines", nodes[place].id).edit())
        edits += _grounded(change, name, lesson.type, nodes, present, schema)
    return {"edits": [*edits, *(_modify(identifier, text) for identifier, text in reworded.items())]}


def relations_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """Edges between edited nodes and others on the same subject, each seen with probability c(L).

    Raises:
        MalformedRequestError: a block is missing or malformed.
    """
    schema = schema_of(request)
    edited = nodes_of(json_block(request, "edited"), "<edited>")
    candidates = nodes_of(json_block(request, "candidates"), "<candidates>")
    present = edges_of(json_block(request, "incident"), "<incident>")
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    edits: list[JsonValue] = []
    for place, node in enumerate(edited):
        for other in (*candidates, *edited[place + 1 :]):
            if other.id == node.id or any(edge.joins(node.id, other.id) for edge in present):
                continue
            edge = _relation(node, other, schema)
            if edge and coins.comes_true(right, f"relate {edge.source} {edge.relation} {edge.target}"):
                edits.append(edge.edit())
    return {"edits": edits}


def _grounded(
    change: Change, target: str, kind: str, nodes: Sequence[Node], present: Sequence[Edge], schema: Schema
) -> list[JsonValue]:
    """The edits that give unit `target` the ground of its lesson."""
    if change.ground:
        name = f"{_name(change.lesson)}_ground"
        edits = [_add(name, "knowledge", change.ground)]
        if schema.admits("knowledge", "supports", kind):
            edits.append(Edge(name, "supports", target).edit())
        return edits
    if change.grounded_at is None:
        return []
    known = nodes[change.grounded_at]
    edge = Edge(known.id, "supports", target)
    related = known.id == target or edge in present or not schema.admits(known.type, "supports", kind)
    return [] if related else [edge.edit()]


def _relation(node: Node, other: Node, schema: Schema) -> Edge | None:
    """The relation between two nodes on one subject: knowledge supports a norm, the specific refines."""
    if not same_subject(node.reading, other.reading):
        return None
    if {node.type, other.type} == {"knowledge", "norm"}:
        fact, norm = (node, other) if node.type == "knowledge" else (other, node)
        edge = Edge(fact.id, "supports", norm.id)
        return edge if schema.admits("knowledge", "supports", "norm") else None
    specific, general = (other, node) if more_specific(other.reading, node.reading) else (node, other)
    if not schema.admits(specific.type, "refines", general.type):
        return None
    return Edge(specific.id, "refines", general.id)


def _name(lesson: Lesson) -> str:
    return f"new{lesson.number}"


def _add(identifier: str, kind: str, text: str) -> JsonValue:
    return {"op": "AddNode", "id": identifier, "type": kind, "text": text}


def _modify(identifier: str, text: str) -> JsonValue:
    return {"op": "ModifyNode", "id": identifier, "text": text}
