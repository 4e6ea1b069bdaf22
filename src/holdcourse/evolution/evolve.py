"""F_Evolve for the graph arms: (G_{t-1}, ℓ_{t-1}, o_t) to (G_t, ℓ_t) (GRACE §2.2).

Planning, relation maintenance, structural analysis when the arm has it, delta reconstruction. The
arm decides by its switches and sizes alone; its name reaches no request.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.config.schema import ArmConfig
from holdcourse.evolution.analysis import Analysis, analyse
from holdcourse.evolution.asking import Asker, usage_record
from holdcourse.evolution.edits import Applied, apply_edits, edit_record
from holdcourse.evolution.graph import InstructionGraph, by_id
from holdcourse.evolution.observation import Observation
from holdcourse.evolution.planner import Proposal, plan
from holdcourse.evolution.reconstruction import Reconstruction, reconstruct
from holdcourse.evolution.relations import review_relations
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.state import GraphState


@dataclass(frozen=True)
class Step:
    """Edits that a role proposed and what became of them."""

    proposal: Proposal
    applied: Applied

    def to_record(self) -> dict[str, JsonValue]:
        """The step as JSON: proposed, applied, refused with reasons, the ids given to new nodes."""
        refused = (*self.proposal.refused, *self.applied.refused)
        return {
            "proposed": list(self.proposal.proposed),
            "applied": [edit_record(edit) for edit in self.applied.applied],
            "refused": [refusal.to_record() for refusal in refused],
            "ids": dict(self.applied.ids),
            "unparsed": self.proposal.unparsed,
        }


@dataclass(frozen=True)
class GraphEvolution:
    """The state of batch t and how it came about."""

    state: GraphState
    planning: Step
    relations: Step
    structural_analysis: bool
    analysis: Analysis
    reconstruction: Reconstruction

    def edits_record(self) -> dict[str, JsonValue]:
        """The value of edits.json."""
        usages = (
            *self.planning.proposal.usage,
            *self.relations.proposal.usage,
            *self.reconstruction.usage,
        )
        return {
            "planning": self.planning.to_record(),
            "relations": self.relations.to_record(),
            "reconstruction": self.reconstruction.to_record(),
            "usage": usage_record(usages),
        }

    def analysis_record(self) -> dict[str, JsonValue]:
        """The value of analysis.json."""
        return {
            "structural_analysis": self.structural_analysis,
            "rounds": [[part.to_record() for part in parts] for parts in self.analysis.rounds],
            "contradictions": self.analysis.count("contradiction"),
            "redundancies": self.analysis.count("redundancy"),
            "verification_tokens": self.analysis.verification_tokens,
            "usage": usage_record(self.analysis.usage),
        }


def evolve_graph(
    state: GraphState, observation: Observation, arm: ArmConfig, schema: NetworkSchema, ask: Asker
) -> GraphEvolution:
    """Work an observation into the state.

    A role whose replies cannot be read contributes nothing, with the reason in the record; the rest
    goes on. An empty observation asks nobody and changes nothing.

    Args:
        state: G_{t-1}, ℓ_{t-1} and their layout.
        observation: o_t.
        arm: structural_analysis, radius, repair_rounds and relation_candidates are used.
        schema: the admissible relations T_G.
        ask: whom and how.
    """
    proposal = Proposal() if observation.is_empty else plan(state.graph, observation, schema, ask)
    planning = Step(proposal, apply_edits(state.graph, proposal.edits, schema))
    graph = planning.applied.graph
    proposal = review_relations(graph, planning.applied.edited, arm.relation_candidates, schema, ask)
    relations = Step(proposal, apply_edits(graph, proposal.edits, schema))
    graph = relations.applied.graph
    touched = by_id({*planning.applied.touched, *relations.applied.touched})
    analysis = _analysis(graph, touched, arm, schema, ask)
    reconstruction = reconstruct(state, analysis.graph, ask)
    return GraphEvolution(
        reconstruction.state, planning, relations, arm.structural_analysis, analysis, reconstruction
    )


def _analysis(
    graph: InstructionGraph, touched: tuple[str, ...], arm: ArmConfig, schema: NetworkSchema, ask: Asker
) -> Analysis:
    rounds = arm.repair_rounds if arm.structural_analysis else 0
    return analyse(graph, touched, arm.radius, rounds, schema, ask)
