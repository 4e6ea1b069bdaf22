"""The layout, and the state it belongs to."""

from __future__ import annotations

import pytest

from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.layout import Layout, LayoutError, Span
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.state import GraphState


def test_a_layout_survives_its_record() -> None:
    layout = Layout.of([Span("n002", 5, 9), Span("n001", 0, 5)])
    assert layout.spans[0].node == "n001"
    assert Layout.from_record(layout.to_record()) == layout
    layout.check(9)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([Span("n001", 3, 3)], "empty or reversed"),
        ([Span("n001", 5, 3)], "empty or reversed"),
        ([Span("n001", -1, 3)], "starts before 0"),
        ([Span("n001", 0, 5), Span("n002", 4, 6)], "starts before 5"),
        ([Span("n001", 5, 7), Span("n002", 0, 2)], "starts before 7"),
        ([Span("n001", 5, 11)], "beyond the text, which has 10"),
        ([Span("n001", 0, 1), Span("n001", 1, 2)], "second span of n001"),
    ],
)
def test_a_broken_invariant_is_named(spans: list[Span], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        Layout(tuple(spans)).check(10)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (None, "valid dictionary"),
        ({"schema_version": 2, "spans": []}, "schema_version is 2"),
        ({"schema_version": 1, "spans": [{"node": "n001", "start": 0.5, "end": 1}]}, "spans.0.start"),
    ],
)
def test_a_bad_file_is_refused(record: object, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        Layout.from_record(record)


def test_graph_and_layout_of_different_batches_are_told_apart(schema: NetworkSchema) -> None:
    graph = InstructionGraph()
    graph.add_node("norm", "Check.")
    layout = Layout((Span("n002", 0, 6),))
    with pytest.raises(LayoutError, match=r"without a span \['n001'\], spans without a node \['n002'\]"):
        GraphState.load("Check.", graph.to_record(), layout.to_record(), schema)


def test_a_state_is_read_back_and_gives_wordings(schema: NetworkSchema) -> None:
    graph = InstructionGraph()
    graph.add_node("norm", "Check it.")
    layout = Layout((Span("n001", 2, 8),))
    state = GraphState.load("- Check.\n", graph.to_record(), layout.to_record(), schema)
    assert state.wording("n001") == "Check."
    with pytest.raises(KeyError):
        state.layout.span("n002")
