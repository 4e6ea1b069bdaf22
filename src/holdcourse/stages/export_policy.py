"""A trained policy for use elsewhere: a merged checkpoint, and a GGUF file where that is possible."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_json
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage
from holdcourse.stages.training_slices import ExportPolicySlice
from holdcourse.training.cache_folder import MANIFEST
from holdcourse.training.checkpoints import ADAPTER_FILES

GGUF = "policy-q8_0.gguf"


def main(cfg: ExportPolicySlice, out: Path) -> None:
    """Write drift/training/{policy_model}/seed{S}/export.json, the merged checkpoint and the GGUF file.

    Both stand in `export/` beside it: hundreds of megabytes, which no other stage reads.
    """
    # torch takes seconds to import.
    from holdcourse.training.base_model import base_model, packaged_file
    from holdcourse.training.cache_folder import file_sha256
    from holdcourse.training.gguf_export import export_gguf
    from holdcourse.training.merged_checkpoint import merged_checkpoint, merged_name

    base, adapter = base_model(cfg.policy_model), DriftPaths(out).adapter(cfg.policy_model.name, cfg.seed)
    merged, target = merged_checkpoint(base, adapter), _export(cfg, out)
    shutil.copytree(merged, target / "checkpoint", dirs_exist_ok=True)
    gguf = None
    if cfg.policy_model.source == "package":
        gguf = target / GGUF
        export_gguf(merged, packaged_file(cfg.policy_model.place), gguf)
    write_json(
        _record(cfg, out),
        {
            "name": merged_name(base, adapter),
            "checkpoint": "export/checkpoint",
            "gguf": None if gguf is None else f"export/{GGUF}",
            "gguf_sha256": None if gguf is None else file_sha256(gguf),
        },
    )


def _record(cfg: ExportPolicySlice, out: Path) -> Path:
    return DriftPaths(out).training(cfg.policy_model.name, cfg.seed) / "export.json"


def _export(cfg: ExportPolicySlice, out: Path) -> Path:
    return _record(cfg, out).with_name("export")


def _inputs(cfg: ExportPolicySlice, out: Path) -> Sequence[Path]:
    folder = DriftPaths(out).adapter(cfg.policy_model.name, cfg.seed)
    return [folder / name for name in ADAPTER_FILES]


def _outputs(cfg: ExportPolicySlice, out: Path) -> Sequence[Path]:
    # The manifest tells the digests of the checkpoint's other files.
    files = [_record(cfg, out), _export(cfg, out) / "checkpoint" / MANIFEST]
    return [*files, _export(cfg, out) / GGUF] if cfg.policy_model.source == "package" else files


def _provenance(cfg: ExportPolicySlice, out: Path) -> Path:
    return _record(cfg, out).with_suffix(".provenance.json")


STAGE = Stage(
    name="export_policy",
    module="holdcourse.stages.export_policy",
    config=ExportPolicySlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
