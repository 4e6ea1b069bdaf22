"""The instruction graph: ids, canonical JSON, neighbourhoods, loading."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from holdcourse import files
from holdcourse.evolution.graph import Edge, GraphError, InstructionGraph
from holdcourse.evolution.schema import NetworkSchema


def chain(length: int) -> InstructionGraph:
    """n001 before n002 before … in sequence."""
    graph = InstructionGraph()
    for number in range(1, length + 1):
        graph.add_node("norm", f"step {number}")
    for number in range(1, length):
        graph.add_edge(Edge(f"n{number:03d}", "sequence", f"n{number + 1:03d}"))
    return graph


def test_ids_are_given_once_and_never_again() -> None:
    graph = InstructionGraph()
    assert [graph.add_node("norm", text) for text in "abc"] == ["n001", "n002", "n003"]
    graph.remove_node("n003")
    assert graph.add_node("norm", "d") == "n004"


def test_the_counter_survives_storing(schema: NetworkSchema) -> None:
    graph = InstructionGraph()
    graph.add_node("norm", "a")
    graph.remove_node(graph.add_node("norm", "b"))
    again = InstructionGraph.from_record(json.loads(graph.canonical()), schema)
    assert again == graph
    assert again.add_node("norm", "c") == "n003"


def test_nodes_are_in_order_of_their_numbers_beyond_three_digits() -> None:
    graph = InstructionGraph()
    for number in range(1001):
        graph.add_node("norm", f"unit {number}")
    assert [node.id for node in graph.nodes()][-3:] == ["n999", "n1000", "n1001"]


def test_the_order_of_insertion_leaves_no_trace() -> None:
    edges = (
        Edge("n001", "supports", "n003"),
        Edge("n002", "supports", "n003"),
        Edge("n003", "refines", "n004"),
    )
    texts = set()
    for order in permutations(edges):
        graph = InstructionGraph()
        for type_ in ("knowledge", "knowledge", "norm", "norm"):
            graph.add_node(type_, "text")
        for edge in order:
            graph.add_edge(edge)
        texts.add(graph.canonical())
    assert len(texts) == 1


def test_canonical_text_is_what_write_json_writes(tmp_path: object) -> None:
    graph = chain(3)
    graph.modify_node("n002", "größer – \U0001f600")
    path = files.Path(str(tmp_path)) / "graph.json"
    files.write_json(path, graph.to_record())
    assert path.read_bytes() == graph.canonical().encode()


def test_removing_a_node_removes_its_edges() -> None:
    graph = chain(3)
    graph.remove_node("n002")
    assert graph.edges() == ()


def test_a_copy_is_independent() -> None:
    graph = chain(2)
    other = graph.copy()
    other.modify_node("n001", "else")
    other.remove_edge(Edge("n001", "sequence", "n002"))
    assert graph == chain(2)


@pytest.mark.parametrize(
    ("touched", "radius", "expected"),
    [
        (["n003"], 0, ["n003"]),
        (["n003"], 1, ["n002", "n003", "n004"]),
        (["n003"], 2, ["n001", "n002", "n003", "n004", "n005"]),
        (["n001", "n005"], 1, ["n001", "n002", "n004", "n005"]),
        ([], 3, []),
    ],
)
def test_neighbourhood_goes_along_edges_in_both_directions(
    touched: list[str], radius: int, expected: list[str]
) -> None:
    assert list(chain(5).neighbourhood(touched, radius)) == expected


def test_neighbourhood_crosses_all_relations() -> None:
    graph = InstructionGraph()
    for type_ in ("knowledge", "norm", "norm", "norm", "norm"):
        graph.add_node(type_, "text")
    graph.add_edge(Edge("n001", "supports", "n002"))
    graph.add_edge(Edge("n003", "refines", "n002"))
    graph.add_edge(Edge("n002", "sequence", "n004"))
    assert graph.neighbourhood(["n002"], 1) == ("n001", "n002", "n003", "n004")


def test_components_split_what_hangs_together() -> None:
    graph = chain(5)
    assert graph.components(["n005", "n001", "n002", "n004"]) == (("n001", "n002"), ("n004", "n005"))


def record(**changes: object) -> dict[str, object]:
    """A stored graph of knowledge n001 supporting norm n002, with changes."""
    stored: dict[str, object] = {
        "schema_version": 1,
        "next_id": 4,
        "nodes": [
            {"id": "n001", "type": "knowledge", "text": "a"},
            {"id": "n002", "type": "norm", "text": "b"},
            {"id": "n003", "type": "norm", "text": "c"},
        ],
        "edges": [{"source": "n001", "relation": "supports", "target": "n002"}],
    }
    return stored | changes


def edge(source: str, relation: str, target: str) -> dict[str, str]:
    return {"source": source, "relation": relation, "target": target}


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ([], "valid dictionary"),
        (record(schema_version=2), "schema_version is 2"),
        (record(next_id="4"), "next_id"),
        (record(next_id=3), "n003 is not below the counter"),
        (record(nodes=[{"id": "n001", "type": "rule", "text": "a"}]), "nodes.0.type"),
        (record(nodes=[{"id": "n1", "type": "norm", "text": "a"}], edges=[]), "'n1' is not of the form"),
        (record(nodes=[{"id": "n0001", "type": "norm", "text": "a"}], edges=[]), "'n0001' is not of"),
        (record(nodes=[{"id": "n001", "type": "norm", "text": " "}], edges=[]), "n001 has no text"),
        (record(nodes=[{"id": "n001", "type": "norm", "text": "a"}] * 2, edges=[]), "n001 stands twice"),
        (record(edges=[edge("n001", "supports", "n009")]), "there is no node n009"),
        (record(edges=[edge("n001", "causes", "n002")]), "edges.0.relation"),
        (record(edges=[edge("n002", "supports", "n001")]), r"admits no \(norm, supports, knowledge\)"),
        (record(edges=[edge("n002", "refines", "n002")]), "related to itself"),
        (record(edges=[edge("n001", "supports", "n002")] * 2), "exists already"),
        (record(edges=[edge("n002", "sequence", "n003"), edge("n003", "sequence", "n002")]), "close a cycle"),
        (record(colour="red"), "colour"),
    ],
)
def test_a_bad_file_is_refused_by_name(stored: object, message: str, schema: NetworkSchema) -> None:
    with pytest.raises(GraphError, match=message):
        InstructionGraph.from_record(stored, schema)
