"""The graph as data: from every standing exactly one way leads on, and the drawing shows the same edges."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.recovery import graph
from holdcourse.recovery.drawing import CENTRES, LABELS, dot, lines, svg
from holdcourse.recovery.graph import EDGES, PLACES, Standing, listing, route
from holdcourse.recovery.nodes import ACTIONS, NODES

STANDINGS = st.builds(
    Standing,
    step=st.integers(1, 5),
    verdicts=st.lists(st.booleans(), min_size=1, max_size=5).map(tuple),
    streak=st.integers(1, 4),
    wrote=st.booleans(),
    action=st.sampled_from(ACTIONS),
    answered=st.booleans(),
    steps_left=st.integers(0, 2),
)


@given(st.sampled_from(NODES), STANDINGS)
def test_exactly_one_edge_leads_on_from_each_node(node: graph.Place, standing: Standing) -> None:
    edge = route(node, standing)
    assert edge.source == node
    assert edge.safety == (edge.target == "escalate" and (not standing.answered or node != "n5"))


@given(st.sampled_from(NODES), STANDINGS)
def test_going_back_always_leads_to_n1_and_never_before_the_first_step(
    node: graph.Place, standing: Standing
) -> None:
    edge = route(node, standing)
    assert not edge.back or (edge.target == "n1" and standing.step > 1)


def test_the_ends_lead_nowhere() -> None:
    assert {edge.source for edge in EDGES}.isdisjoint({"rollback", "escalate"})
    with pytest.raises(ValueError, match="0 edges lead on from rollback"):
        route("rollback", Standing(1, (True,), 2))


def test_the_listing_names_every_node_and_every_edge() -> None:
    told = listing().splitlines()
    assert len(told) == len(NODES) + len(EDGES)
    assert "n1  classify_drift" in told
    assert "n1 -> n2: is_aligned = N" in told
    assert "n2 -> n1: no write, k > 1  (k := k - 1)" in told


def test_the_drawing_is_made_of_the_edges() -> None:
    drawn = {(line.source, line.target) for line in lines()}
    assert drawn == {(edge.source, edge.target) for edge in EDGES if not edge.safety}
    assert set(CENTRES) == set(LABELS) == set(PLACES)
    root = ET.fromstring(svg())
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"n1", "classify_drift", "last K all Y", "call a human"} <= set(texts)
    assert sum(text in {*NODES} for text in texts) == 5


def test_dot_has_a_line_an_edge_and_dashes_the_safety_edges() -> None:
    rows = [row for row in dot().splitlines() if "->" in row]
    assert len(rows) == len(EDGES)
    assert sum("dashed" in row for row in rows) == sum(edge.safety for edge in EDGES)


@pytest.mark.parametrize(("name", "made"), [("recovery-graph.svg", svg), ("recovery-graph.dot", dot)])
def test_the_drawing_in_the_documents_is_up_to_date(name: str, made: object) -> None:
    stored = Path(__file__).parents[2] / "docs" / "figures" / name
    hint = "python -m holdcourse.recovery.drawing docs/figures"
    assert stored.read_text(encoding="utf-8") == made(), hint  # type: ignore[operator]
