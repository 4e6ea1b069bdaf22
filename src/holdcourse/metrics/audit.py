"""The auditor: a model reads a whole instruction and counts contradictions and redundancies (GRACE §4).

Each audit is repeated; a repeat is a trial of its own. A repeat whose replies cannot be read is counted
as unparsed and gives no count, never a count of 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from holdcourse.config.schema import RoleModel
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatMessage, ChatModel, ChatRequest, Sampling
from holdcourse.llm.replies import Parsed, ask_json, quote_block

NonNegative = Annotated[int, Field(ge=0)]

AUDIT_COLUMNS = (
    "arm",
    "seed",
    "checkpoint",
    "repeat",
    "contradictions",
    "redundancies",
    "characters",
    "units",
    "edges",
    "unparsed",
)


class Finding(BaseModel):
    """Two places of the instruction, quoted, and what is wrong between them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    first: str
    second: str
    why: str = ""


class Findings(BaseModel):
    """An auditor's reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    contradictions: tuple[Finding, ...]
    redundancies: tuple[Finding, ...]


class AuditRepeat(BaseModel):
    """One readable audit. `unlocated` counts quotes that do not stand in the instruction as quoted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: NonNegative
    contradictions: NonNegative
    redundancies: NonNegative
    unlocated: NonNegative
    findings: Findings


class AuditUsage(BaseModel):
    """Calls and tokens of all repeats, unparsed ones and re-asks included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: NonNegative
    prompt_tokens: NonNegative
    completion_tokens: NonNegative
    cost_usd: Annotated[float, Field(ge=0.0)] | Literal["unknown"]


class AuditRecord(BaseModel):
    """audit.json: all repeats of one checkpoint. `units` and `edges` are null for an arm without a graph."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    checkpoint: NonNegative
    repeats: tuple[AuditRepeat, ...]
    unparsed: NonNegative
    unparsed_reasons: tuple[str, ...]
    characters: NonNegative
    units: NonNegative | None
    edges: NonNegative | None
    usage: AuditUsage

    def as_json(self) -> dict[str, object]:
        """The record as audit.json holds it."""
        return self.model_dump(mode="json")


@dataclass(frozen=True)
class AuditedRun:
    """One arm's checkpoint of one seed and its audit."""

    arm: str
    seed: int
    record: AuditRecord


def audit(
    door: ChatModel,
    model: RoleModel,
    instruction: str,
    checkpoint: int,
    repeats: int,
    attempts: int,
    units: int | None = None,
    edges: int | None = None,
) -> AuditRecord:
    """Audit one checkpoint's instruction.

    Args:
        door: where the auditor is asked.
        model: the auditor's model and decoding.
        instruction: the whole text ℓ_t.
        checkpoint: t.
        repeats: independent readings; trial 0..repeats-1 of the same request.
        attempts: how often one reading is asked for until its reply can be read, at least 1.
        units: nodes of the instruction graph, if the arm has one.
        edges: its edges.

    Raises:
        ModelError: a call failed for good.
    """
    read: list[AuditRepeat] = []
    reasons: list[str] = []
    answers = [
        ask_json(door, _request(model, instruction, trial), Findings, attempts) for trial in range(repeats)
    ]
    for trial, answer in enumerate(answers):
        if isinstance(answer, Parsed):
            read.append(_repeat(trial, answer.value, instruction))
        else:
            reasons.append(answer.reason)
    costs = [answer.cost_usd for answer in answers if answer.cost_usd is not None]
    return AuditRecord(
        checkpoint=checkpoint,
        repeats=tuple(read),
        unparsed=len(reasons),
        unparsed_reasons=tuple(reasons),
        characters=len(instruction),
        units=units,
        edges=edges,
        usage=AuditUsage(
            calls=sum(answer.attempts for answer in answers),
            prompt_tokens=sum(answer.usage.prompt_tokens for answer in answers),
            completion_tokens=sum(answer.usage.completion_tokens for answer in answers),
            cost_usd=sum(costs) if len(costs) == len(answers) else "unknown",
        ),
    )


def read_audit(value: object, source: str) -> AuditRecord:
    """Check a parsed audit.json.

    Raises:
        HoldcourseError: naming the file and the field.
    """
    try:
        return AuditRecord.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"]) or "audit"
        raise HoldcourseError(
            f"{source}, {place}: {problem['msg']}; remove the file and audit again"
        ) from None


def audit_frame(audits: Iterable[AuditedRun]) -> pd.DataFrame:
    """Audits of many runs as a table.

    Returns:
        A row a readable repeat (`AUDIT_COLUMNS`); `unparsed` is the run's number of unreadable repeats,
        the same in each of its rows. A run with none readable has one row with NaN counts.

    Raises:
        HoldcourseError: a run is given twice.
    """
    rows: list[dict[str, object]] = []
    seen: set[tuple[str, int, int]] = set()
    for run in audits:
        key = (run.arm, run.seed, run.record.checkpoint)
        if key in seen:
            raise HoldcourseError(
                f"the audit of arm {key[0]}, seed {key[1]}, checkpoint {key[2]} is given twice"
            )
        seen.add(key)
        counts: list[tuple[int | None, int | None, int | None]] = [
            (repeat.trial, repeat.contradictions, repeat.redundancies) for repeat in run.record.repeats
        ]
        for trial, contradictions, redundancies in counts or [(None, None, None)]:
            rows.append(
                {
                    "arm": run.arm,
                    "seed": run.seed,
                    "checkpoint": run.record.checkpoint,
                    "repeat": trial,
                    "contradictions": contradictions,
                    "redundancies": redundancies,
                    "characters": run.record.characters,
                    "units": run.record.units,
                    "edges": run.record.edges,
                    "unparsed": run.record.unparsed,
                }
            )
    frame = pd.DataFrame(rows, columns=list(AUDIT_COLUMNS))
    # Missing counts must be NaN for means to leave them out.
    return frame.astype(
        dict.fromkeys(("repeat", "contradictions", "redundancies", "units", "edges"), "float64")
    )


def _request(model: RoleModel, instruction: str, trial: int) -> ChatRequest:
    prompts = _environment()
    messages = (
        ChatMessage("system", prompts.get_template("auditor.system.j2").render()),
        ChatMessage(
            "user",
            prompts.get_template("auditor.user.j2").render(
                instruction=quote_block("instruction", instruction)
            ),
        ),
    )
    sampling = Sampling(model.temperature, model.max_tokens, json_reply=True)
    return ChatRequest("auditor", model.model, messages, sampling=sampling, trial=trial)


def _repeat(trial: int, findings: Findings, instruction: str) -> AuditRepeat:
    contradictions, redundancies = _once(findings.contradictions), _once(findings.redundancies)
    text = _letters(instruction)
    quotes = [quote for finding in contradictions + redundancies for quote in (finding.first, finding.second)]
    return AuditRepeat(
        trial=trial,
        contradictions=len(contradictions),
        redundancies=len(redundancies),
        unlocated=sum(_letters(quote) not in text for quote in quotes),
        findings=Findings(contradictions=contradictions, redundancies=redundancies),
    )


def _once(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """A pair of places reported twice, in whichever order, is one finding."""
    pairs = {frozenset((_letters(finding.first), _letters(finding.second))): finding for finding in findings}
    return tuple(pairs.values())


def _letters(text: str) -> str:
    """Text without regard to line breaks and spacing, which quotes rarely keep."""
    return " ".join(text.split())


@cache
def _environment() -> Environment:
    # Prompts are plain text, never HTML; quote_block keeps the instruction from ending its block.
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
    )
