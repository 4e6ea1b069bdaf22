"""Typed graph edits and their deterministic application (GRACE §2.2, operation planning).

Edits come from models, so each may be wrong on its own: one that breaks the schema is refused with
its reason and the rest go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from holdcourse.config.schema import NodeType, Relation
from holdcourse.evolution.graph import STABLE_ID, Edge, InstructionGraph, by_id, edge_problem
from holdcourse.evolution.schema import NODE_TYPES, RELATIONS, NetworkSchema


@dataclass(frozen=True, slots=True)
class AddNode:
    """Add a unit; `id` is a temporary name that other edits of the same list may use."""

    id: str
    type: NodeType
    text: str
    op: Literal["AddNode"] = "AddNode"


@dataclass(frozen=True, slots=True)
class ModifyNode:
    """Give a unit another text."""

    id: str
    text: str
    op: Literal["ModifyNode"] = "ModifyNode"


@dataclass(frozen=True, slots=True)
class RemoveNode:
    """Remove a unit and the relations at it."""

    id: str
    op: Literal["RemoveNode"] = "RemoveNode"


@dataclass(frozen=True, slots=True)
class AddEdge:
    """Relate two units."""

    source: str
    relation: Relation
    target: str
    op: Literal["AddEdge"] = "AddEdge"


@dataclass(frozen=True, slots=True)
class RemoveEdge:
    """Take back a relation."""

    source: str
    relation: Relation
    target: str
    op: Literal["RemoveEdge"] = "RemoveEdge"


Edit = AddNode | ModifyNode | RemoveNode | AddEdge | RemoveEdge

_FIELDS: dict[str, tuple[str, ...]] = {
    "AddNode": ("id", "type", "text"),
    "ModifyNode": ("id", "text"),
    "RemoveNode": ("id",),
    "AddEdge": ("source", "relation", "target"),
    "RemoveEdge": ("source", "relation", "target"),
}


class EditError(ValueError):
    """A value is no typed edit; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An edit that was not applied, as it was proposed, and why."""

    edit: JsonValue
    reason: str

    def to_record(self) -> dict[str, JsonValue]:
        """The refusal as JSON."""
        return {"edit": self.edit, "reason": self.reason}


@dataclass(frozen=True)
class Applied:
    """What a list of edits did to a graph.

    `applied` names stable ids only. `touched` are the surviving nodes at which something changed:
    added or reworded ones, the ends of added and removed edges, the neighbours of removed nodes (ours).
    `edited` are those among them whose own text is new.
    """

    graph: InstructionGraph
    applied: tuple[Edit, ...]
    refused: tuple[Refusal, ...]
    touched: tuple[str, ...]
    edited: tuple[str, ...]
    ids: Mapping[str, str]


def edit_record(edit: Edit) -> dict[str, JsonValue]:
    """An edit as JSON, the inverse of `parse_edit`."""
    return {"op": edit.op} | {name: getattr(edit, name) for name in _FIELDS[edit.op]}


def parse_edit(value: JsonValue) -> Edit:
    """Read one typed edit; keys it does not need are ignored.

    Raises:
        EditError: not an object, unknown op, a missing or non-text key, unknown type or relation.
    """
    if not isinstance(value, dict):
        raise EditError("an edit is a JSON object with the key op")
    op = value.get("op")
    if not isinstance(op, str) or op not in _FIELDS:
        raise EditError(f"unknown op {op!r}; known are {', '.join(_FIELDS)}")
    fields: dict[str, str] = {}
    for name in _FIELDS[op]:
        field = value.get(name)
        if not isinstance(field, str):
            raise EditError(f"{op} needs {', '.join(_FIELDS[op])} as text; {name} is {_kind(field)}")
        fields[name] = field if name == "text" else field.strip()
    for name, known in (("type", NODE_TYPES), ("relation", RELATIONS)):
        if name in fields and fields[name] not in known:
            raise EditError(f"unknown {name} {fields[name]!r}; known are {', '.join(known)}")
    return _KINDS[op](**fields)  # type: ignore[arg-type]  # both literals were checked just above


_KINDS: dict[str, type[Edit]] = {
    kind.__name__: kind for kind in (AddNode, ModifyNode, RemoveNode, AddEdge, RemoveEdge)
}


def parse_edits(values: Iterable[JsonValue]) -> tuple[tuple[Edit, ...], tuple[Refusal, ...]]:
    """Read a list of edits: those that are edits, and a refusal for each value that is none."""
    edits: list[Edit] = []
    refused: list[Refusal] = []
    for value in values:
        try:
            edits.append(parse_edit(value))
        except EditError as error:
            refused.append(Refusal(value, str(error)))
    return tuple(edits), tuple(refused)


def apply_edits(graph: InstructionGraph, edits: Sequence[Edit], schema: NetworkSchema) -> Applied:
    """Apply edits to a copy of the graph; pure and deterministic.

    Nodes are added first, so that an edge may stand before the node it leads to (ours); otherwise
    the given order holds. A refused edit changes nothing, not even the id counter.
    """
    work = _Work(graph.copy(), schema)
    ordered = sorted(edits, key=lambda edit: not isinstance(edit, AddNode))
    applied: list[Edit] = []
    refused: list[Refusal] = []
    for edit in ordered:
        outcome = work.apply(edit)
        if isinstance(outcome, str):
            refused.append(Refusal(edit_record(edit), outcome))
        else:
            applied.append(outcome)
    return Applied(
        graph=work.graph,
        applied=tuple(applied),
        refused=tuple(refused),
        touched=by_id(node_id for node_id in work.touched if node_id in work.graph),
        edited=by_id(node_id for node_id in work.edited if node_id in work.graph),
        ids=dict(work.ids),
    )


class _Work:
    """One application in progress: the graph so far, temporary ids, what was touched."""

    def __init__(self, graph: InstructionGraph, schema: NetworkSchema) -> None:
        self.graph = graph
        self.schema = schema
        self.ids: dict[str, str] = {}
        self.touched: set[str] = set()
        self.edited: set[str] = set()

    def apply(self, edit: Edit) -> Edit | str:
        """Apply one edit: the edit with stable ids, or the reason for refusing it."""
        if isinstance(edit, AddNode):
            return self._add_node(edit)
        if isinstance(edit, ModifyNode):
            return self._modify_node(replace(edit, id=self._stable(edit.id)))
        if isinstance(edit, RemoveNode):
            return self._remove_node(replace(edit, id=self._stable(edit.id)))
        return self._change_edge(
            replace(edit, source=self._stable(edit.source), target=self._stable(edit.target))
        )

    def _stable(self, name: str) -> str:
        return self.ids.get(name, name)

    def _add_node(self, edit: AddNode) -> Edit | str:
        if not edit.id or STABLE_ID.fullmatch(edit.id):
            return f"a new node needs a temporary id such as new1, not {edit.id!r}"
        if edit.id in self.ids:
            return f"the temporary id {edit.id} is taken by an earlier edit"
        if not edit.text.strip():
            return "the text is empty"
        node_id = self.graph.add_node(edit.type, edit.text.strip())
        self.ids[edit.id] = node_id
        self._edit(node_id)
        return replace(edit, id=node_id, text=edit.text.strip())

    def _modify_node(self, edit: ModifyNode) -> Edit | str:
        text = edit.text.strip()
        if edit.id not in self.graph:
            return f"there is no node {edit.id}"
        if not text:
            return "the text is empty"
        if text == self.graph.node(edit.id).text:
            return "the text is the one the node has already"
        self.graph.modify_node(edit.id, text)
        self._edit(edit.id)
        return replace(edit, text=text)

    def _remove_node(self, edit: RemoveNode) -> Edit | str:
        if edit.id not in self.graph:
            return f"there is no node {edit.id}"
        self.touched.update(self.graph.neighbours(edit.id))
        self.graph.remove_node(edit.id)
        return edit

    def _change_edge(self, edit: AddEdge | RemoveEdge) -> Edit | str:
        edge = Edge(edit.source, edit.relation, edit.target)
        if isinstance(edit, RemoveEdge):
            if not self.graph.has_edge(edge):
                return "there is no such edge"
            self.graph.remove_edge(edge)
        else:
            problem = edge_problem(self.graph, edge, self.schema)
            if problem:
                return problem
            self.graph.add_edge(edge)
        self.touched.update((edge.source, edge.target))
        return edit

    def _edit(self, node_id: str) -> None:
        self.touched.add(node_id)
        self.edited.add(node_id)


def _kind(value: JsonValue) -> str:
    return "missing" if value is None else f"a {type(value).__name__}"
