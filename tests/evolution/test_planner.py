"""Planning: what the planner sees and what is read from its reply."""

from __future__ import annotations

import json
from collections.abc import Callable

from holdcourse.evolution.edits import RemoveNode
from holdcourse.evolution.graph import Edge, InstructionGraph
from holdcourse.evolution.observation import Lesson, Observation
from holdcourse.evolution.planner import plan
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.llm.replies import read_block


def test_the_planner_sees_graph_schema_and_lessons(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    graph = InstructionGraph()
    graph.add_node("knowledge", "größer")
    graph.add_node("norm", "Check.")
    graph.add_edge(Edge("n001", "supports", "n002"))
    observation = Observation((Lesson("Reboot.", "norm", "why", ("mms_issue",), (2,)),))
    ask, model = asking({"planner": [{"edits": [{"op": "RemoveNode", "id": "n001"}, 7]}]})
    proposal = plan(graph, observation, schema, ask)
    content = model.requests[0].messages[1].content or ""
    assert json.loads(read_block(content, "graph")) == {
        "nodes": [
            {"id": "n001", "type": "knowledge", "text": "größer"},
            {"id": "n002", "type": "norm", "text": "Check."},
        ],
        "edges": [{"source": "n001", "relation": "supports", "target": "n002"}],
    }
    assert json.loads(read_block(content, "schema")) == schema.triples()
    assert json.loads(read_block(content, "observation")) == observation.to_record()
    assert proposal.edits == (RemoveNode("n001"),)
    assert proposal.refused[0].edit == 7
