"""From labelled trajectories to candidates for the pool: every visit of a walk in which no node errs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatMessage
from holdcourse.recovery.answers import Answer, DecideAnswer, answer_json
from holdcourse.recovery.contexts import ClassifyContext, Context, DecideContext, DetectContext
from holdcourse.recovery.docs import Docs
from holdcourse.recovery.oracle import taught
from holdcourse.recovery.rendering import prompt
from holdcourse.recovery.stored import incident_of, reversible_operations, steps_in, truth_of
from holdcourse.training.pool_evidence import evidence_of
from holdcourse.training.prompt_rows import PromptRow, documented_inverses

SPLITS = ("train", "heldout")

LeftOut = Counter[str]
"""How many candidates were left out, by reason."""


@dataclass(frozen=True)
class Undoing:
    """What the documentation says of each write.

    Attributes:
        inverses: documented inverse of each write; None where there is none.
        reversible: writes that count as reversible.
    """

    inverses: Mapping[str, str | None]
    reversible: frozenset[str]


def undoing(rows: Sequence[Mapping[str, object]]) -> Undoing:
    """Read the rows of reversibility.json.

    A write is reversible if the documentation has an inverse of it whose data are at hand at recovery time:
    one that needs the value from before the write (`needs_preimage`) is not, since nobody kept it (drift
    paper §3.3, Definition 2, and the instruction of Appendix A.4). Restoration as measured is another label
    and plays no part.

    Raises:
        HoldcourseError: a row lacks a field.
    """
    for row in rows:
        missing = [
            field for field in ("operation", "inverse", "documented", "needs_preimage") if field not in row
        ]
        if missing:
            raise HoldcourseError(
                f"reversibility of {row.get('operation', 'a write')}: no {', '.join(missing)}; "
                "run the stage that makes the table again"
            )
    inverses = {
        str(row["operation"]): None
        if row["inverse"] is None or not row["documented"]
        else str(row["inverse"])
        for row in rows
    }
    return Undoing(inverses, reversible_operations(rows))


@dataclass(frozen=True)
class Candidate:
    """A prompt that may enter the pool; `rank` 0 are those of the suspected onset as the dataset has it."""

    row: PromptRow
    split: str
    rank: int


@dataclass(frozen=True)
class Material:
    """What candidates are made of: documentation, what can be undone, and how the graph asks."""

    docs: Docs
    undoing: Undoing
    settings: RecoveryConfig


def walked(
    trajectory: Mapping[str, object], material: Material, shift: int, left_out: LeftOut
) -> Iterator[Candidate]:
    """The candidates of one trajectory whose suspected onset is moved by `shift` steps.

    None if the onset would then lie before the true one or beyond the last step. A prompt that does not show
    what its right answer names is left out, and so is an n5 whose evidence leads elsewhere than the right
    decision of the trajectory: that of a walk which ended too early.
    """
    steps = steps_in(trajectory)
    suspected = int(cast("int", trajectory["suspected_onset"])) + shift
    first = cast("int | None", trajectory["onset"]) or 1
    if shift and not first <= suspected <= len(steps):
        return
    name = str(trajectory["id"])
    incident = incident_of(trajectory, material.docs, suspected)
    truth = truth_of(trajectory, material.undoing.reversible)
    for context, answer in taught(incident, truth, material.settings):
        unfit = _unfit(context, answer, trajectory)
        if unfit is not None:
            left_out[unfit] += 1
            continue
        messages = prompt(context, material.settings)
        known = evidence_of(context, answer, data_shown(messages), steps, material.undoing.inverses)
        row = PromptRow(
            id=f"{name}-{context.node}-{_place(context)}",
            node=context.node,
            task_id=str(trajectory["base_task_id"]),
            trajectory_id=name,
            messages=messages,
            label=answer_json(answer),
            evidence={**known, "origin": _origin(trajectory)},
        )
        if hidden(row):
            left_out[f"{row.node}: the prompt has no room for what the answer names"] += 1
            continue
        yield Candidate(row, str(trajectory["split"]), abs(shift))


def data_shown(messages: Sequence[ChatMessage]) -> str:
    """The data of a prompt: its last message. A worked example before it may name the same operations."""
    return messages[-1].content or ""


def hidden(row: PromptRow) -> list[str]:
    """Operations that the right answer rests on and the prompt does not show, cut to its limits as it is."""
    evidence = row.evidence
    inverses = documented_inverses(row)
    reversible = cast("Sequence[str]", evidence.get("reversible") or ())
    needed = [
        *(
            operation
            for key in ("writes", "reads")
            for operation in cast("Sequence[str]", evidence.get(key) or ())
        ),
        *inverses,
        *(inverse for write in reversible if (inverse := inverses[write]) is not None),
    ]
    shown = data_shown(row.messages)
    return [operation for operation in needed if operation not in shown]


def operations_asked(row: PromptRow) -> frozenset[str]:
    """The write operations that n3 and n4 are asked about; empty at the other nodes."""
    asked = row.evidence.get("operations")
    return frozenset(str(operation) for operation in asked) if isinstance(asked, list) else frozenset()


def prompt_digest_of(row: PromptRow) -> str:
    """Digest of a prompt's text; equal prompts are one."""
    return hashlib.sha256(row.prompt.encode(errors="replace")).hexdigest()


def _unfit(context: Context, answer: Answer, trajectory: Mapping[str, object]) -> str | None:
    if not isinstance(context, DecideContext) or not isinstance(answer, DecideAnswer):
        return None
    # A run that never drifted is rolled back to where it was suspected, wherever that is.
    if trajectory["onset"] is None:
        return None
    right = (trajectory["right_action"], trajectory["right_target"] if answer.target is not None else None)
    return (
        None
        if right == (answer.action, answer.target)
        else "n5: what the walk found leads to another decision"
    )


def _place(context: Context) -> str:
    if isinstance(context, ClassifyContext | DetectContext):
        onset = f"-k{context.onset}" if isinstance(context, ClassifyContext) else ""
        return f"{context.step.number}{onset}"
    if isinstance(context, DecideContext):
        return f"k{context.onset}"
    return hashlib.sha256(" ".join(context.writes).encode()).hexdigest()[:8]


def _origin(trajectory: Mapping[str, object]) -> dict[str, JsonValue]:
    """Where a prompt comes from: what the card counts and the check of the split compares."""
    base = str(trajectory["base_task_id"])
    fields = {key: trajectory.get(key) for key in ("type", "carrier", "wording")}
    return cast(
        "dict[str, JsonValue]",
        {
            **fields,
            "payload": trajectory["payload_task_id"],
            "person": trajectory.get("person") or base,
            "source": "walk",
        },
    )
