"""The auditor: a model reads a whole instruction and counts contradictions and redundancies (GRACE §4).

Each audit is repeated; a repeat is a trial of its own, with a decoding seed of its own. A repeat whose
replies cannot be read is counted as unparsed and gives no count, never a count of 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from holdcourse.config.role_model import RoleModel
from holdcourse.llm.chat import ChatMessage, ChatModel, ChatRequest, Role, Sampling
from holdcourse.llm.ledger import total_cost
from holdcourse.llm.replies import Parsed, ask_json, quote_block
from holdcourse.llm.templates import prompt_templates
from holdcourse.metrics.audit_record import AuditRecord, AuditRepeat, AuditUsage, Finding, Findings

PROMPTS = Path(__file__).parent / "prompts"

_SEEDS = 2**31
"""Providers take a seed as a signed number of 32 bits."""


def audit(
    door: ChatModel,
    model: RoleModel,
    instruction: str,
    checkpoint: int,
    repeats: int,
    attempts: int,
    units: int | None = None,
    edges: int | None = None,
    seed: int = 0,
) -> AuditRecord:
    """Audit one checkpoint's instruction.

    Args:
        door: where the auditor is asked.
        model: the auditor's model and decoding.
        instruction: the whole text ℓ_t.
        checkpoint: t.
        repeats: independent readings; trial 0..repeats-1, each with a decoding seed of its own.
        attempts: how often one reading is asked for until its reply can be read, at least 1.
        units: nodes of the instruction graph, if the arm has one.
        edges: its edges.
        seed: the study's seed, from which the decoding seeds are derived.

    Raises:
        ModelError: a call failed for good.
    """
    messages = _render("auditor", {"instruction": instruction})
    answers = [
        ask_json(
            door,
            ChatRequest(
                role="auditor",
                model=model.model,
                messages=messages,
                sampling=Sampling(
                    model.temperature,
                    model.max_tokens,
                    decoding_seed(instruction, checkpoint, trial, seed),
                    json_reply=True,
                ),
                trial=trial,
            ),
            Findings,
            attempts,
        )
        for trial in range(repeats)
    ]
    reasons = tuple(answer.reason for answer in answers if not isinstance(answer, Parsed))
    cost = total_cost(answer.cost_usd for answer in answers)
    return AuditRecord(
        checkpoint=checkpoint,
        repeats=tuple(
            _repeat(trial, answer.value, instruction)
            for trial, answer in enumerate(answers)
            if isinstance(answer, Parsed)
        ),
        unparsed=len(reasons),
        unparsed_reasons=reasons,
        characters=len(instruction),
        units=units,
        edges=edges,
        usage=AuditUsage(
            calls=sum(answer.attempts for answer in answers),
            prompt_tokens=sum(answer.usage.prompt_tokens for answer in answers),
            completion_tokens=sum(answer.usage.completion_tokens for answer in answers),
            cost_usd="unknown" if cost is None else cost,
        ),
    )


def decoding_seed(instruction: str, checkpoint: int, trial: int, seed: int) -> int:
    """The seed that a repeat asks its provider for: a hash of what tells the repeat from all others."""
    text = hashlib.sha256(instruction.encode()).hexdigest()
    drawn = hashlib.sha256(json.dumps(["audit", seed, text, checkpoint, trial]).encode()).digest()
    return int.from_bytes(drawn[:8], "big") % _SEEDS


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


def _render(role: Role, blocks: Mapping[str, str]) -> tuple[ChatMessage, ChatMessage]:
    """The system and the user message of a role, its material given as quoted blocks."""
    quoted = {tag: quote_block(tag, text) for tag, text in blocks.items()}
    system = prompt_templates(PROMPTS).get_template(f"{role}.system.j2").render()
    user = prompt_templates(PROMPTS).get_template(f"{role}.user.j2").render(quoted)
    return ChatMessage("system", system), ChatMessage("user", user)
