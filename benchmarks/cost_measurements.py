"""Measure, on a finished offline study, what conf/cost/measured.yaml states: calls and sizes of texts.

    snakemake metrics shift --cores 2 --config study=offline \
        overrides="results=results/cost seeds=[0] protocol.initial_instruction=full_policy"
    python benchmarks/cost_measurements.py results/cost/offline

Prints the section `measured` as YAML. The offline language model counts a token as four characters and counts
no tool descriptions; both are undone here, so that the table holds characters, and tools apart.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import mean

import yaml
from pydantic import BaseModel

from holdcourse.files import read_json, read_jsonl, read_text

CHARACTERS_A_TOKEN = 4
WHOLE_TEXT = {"holistic", "guard", "auditor"}
"""Roles that read all of the instruction once, beside a fixed prompt."""
PROPORTIONAL = {"planner"}
"""Roles that read the whole graph, whose text grows with the instruction."""
REWRITING = {"holistic", "guard"}
"""Roles whose answer is the whole instruction again."""
KINDS = {"grace": ("graph", True), "grace_no_sa": ("graph", False), "hce": ("holistic", False)}

Row = dict[str, float]


class RoleUsage(BaseModel):
    """One side of one simulation, as a journal holds it."""

    role: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


class LedgerLine(RoleUsage):
    """One line of a ledger."""


class AuditRecord(BaseModel):
    """An audit, of which only the number of repeats matters here."""

    repeats: list[object]


def conversations(study: Path) -> dict[str, Row]:
    """By role: calls a simulation, and characters a call beyond the instruction, and of the answer."""
    sums: dict[str, list[tuple[RoleUsage, int]]] = defaultdict(list)
    for path in sorted(study.glob("journal/shift/*/seed*/checkpoint*/*/simulations.jsonl")):
        arm, seed, checkpoint = path.parts[-5:-2]
        number = checkpoint.removeprefix("checkpoint")
        length = len(read_text(study / "shift" / arm / seed / f"batch{number}" / "instruction.md"))
        for usage in usages(path):
            sums[usage.role].append((usage, length if usage.role == "agent" else 0))
    found: dict[str, Row] = {}
    for role, rows in sums.items():
        calls = sum(usage.calls for usage, _ in rows)
        prompt = sum(
            usage.prompt_tokens * CHARACTERS_A_TOKEN - usage.calls * length for usage, length in rows
        )
        answer = sum(usage.completion_tokens * CHARACTERS_A_TOKEN for usage, _ in rows)
        found[role] = {
            "calls": round(calls / len(rows), 2),
            "prompt_characters": round(prompt / calls),
            "prompt_share": 1.0 if role == "agent" else 0.0,
            "tool_characters": tool_characters()[role],
            "answer_characters": round(answer / calls),
        }
    return found


def usages(path: Path) -> Iterator[RoleUsage]:
    """The usage of each side of each simulation in a journal, whose lines are a checksum and an object."""
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        for usage in json.loads(line.partition(" ")[2])["record"]["usage"]:
            yield RoleUsage.model_validate(usage)


def tool_characters() -> dict[str, int]:
    """Length of the descriptions of each side's tools, as they travel with every call."""
    from holdcourse.telecom.environment import agent_tools, customer_tools

    return {
        role: sum(len(json.dumps({"type": "function", "function": asdict(tool)})) for tool in tools)
        for role, tools in (("agent", agent_tools()), ("user", customer_tools()))
    }


def maintenance(ledgers: list[Path], batches_before: int, units: int | None = None) -> dict[str, Row]:
    """By role: calls a unit of work (a batch, ℓ_0, a repeat of an audit) and characters a call.

    `batches_before` is 1 where the unit works on the instruction of the batch before it; `units` is how many
    units there are, where a ledger is not one.
    """
    calls: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for path in ledgers:
        number = int(path.parent.name[-2:]) - batches_before
        length = len(read_text(path.parent.parent / f"batch{number:02d}" / "instruction.md"))
        for line in map(LedgerLine.model_validate, read_jsonl(path)):
            if line.role not in ("agent", "user"):
                calls[line.role].append(
                    (
                        length,
                        line.prompt_tokens * CHARACTERS_A_TOKEN,
                        line.completion_tokens * CHARACTERS_A_TOKEN,
                    )
                )
    return {role: shape(role, rows, units or len(ledgers)) for role, rows in sorted(calls.items())}


def shape(role: str, rows: list[tuple[float, float, float]], units: int) -> Row:
    """Characters of a role's call as a fixed part and a share of the instruction."""
    length, prompt, answer = (mean(column) for column in zip(*rows, strict=True))
    whole, share = role in WHOLE_TEXT, role in PROPORTIONAL
    reads = 1.0 if whole else prompt / length if share else 0.0
    writes = answer / length if role in REWRITING else 0.0
    return {
        "calls": round(len(rows) / units, 2),
        "prompt_characters": round(prompt - reads * length),
        "prompt_share": round(reads, 3),
        "answer_characters": round(answer - writes * length),
        "answer_share": round(writes, 3),
    }


def main() -> None:
    """Print the measurements of a study as YAML."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", type=Path, help="results/{study} of a finished study")
    study = parser.parse_args().study
    shift = study / "shift"
    audits = sorted(shift.glob("*/seed*/checkpoint*/audit_ledger.jsonl"))
    records = [AuditRecord.model_validate(read_json(path.with_name("audit.json"))) for path in audits]
    repeats = sum(len(record.repeats) for record in records)
    arms = []
    for arm, (kind, analysis) in KINDS.items():
        batches = sorted(shift.glob(f"{arm}/seed*/batch*"))
        lengths = [len(read_text(path / "instruction.md")) for path in batches]
        arms.append(
            {
                "kind": kind,
                "structural_analysis": analysis,
                "growth_characters": round((lengths[-1] - lengths[0]) / (len(lengths) - 1)),
                "roles": maintenance([path / "ledger.jsonl" for path in batches[1:]], batches_before=1),
            }
        )
    measured = {
        "instruction_characters": len(read_text(shift / "grace/seed0/batch00/instruction.md")),
        "conversation": conversations(study),
        "initial": maintenance(sorted(shift.glob("grace*/seed*/batch00/ledger.jsonl")), batches_before=0),
        "audit": maintenance(audits, batches_before=0, units=repeats),
        "arms": arms,
    }
    print(yaml.safe_dump({"measured": measured}, sort_keys=False))


if __name__ == "__main__":
    main()
