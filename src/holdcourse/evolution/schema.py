"""The network schema T_G: which relations may stand between which types of nodes (GRACE §2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from pydantic import JsonValue

from holdcourse.config.schema import GraphConfig, NodeType, Relation

NODE_TYPES: tuple[NodeType, ...] = get_args(NodeType)
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, slots=True)
class NetworkSchema:
    """The admissible (source type, relation, target type) triples, and the relations without cycles."""

    admissible: frozenset[tuple[NodeType, Relation, NodeType]]
    acyclic: frozenset[Relation]

    @classmethod
    def from_config(cls, config: GraphConfig) -> NetworkSchema:
        """The schema that conf/graph/ describes."""
        return cls(frozenset(config.admissible), frozenset(config.acyclic))

    def admits(self, source: NodeType, relation: Relation, target: NodeType) -> bool:
        """Whether an edge of this relation may lead from a node of one type to a node of the other."""
        return (source, relation, target) in self.admissible

    def triples(self) -> list[JsonValue]:
        """The triples in a fixed order, as JSON for a prompt."""
        return [list(triple) for triple in sorted(self.admissible)]
