"""Draw one replication's tasks: the held-out set and the experience batches (GRACE §3)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_json
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import ProtocolSlice
from holdcourse.stages.stage import Stage
from holdcourse.telecom.data import engine_identity
from holdcourse.telecom.protocol import draw_protocol
from holdcourse.telecom.tasks import load_catalogue


def main(cfg: ProtocolSlice, out: Path) -> None:
    """Write protocol/seed{S}.json."""
    protocol = draw_protocol(load_catalogue(), cfg.protocol, cfg.seed)
    write_json(ShiftPaths(out).protocol(cfg.seed), protocol.to_json())


def _inputs(cfg: ProtocolSlice, out: Path) -> Sequence[Path]:
    return ()


def _outputs(cfg: ProtocolSlice, out: Path) -> Sequence[Path]:
    return (ShiftPaths(out).protocol(cfg.seed),)


def _provenance(cfg: ProtocolSlice, out: Path) -> Path:
    return ShiftPaths(out).protocol(cfg.seed).with_suffix(".provenance.json")


STAGE = Stage(
    name="protocol",
    module="holdcourse.stages.protocol",
    config=ProtocolSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
