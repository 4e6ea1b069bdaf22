"""Reading ℓ_0 into a graph once: units with verbatim spans, section by section (GRACE §2.1).

The paper is silent on how the first graph is made. Text that no unit claims belongs to nobody and
stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.evolution.asking import Asker, RoleUsage, ask_role, usage_record
from holdcourse.evolution.edits import Refusal, apply_edits, parse_edits
from holdcourse.evolution.graph import InstructionGraph
from holdcourse.evolution.layout import Layout, Span
from holdcourse.evolution.lines import without_marker
from holdcourse.evolution.schema import NODE_TYPES, NetworkSchema
from holdcourse.evolution.sections import sections
from holdcourse.evolution.shapes import ExtractorReply, UnitShape
from holdcourse.evolution.similarity import words
from holdcourse.evolution.state import GraphState
from holdcourse.llm.replies import Unparsed


@dataclass(frozen=True)
class Extraction:
    """The first state, and what of the extractor's answers was not taken."""

    state: GraphState
    sections: int
    refused: tuple[Refusal, ...]
    unparsed: tuple[str, ...]
    usage: tuple[RoleUsage, ...]

    def to_record(self) -> dict[str, JsonValue]:
        """The value of edits.json at batch 0."""
        graph = self.state.graph
        claimed = sum(span.end - span.start for span in self.state.layout.spans)
        return {
            "extraction": {
                "sections": self.sections,
                "units": len(graph),
                "relations": len(graph.edges()),
                "claimed_characters": claimed,
                "characters": len(self.state.instruction),
                "refused": [refusal.to_record() for refusal in self.refused],
                "unparsed": list(self.unparsed),
            },
            "usage": usage_record(self.usage),
        }


def extract(instruction: str, schema: NetworkSchema, ask: Asker, section_characters: int) -> Extraction:
    """Read an instruction into a graph and a layout; one extractor call a section.

    A quote that does not stand verbatim in its section, or only where another unit stands already,
    is dropped with its reason. A section whose replies cannot be read stays unclaimed.

    Args:
        instruction: ℓ_0.
        schema: the admissible relations.
        ask: whom and how.
        section_characters: longest section of one request (graph.section_characters).
    """
    graph, spans = InstructionGraph(), list[Span]()
    refused: list[Refusal] = []
    unparsed: list[str] = []
    usage: list[RoleUsage] = []
    parts = [part for part in sections(instruction, section_characters) if instruction[slice(*part)].strip()]
    for start, end in parts:
        section = instruction[start:end]
        blocks: dict[str, JsonValue] = {"schema": schema.triples(), "instruction": section}
        answer, spent = ask_role(ask, "extractor", blocks, ExtractorReply)
        usage.append(spent)
        if isinstance(answer, Unparsed):
            unparsed.append(f"characters {start} to {end}: {answer.reason}")
            continue
        located, dropped = locate(section, answer.value.units)
        edits, not_edits = parse_edits(_edits(section, located, answer.value))
        applied = apply_edits(graph, edits, schema)
        graph = applied.graph
        spans += [
            Span(applied.ids[_name(unit)], start + left, start + right) for unit, left, right, _ in located
        ]
        refused += [*dropped, *not_edits, *applied.refused]
    state = GraphState(instruction, graph, Layout.of(spans))
    state.check()
    return Extraction(state, len(parts), tuple(refused), tuple(unparsed), tuple(usage))


def locate(section: str, units: list[UnitShape]) -> tuple[list[tuple[str, int, int, str]], list[Refusal]]:
    """Find where the units' quotes stand in a section.

    Returns:
        (unit id, start, end, type) in the order of the text, and a refusal for each unit that has
        no place of its own. List markers in front of a quote stay outside its span.
    """
    taken: list[tuple[str, int, int, str]] = []
    refused: list[Refusal] = []
    for unit in units:
        outcome = _place(section, unit, taken)
        if isinstance(outcome, str):
            refused.append(Refusal(unit.model_dump(), outcome))
        else:
            taken.append((unit.id.strip(), *outcome, unit.type))
    return sorted(taken, key=lambda unit: unit[1]), refused


def _place(section: str, unit: UnitShape, taken: list[tuple[str, int, int, str]]) -> tuple[int, int] | str:
    if unit.type not in NODE_TYPES:
        return f"unknown type {unit.type!r}; known are {', '.join(NODE_TYPES)}"
    if not unit.id.strip() or any(unit.id.strip() == other for other, *_ in taken):
        return f"the unit id {unit.id!r} is empty or taken"
    quote = unit.quote.strip()
    front = len(quote) - len(without_marker(quote))
    if not words(quote):
        return "the quote holds no word"
    # A model that copies a passage over several lines writes its own line ends.
    native = quote.replace("\r\n", "\n").replace("\n", "\r\n")
    for wanted in dict.fromkeys((quote, native)):
        found = section.find(wanted)
        occurs = found >= 0
        while found >= 0:
            start, end = found + front, found + len(wanted)
            if all(end <= left or right <= start for _, left, right, _ in taken):
                return start, end
            found = section.find(wanted, found + 1)
        if occurs:
            return "the quote stands only where another unit stands already"
    return "the quote does not occur verbatim in its section"


def _edits(section: str, located: list[tuple[str, int, int, str]], reply: ExtractorReply) -> list[JsonValue]:
    nodes: list[JsonValue] = [
        {"op": "AddNode", "id": _name(unit), "type": type_, "text": section[start:end]}
        for unit, start, end, type_ in located
    ]
    edges: list[JsonValue] = [
        {
            "op": "AddEdge",
            "source": _name(relation.source),
            "relation": relation.relation,
            "target": _name(relation.target),
        }
        for relation in reply.relations
    ]
    return nodes + edges


def _name(unit: str) -> str:
    # The prefix keeps a unit that calls itself n001 from being taken for a node of the graph.
    return f"unit {unit.strip()}"
