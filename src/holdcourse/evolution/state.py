"""The state (G_t, ℓ_t) that a graph arm carries from batch to batch, with the layout that joins them."""

from __future__ import annotations

from dataclasses import dataclass

from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.layout import Layout, LayoutError
from holdcourse.evolution.schema import NetworkSchema


@dataclass(frozen=True)
class GraphState:
    """Instruction, graph and layout; every node has one span and every span a node."""

    instruction: str
    graph: InstructionGraph
    layout: Layout

    @classmethod
    def load(
        cls, instruction: str, graph_record: object, layout_record: object, schema: NetworkSchema
    ) -> GraphState:
        """Read a stored state from the text of instruction.md and the values of graph.json and layout.json.

        Raises:
            GraphError: the graph is unusable.
            LayoutError: the layout is unusable or does not fit the text or the graph.
        """
        graph = InstructionGraph.from_record(graph_record, schema)
        state = cls(instruction, graph, Layout.from_record(layout_record))
        state.check()
        return state

    def check(self) -> None:
        """Hold that the three belong together.

        Raises:
            LayoutError: the spans do not fit the text, or nodes and spans differ.
        """
        self.layout.check(len(self.instruction))
        nodes, placed = {node.id for node in self.graph.nodes()}, self.layout.nodes()
        if nodes != placed:
            raise LayoutError(
                f"layout: nodes without a span {sorted(nodes - placed)}, spans without a node "
                f"{sorted(placed - nodes)}; graph.json and layout.json must come from the same batch"
            )

    def wording(self, node: str) -> str:
        """The text that stands for a node in the instruction."""
        span = self.layout.span(node)
        return self.instruction[span.start : span.end]
