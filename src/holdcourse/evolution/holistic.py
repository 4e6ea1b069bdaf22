"""HCE, the flat-text baseline: one call rewrites the whole instruction, one guard mends it (GRACE §3)."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.evolution.asking import Asker, RoleUsage, ask_role, usage_record
from holdcourse.evolution.observation import Observation
from holdcourse.evolution.shapes import FindingShape, GuardReply, HolisticReply
from holdcourse.llm.replies import Unparsed


@dataclass(frozen=True)
class HolisticEvolution:
    """ℓ_t, why a step left the text as it was, and what the guard found."""

    instruction: str
    rewritten: str
    unchanged_because: str | None
    findings: tuple[FindingShape, ...]
    unmended_because: str | None
    rewrite_usage: tuple[RoleUsage, ...]
    guard_usage: tuple[RoleUsage, ...]

    def edits_record(self) -> dict[str, JsonValue]:
        """The value of edits.json."""
        return {
            "holistic": {
                "rewritten_characters": len(self.rewritten),
                "unchanged_because": self.unchanged_because,
            },
            "usage": usage_record(self.rewrite_usage),
        }

    def analysis_record(self) -> dict[str, JsonValue]:
        """The value of analysis.json."""
        kinds = [finding.kind for finding in self.findings]
        return {
            "structural_analysis": False,
            "findings": [finding.model_dump() for finding in self.findings],
            "contradictions": kinds.count("contradiction"),
            "redundancies": kinds.count("redundancy"),
            "unchanged_because": self.unmended_because,
            "verification_tokens": sum(usage.tokens for usage in self.guard_usage),
            "usage": usage_record(self.guard_usage),
        }


def evolve_holistic(instruction: str, observation: Observation, ask: Asker) -> HolisticEvolution:
    """Rewrite an instruction in the light of an observation, then guard its consistency.

    An empty observation changes nothing and asks nobody. A rewrite that cannot be read leaves ℓ as it
    was, unguarded; a guard that cannot be read leaves the rewrite as it is.

    Args:
        instruction: ℓ_{t-1}.
        observation: o_t.
        ask: whom and how.
    """
    if observation.is_empty:
        reason = "the observation is empty"
        return HolisticEvolution(instruction, instruction, reason, (), reason, (), ())
    blocks: dict[str, JsonValue] = {"instruction": instruction, "observation": observation.to_record()}
    answer, rewrite_usage = ask_role(ask, "holistic", blocks, HolisticReply)
    if isinstance(answer, Unparsed):
        skipped = "there was no rewrite to guard"
        return HolisticEvolution(instruction, instruction, answer.reason, (), skipped, (rewrite_usage,), ())
    rewritten = answer.value.instruction
    guarded, guard_usage = ask_role(ask, "guard", {"instruction": rewritten}, GuardReply)
    usages = ((rewrite_usage,), (guard_usage,))
    if isinstance(guarded, Unparsed):
        return HolisticEvolution(rewritten, rewritten, None, (), guarded.reason, *usages)
    mended, findings = guarded.value.instruction, tuple(guarded.value.findings)
    return HolisticEvolution(mended, rewritten, None, findings, None, *usages)
