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
from holdcourse.recovery.injection_suite import Attack, attacks, probes, run_suite, spread
from holdcourse.recovery.injections import KINDS, PAYLOADS
from holdcourse.stages.backbones import adapter_files, backbone_of
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import InjectionWalksSlice
from holdcourse.stages.stage import Stage, unit_journals


def main(cfg: InjectionWalksSlice, out: Path) -> None:
    """Write drift/injection/{backbone}.json: what came of the attacks, by kind and in all."""
    planned = tried(cfg)
    truths = {attack.probe.incident.id: attack.probe.truth for attack in planned}
    truths |= {attack.incident.id: attack.probe.truth for attack in planned}
    journals = unit_journals(STAGE, cfg, out)
    door = Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift)
    with journals.open("answers") as answers:
        rows = run_suite(backbone_of(cfg, out, door, truths, answers), cfg.recovery, planned)
    record = {
        "backbone": cfg.backbone,
        "model": _model(cfg),
        "payloads": len({attack.payload.name for attack in planned}),
        "where": sorted({attack.where for attack in planned}),
        "rows": [{**asdict(row), "rate": row.rate} for row in rows],
    }
    write_json(DriftPaths(out).injection_walks(cfg.backbone), cast("dict[str, JsonValue]", record))


def tried(cfg: InjectionWalksSlice) -> tuple[Attack, ...]:
    """The attacks that a job tries: all, or for a small model that is slow here a sample over all kinds."""
    wanted = cfg.injection.small_payloads
    if cfg.small_model is None or wanted is None:
        return attacks(probes())
    by_kind = [[payload for payload in PAYLOADS if payload.kind == kind] for kind in KINDS]
    in_turns = [payload for turn in zip_longest(*by_kind) for payload in turn if payload is not None]
    return spread(probes(), in_turns[:wanted])


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
