"""Typed edits: reading them, applying them, refusing them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from holdcourse.evolution.edits import (
    AddEdge,
    AddNode,
    Edit,
    EditError,
    ModifyNode,
    RemoveEdge,
    RemoveNode,
    apply_edits,
    edit_record,
    parse_edit,
    parse_edits,
)
from holdcourse.evolution.graph import Edge, InstructionGraph
from holdcourse.evolution.schema import NODE_TYPES, RELATIONS, NetworkSchema


def small() -> InstructionGraph:
    """Knowledge n001 supports norm n002; n002 before n003 before n004; identity n005 alone."""
    graph = InstructionGraph()
    for type_, text in (
        ("knowledge", "A paid bill lifts the block."),
        ("norm", "Check the bill."),
        ("norm", "Send the request."),
        ("norm", "Resume the line."),
        ("identity", "You are an agent."),
    ):
        graph.add_node(type_, text)  # type: ignore[arg-type]
    graph.add_edge(Edge("n001", "supports", "n002"))
    graph.add_edge(Edge("n002", "sequence", "n003"))
    graph.add_edge(Edge("n003", "sequence", "n004"))
    return graph


def test_every_kind_of_edit_is_applied(schema: NetworkSchema) -> None:
    edits = (
        AddNode("new1", "norm", " Reboot the phone. "),
        AddEdge("n004", "sequence", "new1"),
        ModifyNode("n002", "Check the bill first."),
        RemoveEdge("n001", "supports", "n002"),
        RemoveNode("n005"),
    )
    result = apply_edits(small(), edits, schema)
    assert result.refused == ()
    assert [(node.id, node.text) for node in result.graph.nodes()] == [
        ("n001", "A paid bill lifts the block."),
        ("n002", "Check the bill first."),
        ("n003", "Send the request."),
        ("n004", "Resume the line."),
        ("n006", "Reboot the phone."),
    ]
    assert Edge("n004", "sequence", "n006") in result.graph.edges()
    assert result.ids == {"new1": "n006"}
    assert result.edited == ("n002", "n006")
    assert result.touched == ("n001", "n002", "n004", "n006")
    assert AddEdge("n004", "sequence", "n006") in result.applied


def test_an_edge_may_stand_before_the_node_it_leads_to(schema: NetworkSchema) -> None:
    edits = (AddEdge("new1", "refines", "n002"), AddNode("new1", "norm", "Check the amount too."))
    assert apply_edits(small(), edits, schema).refused == ()


def test_the_neighbours_of_a_removed_node_are_touched(schema: NetworkSchema) -> None:
    result = apply_edits(small(), (RemoveNode("n003"),), schema)
    assert result.touched == ("n002", "n004")
    assert result.edited == ()
    assert result.graph.edges() == (Edge("n001", "supports", "n002"),)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (AddNode("new1", "norm", " \n"), "text is empty"),
        (AddNode("n009", "norm", "x"), "needs a temporary id"),
        (AddNode("", "norm", "x"), "needs a temporary id"),
        (ModifyNode("n009", "x"), "no node n009"),
        (ModifyNode("n002", " "), "text is empty"),
        (ModifyNode("n002", "Check the bill. "), "has already"),
        (RemoveNode("n009"), "no node n009"),
        (AddEdge("n001", "supports", "n009"), "no node n009"),
        (AddEdge("n002", "refines", "n002"), "related to itself"),
        (AddEdge("n002", "supports", "n001"), "admits no (norm, supports, knowledge)"),
        (AddEdge("n001", "supports", "n002"), "exists already"),
        (AddEdge("n004", "sequence", "n002"), "close a cycle of sequence"),
        (RemoveEdge("n001", "supports", "n003"), "no such edge"),
    ],
)
def test_a_bad_edit_is_refused_and_the_rest_go_on(edit: Edit, reason: str, schema: NetworkSchema) -> None:
    result = apply_edits(small(), (edit, ModifyNode("n004", "Resume it.")), schema)
    (refusal,) = result.refused
    assert reason in refusal.reason
    assert refusal.edit == edit_record(edit)
    assert result.applied == (ModifyNode("n004", "Resume it."),)
    assert result.touched == ("n004",)


def test_a_temporary_id_serves_once(schema: NetworkSchema) -> None:
    edits = (AddNode("new1", "norm", "x"), AddNode("new1", "norm", "y"))
    result = apply_edits(small(), edits, schema)
    assert "taken" in result.refused[0].reason
    assert result.graph.node("n006").text == "x"


def test_a_removed_node_can_be_edited_no_more(schema: NetworkSchema) -> None:
    result = apply_edits(small(), (RemoveNode("n003"), ModifyNode("n003", "x")), schema)
    assert [refusal.reason for refusal in result.refused] == ["there is no node n003"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("AddNode", "JSON object"),
        ({"op": "MergeNodes"}, "unknown op 'MergeNodes'"),
        ({"op": ["AddNode"]}, "unknown op"),
        ({"op": "AddNode", "id": "new1", "type": "norm"}, "text is missing"),
        ({"op": "ModifyNode", "id": 12, "text": "x"}, "id is a int"),
        ({"op": "AddNode", "id": "new1", "type": "rule", "text": "x"}, "unknown type 'rule'"),
        ({"op": "AddEdge", "source": "n001", "relation": "causes", "target": "n002"}, "unknown relation"),
    ],
)
def test_what_is_no_edit_is_named(value: JsonValue, message: str) -> None:
    with pytest.raises(EditError, match=message):
        parse_edit(value)
    assert parse_edits([value, {"op": "RemoveNode", "id": "n001", "why": "x"}])[0] == (RemoveNode("n001"),)


NAMES = st.sampled_from([f"n{number:03d}" for number in range(1, 9)] + ["new1", "new2", "new3", ""])
TEXTS = st.sampled_from(["", " ", "Check.", "Check the bill.", "größer\r\n\U0001f600"]) | st.text(max_size=5)
EDITS = st.one_of(
    st.builds(AddNode, NAMES, st.sampled_from(NODE_TYPES), TEXTS),
    st.builds(ModifyNode, NAMES, TEXTS),
    st.builds(RemoveNode, NAMES),
    st.builds(AddEdge, NAMES, st.sampled_from(RELATIONS), NAMES),
    st.builds(RemoveEdge, NAMES, st.sampled_from(RELATIONS), NAMES),
)
BATCHES = st.lists(st.lists(EDITS, max_size=12), max_size=4)


@given(EDITS)
def test_an_edit_survives_its_record(edit: Edit) -> None:
    assert parse_edit(edit_record(edit)) == edit


@given(BATCHES)
def test_any_edits_leave_a_graph_that_keeps_to_the_schema(
    schema: NetworkSchema, batches: list[list[Edit]]
) -> None:
    graph = small()
    for edits in batches:
        result = apply_edits(graph, edits, schema)
        assert len(result.applied) + len(result.refused) == len(edits)
        assert set(result.edited) <= set(result.touched) <= {node.id for node in result.graph.nodes()}
        graph = result.graph
    assert InstructionGraph.from_record(graph.to_record(), schema) == graph


@given(BATCHES)
def test_the_same_edits_give_the_same_bytes_and_leave_the_graph_alone(
    schema: NetworkSchema, batches: list[list[Edit]]
) -> None:
    graph = small()
    for edits in batches:
        before = graph.canonical()
        first, second = apply_edits(graph, edits, schema), apply_edits(graph, edits, schema)
        assert first.graph.canonical() == second.graph.canonical()
        assert (first.applied, first.refused, first.ids) == (second.applied, second.refused, second.ids)
        assert graph.canonical() == before
        graph = first.graph


@given(BATCHES)
def test_no_id_is_given_twice(schema: NetworkSchema, batches: list[list[Edit]]) -> None:
    graph, given_out = small(), {node.id for node in small().nodes()}
    for edits in batches:
        result = apply_edits(graph, edits, schema)
        new = set(result.ids.values())
        assert len(new) == len(result.ids)
        assert given_out.isdisjoint(new)
        given_out |= new
        graph = result.graph
