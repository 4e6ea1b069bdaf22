"""audit.json: what an auditor reported of one checkpoint's instruction, checked when read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from holdcourse.errors import HoldcourseError

NonNegative = Annotated[int, Field(ge=0)]


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

    def as_json(self) -> dict[str, JsonValue]:
        """The record as audit.json holds it."""
        plain: dict[str, JsonValue] = self.model_dump(mode="json")
        return plain


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
