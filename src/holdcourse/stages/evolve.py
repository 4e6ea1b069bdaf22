"""One experience batch: roll out ℓ_{t-1}, digest failures, reflect, let the arm make ℓ_t (GRACE §2.2)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from holdcourse.evolution.asking import Asker
from holdcourse.evolution.evolve import evolve_graph
from holdcourse.evolution.holistic import evolve_holistic
from holdcourse.evolution.observation import Observation
from holdcourse.evolution.reflection import reflect
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.state import GraphState
from holdcourse.files import read_json, read_text, write_json, write_jsonl, write_text
from holdcourse.stages.initial import FLAT
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import EvolveSlice
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.unit_door import (
    asking,
    door_factory,
    simulation_timeout_s,
    write_ledger,
)
from holdcourse.stages.unit_simulations import simulate_unit
from holdcourse.telecom.data import engine_identity
from holdcourse.telecom.digest import failure_digests
from holdcourse.telecom.evaluation import RolloutPlan, jobs_for
from holdcourse.telecom.protocol import Protocol, derive_seed

log = logging.getLogger(__name__)


def main(cfg: EvolveSlice, out: Path) -> None:
    """Write batch{TT}/: experience, observation, edits, analysis, graph, layout, instruction and ledger."""
    paths = ShiftPaths(out)
    folder = paths.batch(cfg.arm.name, cfg.seed, cfg.batch)
    journals = unit_journals(STAGE, cfg, out)
    instruction = read_text(paths.batch(cfg.arm.name, cfg.seed, cfg.batch - 1) / "instruction.md")
    batch = Protocol.from_json(read_json(paths.protocol(cfg.seed))).batch(cfg.batch)
    plan = RolloutPlan(
        instruction=instruction,
        agent=cfg.models["agent"],
        user=cfg.models["user"],
        rollout=cfg.rollout,
        seed=cfg.seed,
        door=door_factory(journals, cfg),
        transcripts=True,
        simulation_timeout_s=simulation_timeout_s(cfg),
    )
    simulations = simulate_unit(plan, jobs_for(batch.tasks, trials=1), cfg, journals, "experience")
    write_jsonl(folder / "experience.jsonl", [simulation.detailed_record() for simulation in simulations])
    with asking(journals, cfg) as door:
        seed = derive_seed(cfg.seed, "evolution", cfg.batch)
        ask = Asker(door, cfg.models, seed, cfg.arm.reply_attempts)
        reflection = reflect(failure_digests(simulations), ask)
        write_json(folder / "observation.json", reflection.to_record())
        records, evolved = _evolve(cfg, paths, instruction, reflection.observation, ask)
        write_ledger(folder / "ledger.jsonl", simulations, door.lines)
    for name, record in records.items():
        write_json(folder / f"{name}.json", record)
    write_text(folder / "instruction.md", evolved)
    log.info(
        "batch %d: %d lessons, %d characters", cfg.batch, len(reflection.observation.lessons), len(evolved)
    )


def _evolve(
    cfg: EvolveSlice, paths: ShiftPaths, instruction: str, observation: Observation, ask: Asker
) -> tuple[dict[str, object], str]:
    if cfg.graph is None:
        flat = evolve_holistic(instruction, observation, ask)
        records: dict[str, object] = {"edits": flat.edits_record(), "analysis": flat.analysis_record()}
        return {**records, "graph": FLAT, "layout": FLAT}, flat.instruction
    schema = NetworkSchema.from_config(cfg.graph)
    before = paths.batch(cfg.arm.name, cfg.seed, cfg.batch - 1)
    state = GraphState.load(
        instruction, read_json(before / "graph.json"), read_json(before / "layout.json"), schema
    )
    result = evolve_graph(state, observation, cfg.arm, schema, ask)
    return {
        "edits": result.edits_record(),
        "analysis": result.analysis_record(),
        "graph": result.state.graph.to_record(),
        "layout": result.state.layout.to_record(),
    }, result.state.instruction


def _inputs(cfg: EvolveSlice, out: Path) -> Sequence[Path]:
    paths = ShiftPaths(out)
    before = paths.batch(cfg.arm.name, cfg.seed, cfg.batch - 1)
    return [
        paths.protocol(cfg.seed),
        *(before / name for name in ("instruction.md", "graph.json", "layout.json")),
    ]


FILES = (
    "experience.jsonl",
    "observation.json",
    "edits.json",
    "analysis.json",
    "graph.json",
    "layout.json",
    "instruction.md",
    "ledger.jsonl",
)


def _outputs(cfg: EvolveSlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).batch(cfg.arm.name, cfg.seed, cfg.batch) / name for name in FILES]


def _provenance(cfg: EvolveSlice, out: Path) -> Path:
    return ShiftPaths(out).batch(cfg.arm.name, cfg.seed, cfg.batch) / "provenance.json"


def _unit(cfg: EvolveSlice, out: Path) -> Path:
    return ShiftPaths(out).batch(cfg.arm.name, cfg.seed, cfg.batch)


STAGE = Stage(
    name="evolve",
    module="holdcourse.stages.evolve",
    config=EvolveSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
