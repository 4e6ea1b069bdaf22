"""The typed semantic graph G_t behind an instruction (GRACE §2.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

import networkx as nx
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from holdcourse.config.schema import NodeType, Relation
from holdcourse.errors import HoldcourseError
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.llm.problems import in_words

SCHEMA_VERSION = 1

STABLE_ID = re.compile(r"n([0-9]{3,})")


class GraphError(HoldcourseError):
    """A stored graph cannot be used; the message says which entry and why."""


@dataclass(frozen=True, slots=True)
class Node:
    """One atomic unit of the instruction."""

    id: str
    type: NodeType
    text: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed relation between two nodes."""

    source: str
    relation: Relation
    target: str


class _StoredNode(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    type: NodeType
    text: str


class _StoredEdge(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    source: str
    relation: Relation
    target: str


class _StoredGraph(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_version: int
    next_id: int
    nodes: list[_StoredNode]
    edges: list[_StoredEdge]


class InstructionGraph:
    """Nodes identity, norm and knowledge; edges supports, refines and sequence.

    Ids (n001, n002, …) come from a counter kept in the graph, so that a removed node's id is never
    given to another. The graph holds what it is told; `edits.apply_edits` decides what may be told.
    """

    def __init__(self) -> None:
        self._graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        self._next_id = 1

    def add_node(self, type_: NodeType, text: str) -> str:
        """Add a node and return its new id."""
        node_id = f"n{self._next_id:03d}"
        self._next_id += 1
        self._graph.add_node(node_id, node=Node(node_id, type_, text))
        return node_id

    def modify_node(self, node_id: str, text: str) -> None:
        """Give a node another text; its type and edges stay."""
        self._graph.nodes[node_id]["node"] = Node(node_id, self.node(node_id).type, text)

    def remove_node(self, node_id: str) -> None:
        """Remove a node and every edge at it."""
        self._graph.remove_node(node_id)

    def add_edge(self, edge: Edge) -> None:
        """Add an edge between two nodes of the graph."""
        self._graph.add_edge(edge.source, edge.target, key=edge.relation)

    def remove_edge(self, edge: Edge) -> None:
        """Remove an edge of the graph."""
        self._graph.remove_edge(edge.source, edge.target, key=edge.relation)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._graph

    def __len__(self) -> int:
        return len(self._graph)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InstructionGraph) and self.to_record() == other.to_record()

    __hash__ = None  # type: ignore[assignment]  # a graph changes, so it must not be a key

    def copy(self) -> InstructionGraph:
        """A graph of its own with the same nodes, edges and counter."""
        other = InstructionGraph()
        other._graph = self._graph.copy()
        other._next_id = self._next_id
        return other

    def node(self, node_id: str) -> Node:
        """The node with this id (KeyError when there is none)."""
        node: Node = self._graph.nodes[node_id]["node"]
        return node

    def nodes(self) -> tuple[Node, ...]:
        """All nodes, by id."""
        return tuple(self.node(node_id) for node_id in by_id(self._graph))

    def edges(self) -> tuple[Edge, ...]:
        """All edges, by source, relation and target."""
        return _in_order(Edge(source, key, target) for source, target, key in self._graph.edges(keys=True))

    def has_edge(self, edge: Edge) -> bool:
        """Whether this very edge exists."""
        return bool(self._graph.has_edge(edge.source, edge.target, key=edge.relation))

    def edges_at(self, node_ids: Iterable[str]) -> tuple[Edge, ...]:
        """The edges with at least one end in `node_ids`."""
        chosen = set(node_ids)
        return tuple(edge for edge in self.edges() if edge.source in chosen or edge.target in chosen)

    def edges_within(self, node_ids: Iterable[str]) -> tuple[Edge, ...]:
        """The edges with both ends in `node_ids`."""
        chosen = set(node_ids)
        return tuple(edge for edge in self.edges() if edge.source in chosen and edge.target in chosen)

    def neighbours(self, node_id: str) -> tuple[str, ...]:
        """The nodes one edge away, whatever its relation and direction."""
        return by_id({*self._graph.predecessors(node_id), *self._graph.successors(node_id)} - {node_id})

    def neighbourhood(self, touched: Iterable[str], radius: int) -> tuple[str, ...]:
        """N_k of GRACE §2.2: the nodes within `radius` edges, undirected, of any touched node.

        Raises:
            KeyError: a touched node is not in the graph.
        """
        reached = set(touched)
        for node_id in reached:
            self.node(node_id)
        border = reached
        for _ in range(radius):
            border = {near for node_id in border for near in self.neighbours(node_id)} - reached
            reached = reached | border
        return by_id(reached)

    def components(self, node_ids: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """The connected components among `node_ids`, ordered by their first id."""
        undirected = self._graph.subgraph(set(node_ids)).to_undirected(as_view=True)
        parts = [by_id(part) for part in nx.connected_components(undirected)]
        return tuple(sorted(parts, key=lambda part: id_number(part[0])))

    def closes_cycle(self, edge: Edge) -> bool:
        """Whether the edge would close a cycle of edges of its own relation."""
        reached, border = {edge.target}, [edge.target]
        while border:
            here = border.pop()
            for _, follower, relation in self._graph.out_edges(here, keys=True):
                if relation == edge.relation and follower not in reached:
                    reached.add(follower)
                    border.append(follower)
        return edge.source in reached

    def to_record(self) -> dict[str, JsonValue]:
        """The graph as JSON, the same for the same graph whatever the order of insertion."""
        return {
            "schema_version": SCHEMA_VERSION,
            "next_id": self._next_id,
            "nodes": [asdict(node) for node in self.nodes()],
            "edges": [asdict(edge) for edge in self.edges()],
        }

    def canonical(self) -> str:
        """The text of graph.json: the bytes `files.write_json` writes for `to_record`."""
        return json.dumps(self.to_record(), sort_keys=True, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_record(cls, value: object, schema: NetworkSchema) -> InstructionGraph:
        """Read what `to_record` wrote.

        Raises:
            GraphError: another schema version, a wrong shape, an unknown type or relation, a bad or
                repeated id, an empty text, a dangling, repeated, inadmissible or cyclic edge.
        """
        if isinstance(value, dict) and value.get("schema_version", SCHEMA_VERSION) != SCHEMA_VERSION:
            raise GraphError(
                f"graph: schema_version is {value['schema_version']!r}, this version reads {SCHEMA_VERSION}; "
                "remove the graph and rerun its batch"
            )
        try:
            stored = _StoredGraph.model_validate(value)
        except ValidationError as error:
            raise GraphError(f"graph: {in_words(error)}; remove the graph and rerun its batch") from None
        graph = cls()
        graph._next_id = stored.next_id
        for node in stored.nodes:
            graph._restore_node(Node(node.id, node.type, node.text))
        for edge in stored.edges:
            graph._restore_edge(Edge(edge.source, edge.relation, edge.target), schema)
        return graph

    def _restore_node(self, node: Node) -> None:
        if not STABLE_ID.fullmatch(node.id) or node.id != f"n{id_number(node.id):03d}":
            raise GraphError(f"graph: node id {node.id!r} is not of the form n001")
        if id_number(node.id) >= self._next_id:
            raise GraphError(f"graph: node {node.id} is not below the counter next_id={self._next_id}")
        if node.id in self:
            raise GraphError(f"graph: node {node.id} stands twice; ids must be unique")
        if not node.text.strip():
            raise GraphError(f"graph: node {node.id} has no text")
        self._graph.add_node(node.id, node=node)

    def _restore_edge(self, edge: Edge, schema: NetworkSchema) -> None:
        problem = edge_problem(self, edge, schema)
        if problem:
            raise GraphError(f"graph: edge {edge.source} {edge.relation} {edge.target}: {problem}")
        self.add_edge(edge)


def edge_problem(graph: InstructionGraph, edge: Edge, schema: NetworkSchema) -> str | None:
    """Why the graph may not take this edge under the schema, in words; None when it may."""
    for end in (edge.source, edge.target):
        if end not in graph:
            return f"there is no node {end}"
    if edge.source == edge.target:
        return "a node cannot be related to itself"
    source, target = graph.node(edge.source), graph.node(edge.target)
    if not schema.admits(source.type, edge.relation, target.type):
        return f"the schema admits no ({source.type}, {edge.relation}, {target.type})"
    if graph.has_edge(edge):
        return "this edge exists already"
    if edge.relation in schema.acyclic and graph.closes_cycle(edge):
        return f"it would close a cycle of {edge.relation} edges"
    return None


def id_number(node_id: str) -> int:
    """The number in a stable id: n012 gives 12."""
    return int(node_id[1:])


def by_id(node_ids: Iterable[str]) -> tuple[str, ...]:
    """Stable ids in the order in which they were given out."""
    return tuple(sorted(node_ids, key=id_number))


def _in_order(edges: Iterator[Edge]) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda e: (id_number(e.source), e.relation, id_number(e.target))))
