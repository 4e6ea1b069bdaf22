"""The prompts of the five nodes: templates in prompts/, the agent's world in neutral, limited blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from holdcourse.config.recovery import FieldLimits, RecoveryConfig
from holdcourse.llm.chat import ChatMessage
from holdcourse.recovery.answers import answer_json
from holdcourse.recovery.contexts import (
    NO_CAUSE,
    ClassifyContext,
    Context,
    DecideContext,
    DetectContext,
    Diagnosis,
    RiskContext,
    SearchContext,
    StepView,
)
from holdcourse.recovery.docs import documentation_text
from holdcourse.recovery.envelope import wrap
from holdcourse.recovery.examples import EXAMPLES
from holdcourse.recovery.nodes import NAMES
from holdcourse.recovery.operations import operations_text
from holdcourse.recovery.quoting import code_cut, cut, neutral, quoted

PROMPTS = Path(__file__).parent / "prompts"


def prompt(context: Context, settings: RecoveryConfig) -> tuple[ChatMessage, ...]:
    """The messages of a node: its role and rules, its worked example as a turn if there is one, its data.

    The example is a turn of its own, answered by the assistant: a small model takes up the format of what it
    seems to have said before much more readily than that of a text that it is shown.

    Args:
        context: what the node is told; its class says which node.
        settings: wording, worked example, and the characters shown of each field.
    """
    name = f"{settings.wording}/{NAMES[context.node]}"
    messages = [ChatMessage("system", _environment().get_template(f"{name}.system.j2").render().strip())]
    if settings.example:
        example = EXAMPLES[context.node]
        messages.append(ChatMessage("user", _told(name, example.context, settings)))
        messages.append(ChatMessage("assistant", wrap(example.reasoning, answer_json(example.answer))))
    return (*messages, ChatMessage("user", _told(name, context, settings)))


def prompt_digest(messages: Sequence[ChatMessage]) -> str:
    """SHA-256 over speakers and texts, as hexadecimal."""
    whole = hashlib.sha256()
    for message in messages:
        text = message.content or ""
        whole.update(f"{message.speaker} {len(text)}\n{text}\n".encode(errors="replace"))
    return whole.hexdigest()


def _told(name: str, context: Context, settings: RecoveryConfig) -> str:
    fields = {**_fields(context, settings.limits), "example": settings.example}
    return _environment().get_template(f"{name}.user.j2").render(fields).strip()


def _fields(context: Context, limits: FieldLimits) -> dict[str, object]:
    match context:
        case ClassifyContext():
            return {
                "task": quoted("task", context.task, limits.task),
                "onset": context.onset,
                "cause": quoted("suspected_cause", context.cause, limits.cause),
                "cause_known": context.cause != NO_CAUSE,
                **_step(context.step, limits),
            }
        case DetectContext():
            return {
                "task": quoted("task", context.task, limits.task),
                "aligned": "Y" if context.aligned else "N",
                "why": quoted("reason", context.why, limits.why),
                **_step(context.step, limits),
            }
        case SearchContext():
            return {"writes": _writes(context.writes, limits)}
        case RiskContext():
            shown = documentation_text(context.docs, context.writes, limits.documentation)
            return {
                "writes": _writes(context.writes, limits),
                "documentation": quoted("documentation", shown, limits.documentation),
            }
        case DecideContext():
            return {
                "task": quoted("task", context.task, limits.task),
                "onset": context.onset,
                "inspected": quoted(
                    "inspected_steps", inspected_text(context.inspected, limits), limits.inspected
                ),
            }


def inspected_text(inspected: Iterable[Diagnosis], limits: FieldLimits) -> str:
    """What was found, a line a step, the earliest step last.

    Where that is too long, reasons go first, those of the earliest drifted step and of the one before it
    last, since they name the source; then the lines of the middle: the earliest drifted step and the steps
    that wrote decide, so they stay as long as there is room.
    """
    rows = list(inspected)
    for reasoned in (rows, _telling(rows), []):
        lines = [_line(row, limits.why if row in reasoned else 0, limits) for row in rows]
        if sum(len(line) + 1 for line in lines) <= limits.inspected:
            return "\n".join(lines)
    return "\n".join(_thinned(rows, lines, limits.inspected))


def _telling(rows: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Where the drift began, and what was read right before it: its source."""
    first = min((row.step for row in rows if not row.aligned), default=None)
    return [row for row in rows if first is not None and row.step in (first, first - 1)]


def _thinned(rows: Sequence[Diagnosis], lines: Sequence[str], limit: int) -> list[str]:
    """Lines of the steps that decide, as many as there is room for, and a line that counts the rest."""
    drifted = [place for place, row in enumerate(rows) if not row.aligned]
    # Earliest drift, then writes from the earliest step on, then the rest likewise.
    order = sorted(
        range(len(rows)),
        key=lambda place: (place != max(drifted, default=-1), not rows[place].writes, -place),
    )
    room, kept = limit - 40, set[int]()
    for place in order:
        room -= len(lines[place]) + 1
        if room < 0:
            break
        kept.add(place)
    left = len(rows) - len(kept)
    return [*(lines[place] for place in sorted(kept)), f"[… {left} more inspected steps …]"]


def _line(row: Diagnosis, why: int, limits: FieldLimits) -> str:
    if row.aligned:
        found = "aligned=Y"
    else:
        parts = [f"aligned=N writes={cut(operations_text(row.writes), limits.operations)}"]
        if row.irreversible:
            parts.append(f"not_reversible={cut(operations_text(row.irreversible), limits.operations)}")
        found = " ".join(parts)
    # A line break in a reason would make a line of its own, which looks like another step.
    reason = cut(" ".join(neutral(row.why).split()), why) if why else ""
    return f"step {row.step}: {found}" + (f" why={reason}" if reason else "")


def _step(step: StepView, limits: FieldLimits) -> dict[str, object]:
    return {
        "step": step.number,
        "injected": None if step.injected is None else quoted("came_in", step.injected, limits.injected),
        "code": quoted("code", step.code, limits.code, code_cut),
        "output": quoted("output", step.output, limits.output),
    }


def _writes(writes: Iterable[str], limits: FieldLimits) -> str:
    return quoted("write_operations", operations_text(writes), limits.operations)


@cache
def _environment() -> Environment:
    # Prompts are plain text, never HTML; `quoted` is what keeps data from speaking to the model.
    return Environment(
        loader=FileSystemLoader(PROMPTS),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
