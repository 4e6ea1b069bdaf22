"""Evaluate a checkpoint ℓ_t on the held-out tasks, some trials each (GRACE §3)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.config.role_model import RoleModel
from holdcourse.files import read_json, read_text, write_jsonl
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import EvaluateSlice, TrialsSlice
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.unit_door import (
    door_factory,
    simulation_timeout_s,
)
from holdcourse.stages.unit_journal import UnitJournals
from holdcourse.stages.unit_simulations import simulate_unit
from holdcourse.telecom.data import engine_identity
from holdcourse.telecom.evaluation import RolloutPlan, jobs_for
from holdcourse.telecom.protocol import Protocol


def evaluate_instruction(
    cfg: TrialsSlice, agent: RoleModel, instruction: Path, target: Path, journals: UnitJournals, out: Path
) -> None:
    """Simulate the held-out tasks under an instruction and write evaluation.jsonl, by task and trial."""
    protocol = Protocol.from_json(read_json(ShiftPaths(out).protocol(cfg.seed)))
    plan = RolloutPlan(
        instruction=read_text(instruction),
        agent=agent,
        user=cfg.models["user"],
        rollout=cfg.rollout,
        seed=cfg.seed,
        door=door_factory(journals, cfg),
        simulation_timeout_s=simulation_timeout_s(cfg),
    )
    simulations = simulate_unit(plan, jobs_for(protocol.heldout, cfg.trials), cfg, journals, "evaluation")
    write_jsonl(target, [simulation.record() for simulation in simulations])


def main(cfg: EvaluateSlice, out: Path) -> None:
    """Write checkpoint{TT}/evaluation.jsonl."""
    folder = ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint)
    journals = unit_journals(STAGE, cfg, out)
    instruction = _inputs(cfg, out)[1]
    evaluate_instruction(cfg, cfg.models["agent"], instruction, folder / "evaluation.jsonl", journals, out)


def _inputs(cfg: EvaluateSlice, out: Path) -> Sequence[Path]:
    paths = ShiftPaths(out)
    return [
        paths.protocol(cfg.seed),
        paths.batch(cfg.arm_name, cfg.seed, cfg.checkpoint) / "instruction.md",
    ]


def _outputs(cfg: EvaluateSlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint) / "evaluation.jsonl"]


def _provenance(cfg: EvaluateSlice, out: Path) -> Path:
    return ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint) / "evaluation.provenance.json"


def _unit(cfg: EvaluateSlice, out: Path) -> Path:
    return ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint)


STAGE = Stage(
    name="evaluate",
    module="holdcourse.stages.evaluate",
    config=EvaluateSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
