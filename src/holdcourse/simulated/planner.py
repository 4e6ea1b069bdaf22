"""The simulated planner and relation keeper: lessons become typed edits of the graph."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig
from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.aim import aim_well
from holdcourse.simulated.blocks import JsonObject, json_block, object_block
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.competence import competence
from holdcourse.simulated.judgement import more_specific, same_subject, states
from holdcourse.simulated.network import Edge, Node, Schema, edges_of, nodes_of, schema_of
from holdcourse.simulated.observation import Lesson, lessons_of
from holdcourse.simulated.reading import read


def planner_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """Edits that work each lesson in: aimed well with probability c(L), else a plain addition.

    Raises:
        MalformedRequestError: a block is missing or malformed.
    """
    schema = schema_of(request)
    nodes = nodes_of(object_block(request, "graph").get("nodes", []), "the nodes of <graph>")
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    edits: list[JsonValue] = []
    for lesson in lessons_of(request):
        if coins.comes_true(right, f"aim {lesson.number}"):
            edits += _aimed(lesson, nodes, schema)
        else:
            edits.append(_add(_name(lesson), lesson.type, lesson.text))
    return {"edits": edits}


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


def _aimed(lesson: Lesson, nodes: Sequence[Node], schema: Schema) -> list[JsonValue]:
    aim = aim_well(lesson.reading, [node.reading for node in nodes])
    if aim.act == "skip":
        return []
    if aim.act == "merge" and aim.place is not None:
        unit = nodes[aim.place]
        return [{"op": "ModifyNode", "id": unit.id, "text": f"{unit.text} {lesson.text}"}]
    name = _name(lesson)
    edits = [_add(name, lesson.type, lesson.text)]
    if aim.place is not None and schema.admits(lesson.type, "refines", nodes[aim.place].type):
        edits.append(Edge(name, "refines", nodes[aim.place].id).edit())
    if lesson.because and schema.admits("knowledge", "supports", lesson.type):
        ground = read(lesson.because)
        known = next((n for n in nodes if n.type == "knowledge" and states(n.reading, ground)), None)
        if known is None:
            edits.append(_add(f"{name}_ground", "knowledge", lesson.because))
        edits.append(Edge(known.id if known else f"{name}_ground", "supports", name).edit())
    return edits


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
