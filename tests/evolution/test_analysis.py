"""Structural analysis: its scope, its rounds, its repairs, its tokens."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from holdcourse.evolution.analysis import analyse
from holdcourse.evolution.graph import Edge, InstructionGraph
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.llm.chat import ChatRequest
from holdcourse.llm.replies import read_block


def pairs() -> InstructionGraph:
    """Two chains, n001-n002-n003 and n004-n005, and n006 alone."""
    graph = InstructionGraph()
    for number in range(1, 7):
        graph.add_node("norm", f"rule {number}")
    for source, target in (("n001", "n002"), ("n002", "n003"), ("n004", "n005")):
        graph.add_edge(Edge(source, "sequence", target))
    return graph


def shown(request: ChatRequest) -> dict[str, bool]:
    """Ids in the subgraph of a request, and whether each is marked as touched."""
    subgraph = json.loads(read_block(request.messages[1].content or "", "subgraph"))
    return {node["id"]: node["touched"] for node in subgraph["nodes"]}


def issue(nodes: list[str], *repairs: dict[str, str], kind: str = "contradiction") -> dict[str, object]:
    return {"kind": kind, "nodes": nodes, "why": "both", "repairs": list(repairs)}


def modify(node: str, text: str) -> dict[str, str]:
    return {"op": "ModifyNode", "id": node, "text": text}


NONE = {"issues": []}


def test_one_call_a_component_of_the_neighbourhood(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    ask, model = asking({"analyst": [NONE, NONE]})
    result = analyse(pairs(), ["n001", "n005", "n006"], 1, 3, schema, ask)
    assert [shown(request) for request in model.requests] == [
        {"n001": True, "n002": False},
        {"n004": False, "n005": True},
    ]
    assert result.graph == pairs()
    assert result.verification_tokens == 2 * 110
    assert [part.nodes for part in result.rounds[0]] == [("n001", "n002"), ("n004", "n005")]


def test_edges_of_the_subgraph_stay_within_it(asking: Callable[..., tuple], schema: NetworkSchema) -> None:
    ask, model = asking({"analyst": [NONE]})
    analyse(pairs(), ["n001"], 1, 1, schema, ask)
    content = model.requests[0].messages[1].content or ""
    assert json.loads(read_block(content, "subgraph"))["edges"] == [
        {"source": "n001", "relation": "sequence", "target": "n002"}
    ]


def test_a_second_round_looks_only_at_what_the_repairs_touched(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    first = {"issues": [issue(["n001", "n002"], modify("n001", "rule 1, unless 2"))]}
    ask, model = asking({"analyst": [first, NONE, NONE]})
    result = analyse(pairs(), ["n002", "n004"], 1, 3, schema, ask)
    assert [shown(request) for request in model.requests] == [
        {"n001": False, "n002": True, "n003": False},
        {"n004": True, "n005": False},
        {"n001": True, "n002": False},
    ]
    assert result.graph.node("n001").text == "rule 1, unless 2"
    assert len(result.rounds) == 2


def test_rounds_are_bounded(asking: Callable[..., tuple], schema: NetworkSchema) -> None:
    replies = [{"issues": [issue(["n001", "n002"], modify("n001", f"text {n}"))]} for n in range(2)]
    ask, _ = asking({"analyst": replies})
    result = analyse(pairs(), ["n001"], 1, 2, schema, ask)
    assert result.graph.node("n001").text == "text 1"
    assert result.count("contradiction") == 2
    assert result.count("redundancy") == 0


def test_no_rounds_ask_nobody(asking: Callable[..., tuple], schema: NetworkSchema) -> None:
    ask, model = asking({})
    result = analyse(pairs(), ["n001"], 1, 0, schema, ask)
    assert (result.graph, result.verification_tokens, model.requests) == (pairs(), 0, [])


def test_a_redundancy_can_be_merged_into_a_new_unit(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    merge = issue(
        ["n002", "n003"],
        {"op": "AddNode", "id": "new1", "type": "norm", "text": "rules 2 and 3"},
        {"op": "RemoveNode", "id": "n002"},
        {"op": "RemoveNode", "id": "n003"},
        {"op": "AddEdge", "source": "n001", "relation": "sequence", "target": "new1"},
        kind="redundancy",
    )
    ask, _ = asking({"analyst": [{"issues": [merge]}, NONE]})
    result = analyse(pairs(), ["n002"], 1, 2, schema, ask)
    assert [node.id for node in result.graph.nodes()] == ["n001", "n004", "n005", "n006", "n007"]
    assert Edge("n001", "sequence", "n007") in result.graph.edges()


@pytest.mark.parametrize(
    ("repair", "reason"),
    [
        (modify("n006", "x"), "n006 was not shown"),
        ({"op": "AddEdge", "source": "n001", "relation": "sequence", "target": "n004"}, "n004 was not shown"),
        ({"op": "AddEdge", "source": "n003", "relation": "sequence", "target": "n001"}, "close a cycle"),
        ({"op": "AddEdge", "source": "n001", "relation": "supports", "target": "n003"}, "admits no"),
        ({"op": "Merge"}, "unknown op"),
    ],
)
def test_a_repair_that_breaks_scope_or_schema_is_refused(
    repair: dict[str, str], reason: str, asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    reply = {"issues": [issue(["n001", "n002"], repair, modify("n001", "better"))]}
    ask, _ = asking({"analyst": [reply]})
    result = analyse(pairs(), ["n002"], 1, 1, schema, ask)
    (found,) = result.rounds[0][0].issues
    assert reason in found.refused[0].reason
    assert result.graph.node("n001").text == "better"


def test_adding_a_node_under_a_foreign_id_opens_no_way_to_that_node(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    repairs = (
        {"op": "AddNode", "id": "n006", "type": "norm", "text": "x"},
        {"op": "RemoveNode", "id": "n006"},
    )
    ask, _ = asking({"analyst": [{"issues": [issue(["n001", "n002"], *repairs)]}]})
    assert "n006" in analyse(pairs(), ["n001"], 1, 1, schema, ask).graph


@pytest.mark.parametrize("nodes", [["n001"], ["n001", "n001"], ["n001", "n006"], []])
def test_an_issue_must_name_two_units_of_its_part(
    nodes: list[str], asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    ask, _ = asking({"analyst": [{"issues": [issue(nodes, modify("n001", "x"))]}]})
    result = analyse(pairs(), ["n001"], 1, 1, schema, ask)
    assert result.graph == pairs()
    assert "dropped" in result.rounds[0][0].notes[0]


def test_a_reply_that_cannot_be_read_leaves_its_part_and_is_paid_for(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    second = {"issues": [issue(["n004", "n005"], modify("n004", "x"))]}
    ask, _ = asking({"analyst": ["?", "?", second]})
    result = analyse(pairs(), ["n001", "n004"], 1, 1, schema, ask)
    assert result.rounds[0][0].unparsed
    assert result.graph.node("n004").text == "x"
    assert result.verification_tokens == 3 * 110
