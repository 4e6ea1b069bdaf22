"""The simulated extractor: a section of instruction as typed units with relations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig, NodeType
from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.blocks import JsonObject, block
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.competence import competence
from holdcourse.simulated.judgement import more_specific, same_subject
from holdcourse.simulated.network import schema_of
from holdcourse.simulated.reading import Reading, read
from holdcourse.simulated.segments import Unit, in_one_procedure, units_of

FEWEST_WORDS = 3
"""Shorter lines ("customer ID") are items of a list, no statements; they stay text that no unit claims."""

_IDENTITY = re.compile(
    r"^(?:as an? [\w\s-]{0,40}?(?:agent|assistant|representative)\b|you are (?:an? "
    r"|the )[\w\s-]{0,40}?(?:agent|assistant"
    r"|representative)\b|your (?:role|job|task|mandate) is\b)",
    re.IGNORECASE,
)
_NORM = re.compile(
    r"\b(?:must|should|shall|always|never|do not|don't|avoid|have to|need to|needs to|required to"
    r"|(?:not )?allowed to"
    r"|refrain|make sure|ensure)\b|^(?:first,? |then,? |please )?(?:check|send|inform|ask|confirm"
    r"|apply|make|gather|calculate|use"
    r"|transfer|escalate|refer|investigate|verify|guide|try|tell|add|change|look|collect|offer"
    r"|explain|keep|wait|follow)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Found:
    id: str
    type: NodeType
    unit: Unit
    reading: Reading


def extractor_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """Units with verbatim quotes, and the relations seen, each with probability c(L).

    Raises:
        MalformedRequestError: a block is missing or the schema is malformed.
    """
    schema = schema_of(request)
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    found: list[_Found] = []
    quoted: set[str] = set()
    for unit in units_of(block(request, "instruction")):
        if len(unit.text.split()) < FEWEST_WORDS or unit.text in quoted or unit.leads_in:
            continue
        quoted.add(unit.text)
        reading = read(unit.text, unit.context)
        found.append(_Found(f"u{len(found) + 1}", type_of(unit.text, reading), unit, reading))
    relations = [
        relation
        for relation in _sequences(found) + _supports(found) + _refinements(found)
        if schema.admits(*(_typed(found, relation)))
        and coins.comes_true(right, " ".join(("relate", *relation)))
    ]
    units: list[JsonValue] = [{"id": f.id, "type": f.type, "quote": f.unit.text} for f in found]
    named: list[JsonValue] = [{"source": s, "relation": r, "target": t} for s, r, t in relations]
    return {"units": units, "relations": named}


def type_of(text: str, reading: Reading) -> NodeType:
    """identity: who the agent is; norm: what it has to do or leave; knowledge: anything else."""
    if _IDENTITY.search(text):
        return "identity"
    return "norm" if reading.stances or _NORM.search(text) else "knowledge"


def _typed(found: Sequence[_Found], relation: tuple[str, str, str]) -> tuple[str, str, str]:
    types = {f.id: f.type for f in found}
    return types[relation[0]], relation[1], types[relation[2]]


def _sequences(found: Sequence[_Found]) -> list[tuple[str, str, str]]:
    """Neighbouring steps of one list."""
    pairs = pairwise(found)
    return [(a.id, "sequence", b.id) for a, b in pairs if in_one_procedure(a.unit, b.unit)]


def _supports(found: Sequence[_Found]) -> list[tuple[str, str, str]]:
    """Each piece of knowledge with a known subject supports the next norm on it, or else the last before."""
    relations: list[tuple[str, str, str]] = []
    for place, fact in enumerate(found):
        if fact.type != "knowledge" or not fact.reading.topics:
            continue
        norms = [f for f in (*found[place + 1 :], *reversed(found[:place])) if f.type == "norm"]
        target = next((n for n in norms if not n.reading.topics.isdisjoint(fact.reading.topics)), None)
        if target:
            relations.append((fact.id, "supports", target.id))
    return relations


def _refinements(found: Sequence[_Found]) -> list[tuple[str, str, str]]:
    """Each norm with a condition refines the nearest earlier or later norm on its subject without one."""
    norms = [f for f in found if f.type == "norm" and f.reading.topics]
    relations: list[tuple[str, str, str]] = []
    for norm in norms:
        if not norm.reading.conditional:
            continue
        plain = next(
            (
                other
                for other in norms
                if other is not norm
                and not other.reading.conditional
                and same_subject(norm.reading, other.reading)
                and more_specific(norm.reading, other.reading)
            ),
            None,
        )
        if plain:
            relations.append((norm.id, "refines", plain.id))
    return relations
