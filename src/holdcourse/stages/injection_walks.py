"""Try the texts that address the recovery model itself against one backbone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from holdcourse.files import write_json
from holdcourse.llm.door import Door
from holdcourse.recovery.injection_suite import WHERE, Where, attacks, probes, run_suite
from holdcourse.recovery.injections import KINDS, PAYLOADS, Payload
from holdcourse.stages.backbones import adapter_files, backbone_of
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import InjectionWalksSlice
from holdcourse.stages.stage import Stage, unit_journals

SMALL_WHERE: tuple[Where, ...] = ("came_in", "output")
"""Places that a small model in this process is tried at: where the agent reads what others wrote."""


def main(cfg: InjectionWalksSlice, out: Path) -> None:
    """Write drift/injection/{backbone}.json: what came of the attacks, by kind and in all."""
    payloads, where = tried(cfg)
    chosen = probes()
    truths = {probe.incident.id: probe.truth for probe in chosen}
    truths |= {attack.incident.id: attack.probe.truth for attack in attacks(chosen, payloads, where)}
    journals = unit_journals(STAGE, cfg, out)
    door = Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift)
    backbone = backbone_of(cfg, out, door, truths)
    rows = run_suite(backbone, cfg.recovery, chosen, payloads, where)
    record = {
        "backbone": cfg.backbone,
        "model": _model(cfg),
        "payloads": len(payloads),
        "where": list(where),
        "rows": [{**asdict(row), "rate": row.rate} for row in rows],
    }
    write_json(DriftPaths(out).injection_walks(cfg.backbone), cast("dict[str, JsonValue]", record))


def tried(cfg: InjectionWalksSlice) -> tuple[Sequence[Payload], Sequence[Where]]:
    """The payloads and places that a job tries: all of them, or for a small model some of each kind."""
    wanted = cfg.injection.small_payloads
    if cfg.small_model is None or wanted is None:
        return PAYLOADS, WHERE
    by_kind = [[payload for payload in PAYLOADS if payload.kind == kind] for kind in KINDS]
    in_turns = [payload for turn in zip_longest(*by_kind) for payload in turn if payload is not None]
    return in_turns[:wanted], SMALL_WHERE


def _model(cfg: InjectionWalksSlice) -> str | None:
    if cfg.small_model is not None:
        return cfg.small_model.policy.label
    role = cfg.drift_agents.get(f"recovery_{cfg.main_agent}")
    return role.model if role else None


def _inputs(cfg: InjectionWalksSlice, out: Path) -> Sequence[Path]:
    return adapter_files(cfg, out)


def _outputs(cfg: InjectionWalksSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).injection_walks(cfg.backbone)]


def _provenance(cfg: InjectionWalksSlice, out: Path) -> Path:
    return DriftPaths(out).injection_walks(cfg.backbone).with_suffix(".provenance.json")


def _unit(cfg: InjectionWalksSlice, out: Path) -> Path:
    return DriftPaths(out).injection_walks(cfg.backbone).with_suffix("")


STAGE = Stage(
    name="injection_walks",
    module="holdcourse.stages.injection_walks",
    config=InjectionWalksSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
)

if __name__ == "__main__":
    command_line(STAGE)
