"""Structural analysis: scoped verification of what an evolution step touched (GRACE §2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pydantic import JsonValue

from holdcourse.evolution.asking import Asker, RoleUsage, ask_role
from holdcourse.evolution.edits import Edit, Refusal, apply_edits, edit_record, parse_edits
from holdcourse.evolution.graph import InstructionGraph, by_id
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.scope import split_by_scope
from holdcourse.evolution.shapes import AnalystReply, IssueShape
from holdcourse.llm.replies import Unparsed


@dataclass(frozen=True)
class Issue:
    """A contradiction or redundancy, the repairs proposed for it and what became of them."""

    kind: str
    nodes: tuple[str, ...]
    why: str
    proposed: tuple[JsonValue, ...]
    applied: tuple[Edit, ...]
    refused: tuple[Refusal, ...]

    def to_record(self) -> dict[str, JsonValue]:
        """The issue as JSON."""
        return {
            "kind": self.kind,
            "nodes": list(self.nodes),
            "why": self.why,
            "proposed": list(self.proposed),
            "applied": [edit_record(edit) for edit in self.applied],
            "refused": [refusal.to_record() for refusal in self.refused],
        }


@dataclass(frozen=True)
class Component:
    """One connected part of the neighbourhood and what the analyst said about it."""

    nodes: tuple[str, ...]
    issues: tuple[Issue, ...]
    notes: tuple[str, ...]
    unparsed: str | None

    def to_record(self) -> dict[str, JsonValue]:
        """The component as JSON."""
        return {
            "nodes": list(self.nodes),
            "issues": [issue.to_record() for issue in self.issues],
            "notes": list(self.notes),
            "unparsed": self.unparsed,
        }


@dataclass(frozen=True)
class Analysis:
    """The graph after repairs, and each round's components. Nodes that stand alone are not asked about."""

    graph: InstructionGraph
    rounds: tuple[tuple[Component, ...], ...]
    usage: tuple[RoleUsage, ...]

    @property
    def verification_tokens(self) -> int:
        """Tokens spent on verification: all that the analyst read and wrote."""
        return sum(usage.tokens for usage in self.usage)

    def count(self, kind: str) -> int:
        """Issues of a kind over all rounds."""
        return sum(issue.kind == kind for parts in self.rounds for part in parts for issue in part.issues)


def analyse(
    graph: InstructionGraph,
    touched: Sequence[str],
    radius: int,
    rounds: int,
    schema: NetworkSchema,
    ask: Asker,
) -> Analysis:
    """Look for contradiction and redundancy around touched nodes and repair them.

    One analyst call a connected component of the radius-k neighbourhood. A further round looks only
    at what the repairs touched; it ends early when they touched nothing.

    Args:
        graph: the graph after planning and relation maintenance.
        touched: nodes at which something changed.
        radius: k of N_k, in edges.
        rounds: at most so many rounds.
        schema: the admissible relations, which repairs keep to.
        ask: whom and how.
    """
    done: list[tuple[Component, ...]] = []
    usage: list[RoleUsage] = []
    current = tuple(touched)
    for _ in range(rounds):
        regions = [part for part in graph.components(graph.neighbourhood(current, radius)) if len(part) > 1]
        if not regions:
            break
        components: list[Component] = []
        repaired: set[str] = set()
        # The components share no node, so the repairs of one cannot undo what another was judged by.
        for nodes in regions:
            graph, component, spent, moved = _analyse_component(graph, nodes, current, schema, ask)
            components.append(component)
            usage.append(spent)
            repaired |= moved
        done.append(tuple(components))
        current = by_id(node_id for node_id in repaired if node_id in graph)
    return Analysis(graph, tuple(done), tuple(usage))


def _analyse_component(
    graph: InstructionGraph,
    nodes: tuple[str, ...],
    touched: Sequence[str],
    schema: NetworkSchema,
    ask: Asker,
) -> tuple[InstructionGraph, Component, RoleUsage, set[str]]:
    blocks: dict[str, JsonValue] = {
        "schema": schema.triples(),
        "subgraph": {
            "nodes": [asdict(graph.node(node_id)) | {"touched": node_id in touched} for node_id in nodes],
            "edges": [asdict(edge) for edge in graph.edges_within(nodes)],
        },
    }
    answer, spent = ask_role(ask, "analyst", blocks, AnalystReply)
    if isinstance(answer, Unparsed):
        return graph, Component(nodes, (), (), answer.reason), spent, set()
    issues: list[Issue] = []
    notes: list[str] = []
    moved: set[str] = set()
    scope = set(nodes)
    for number, shape in enumerate(answer.value.issues, start=1):
        named = set(shape.nodes)
        if len(named) < 2 or not named <= set(nodes):
            notes.append(f"issue {number} dropped: it must name two or more units of this part")
            continue
        edits, not_edits = parse_edits(shape.repairs)
        within, without = split_by_scope(edits, scope)
        applied = apply_edits(graph, within, schema)
        graph = applied.graph
        scope |= set(applied.ids.values())
        moved |= set(applied.touched)
        issues.append(_issue(shape, applied.applied, (*not_edits, *without, *applied.refused)))
    return graph, Component(nodes, tuple(issues), tuple(notes), None), spent, moved


def _issue(shape: IssueShape, applied: tuple[Edit, ...], refused: tuple[Refusal, ...]) -> Issue:
    return Issue(shape.kind, by_id(set(shape.nodes)), shape.why, tuple(shape.repairs), applied, refused)
