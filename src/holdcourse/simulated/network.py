"""Graphs and schemas as the maintaining roles find them in their requests."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.blocks import JsonObject, MalformedRequestError, json_block, objects, text_of
from holdcourse.simulated.reading import Reading, read


@dataclass(frozen=True, slots=True)
class Schema:
    """The admissible (source type, relation, target type) triples."""

    triples: frozenset[tuple[str, str, str]]

    def admits(self, source: str, relation: str, target: str) -> bool:
        """Whether a relation may lead from a node of one type to one of another."""
        return (source, relation, target) in self.triples


@dataclass(frozen=True, slots=True)
class Node:
    """A unit of the graph, with its reading."""

    id: str
    type: str
    text: str
    touched: bool

    @property
    def reading(self) -> Reading:
        """What the unit says."""
        return read(self.text)


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two units."""

    source: str
    relation: str
    target: str

    def joins(self, first: str, second: str) -> bool:
        """Whether the edge runs between two nodes, either way."""
        return {self.source, self.target} == {first, second}

    def edit(self) -> JsonValue:
        """The edit that adds this edge."""
        return {"op": "AddEdge", "source": self.source, "relation": self.relation, "target": self.target}


def schema_of(request: ChatRequest) -> Schema:
    """The `<schema>` block.

    Raises:
        MalformedRequestError: it is missing or no list of triples.
    """
    triples: set[tuple[str, str, str]] = set()
    value = json_block(request, "schema")
    for row in value if isinstance(value, list) else [None]:
        if not isinstance(row, list) or len(row) != 3 or not all(isinstance(part, str) for part in row):
            raise MalformedRequestError(
                "<schema> must be a JSON list of [source type, relation, target type]"
            )
        triples.add((str(row[0]), str(row[1]), str(row[2])))
    return Schema(frozenset(triples))


def nodes_of(value: JsonValue, what: str) -> tuple[Node, ...]:
    """Nodes from JSON, in the order given; `what` names the block in an error.

    Raises:
        MalformedRequestError: it is no list of nodes with an id.
    """
    return tuple(_node(row, what) for row in objects(value, what))


def edges_of(value: JsonValue, what: str) -> tuple[Edge, ...]:
    """Edges from JSON, in the order given.

    Raises:
        MalformedRequestError: it is no list of edges.
    """
    rows = objects(value, what)
    return tuple(Edge(text_of(r, "source"), text_of(r, "relation"), text_of(r, "target")) for r in rows)


def _node(row: JsonObject, what: str) -> Node:
    identifier = text_of(row, "id")
    if not identifier:
        raise MalformedRequestError(f"every node of {what} needs an id")
    return Node(identifier, text_of(row, "type"), text_of(row, "text"), row.get("touched") is True)
