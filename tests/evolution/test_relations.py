"""Relation maintenance: what is shown and which edits count."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from holdcourse.evolution.edits import AddEdge
from holdcourse.evolution.graph import Edge, InstructionGraph
from holdcourse.evolution.relations import candidate_nodes, review_relations
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.llm.replies import read_block


def bills() -> InstructionGraph:
    graph = InstructionGraph()
    for text in (
        "Check roaming abroad.",
        "Check the bill.",
        "Send the bill.",
        "Reboot.",
        "Greet the customer.",
    ):
        graph.add_node("norm", text)
    graph.add_edge(Edge("n001", "sequence", "n004"))
    return graph


def test_candidates_are_neighbours_and_the_lexically_nearest() -> None:
    assert candidate_nodes(bills(), ["n001"], 1) == ("n002", "n004")
    assert candidate_nodes(bills(), ["n002", "n003"], 0) == ()
    assert candidate_nodes(bills(), ["n004"], 3) == ("n001",)


def test_the_request_shows_edited_incident_and_candidates(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    ask, model = asking({"relations": [{"edits": []}]})
    review_relations(bills(), ["n001"], 1, schema, ask)
    content = model.requests[0].messages[1].content or ""
    assert json.loads(read_block(content, "edited")) == [
        {"id": "n001", "type": "norm", "text": "Check roaming abroad."}
    ]
    assert json.loads(read_block(content, "incident")) == [
        {"source": "n001", "relation": "sequence", "target": "n004"}
    ]
    assert [node["id"] for node in json.loads(read_block(content, "candidates"))] == ["n002", "n004"]


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"op": "RemoveNode", "id": "n001"}, "edits relations only"),
        ({"op": "AddEdge", "source": "n002", "relation": "sequence", "target": "n004"}, "neither end"),
        ({"op": "AddEdge", "source": "n001", "relation": "sequence", "target": "n005"}, "n005 was not shown"),
        ({"op": "Link"}, "unknown op"),
    ],
)
def test_edits_beyond_its_task_are_refused(
    edit: dict[str, str], reason: str, asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    good = {"op": "AddEdge", "source": "n002", "relation": "sequence", "target": "n001"}
    ask, _ = asking({"relations": [{"edits": [edit, good]}]})
    proposal = review_relations(bills(), ["n001"], 1, schema, ask)
    assert proposal.edits == (AddEdge("n002", "sequence", "n001"),)
    (refusal,) = proposal.refused
    assert reason in refusal.reason


@pytest.mark.parametrize(("edited", "candidates"), [([], 5), (["n005"], 0)])
def test_nobody_is_asked_when_there_is_nothing_to_relate(
    edited: list[str], candidates: int, asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    ask, model = asking({})
    assert review_relations(bills(), edited, candidates, schema, ask).edits == ()
    assert model.requests == []
