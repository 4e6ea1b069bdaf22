"""Where the shift study's files stand under results/{study}/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdcourse.config.schema import ProtocolConfig


@dataclass(frozen=True)
class ShiftPaths:
    """Files of the shift study; `out` is results/{study}."""

    out: Path

    @property
    def shift(self) -> Path:
        """Folder of the shift study."""
        return self.out / "shift"

    def protocol(self, seed: int) -> Path:
        """The task lists of one replication."""
        return self.shift / "protocol" / f"seed{seed}.json"

    def batch(self, arm: str, seed: int, batch: int) -> Path:
        """Folder of what an arm made of one batch; batch 0 holds ℓ_0."""
        return self.shift / arm / f"seed{seed}" / f"batch{batch:02d}"

    def checkpoint(self, arm: str, seed: int, checkpoint: int) -> Path:
        """Folder of one checkpoint's evaluation and audit."""
        return self.shift / arm / f"seed{seed}" / f"checkpoint{checkpoint:02d}"

    def reference(self, seed: int) -> Path:
        """Folder of the zero-shot reference model's evaluation of ℓ_0."""
        return self.shift / "reference" / f"seed{seed}"

    def sensitivity(self, arm: str, slope: float) -> Path:
        """Task scores of an arm's last checkpoint under one slope of the competence curve."""
        return self.shift / "sensitivity" / arm / f"slope{slope}.parquet"

    @property
    def metrics(self) -> Path:
        """One row an arm, seed, checkpoint, intent and k."""
        return self.shift / "metrics.parquet"

    def journal(self, unit: Path, identity: str) -> Path:
        """Folder of a unit's journals: outside all declared outputs, apart for each identity."""
        return self.out / "journal" / unit.relative_to(self.out) / identity[:16]

    def lock(self, record: Path) -> Path:
        """The lock of the unit whose provenance is `record`."""
        return self.out / "journal" / "locks" / f"{'-'.join(record.relative_to(self.out).parts)}.lock"


def instruction_files(protocol: ProtocolConfig) -> Sequence[Path]:
    """The user's file that holds ℓ_0, if the protocol names one."""
    return [Path(protocol.initial_instruction_file)] if protocol.initial_instruction_file else []
