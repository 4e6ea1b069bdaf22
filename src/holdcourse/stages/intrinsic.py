"""Let the base or the trained model answer the held-out node prompts, and score what it says (§5.3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_jsonl
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.scoring import scoring
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.training_slices import IntrinsicSlice
from holdcourse.training.checkpoints import ADAPTER_FILES
from holdcourse.training.prompt_rows import read_prompts


def main(cfg: IntrinsicSlice, out: Path) -> None:
    """Write drift/intrinsic/{policy_model}/seed{S}/{variant}.jsonl."""
    # torch takes seconds to import.
    import torch

    from holdcourse.training.base_model import base_model
    from holdcourse.training.intrinsic import Policy, evaluate

    paths = DriftPaths(out)
    torch.set_num_threads(cfg.workers)
    adapter = _adapter(cfg, out) if cfg.variant == "trained" else None
    policy = Policy.load(base_model(cfg.policy_model), adapter, cfg.decoding.dtype)
    journals = unit_journals(STAGE, cfg, out)
    with scoring(journals, cfg) as scorer, journals.open("completions") as journal:
        rows = evaluate(policy, read_prompts(paths.prompts("heldout")), scorer, cfg.decoding, journal)
    write_jsonl(_results(cfg, out), rows)


def _adapter(cfg: IntrinsicSlice, out: Path) -> Path:
    return DriftPaths(out).adapter(cfg.policy_model.name, cfg.seed)


def _results(cfg: IntrinsicSlice, out: Path) -> Path:
    return DriftPaths(out).intrinsic(cfg.policy_model.name, cfg.seed, cfg.variant)


def _inputs(cfg: IntrinsicSlice, out: Path) -> Sequence[Path]:
    prompts = [DriftPaths(out).prompts("heldout")]
    if cfg.variant == "base":
        return prompts
    return [*prompts, *(_adapter(cfg, out) / name for name in ADAPTER_FILES)]


def _outputs(cfg: IntrinsicSlice, out: Path) -> Sequence[Path]:
    return [_results(cfg, out)]


def _provenance(cfg: IntrinsicSlice, out: Path) -> Path:
    return _results(cfg, out).with_suffix(".provenance.json")


def _unit(cfg: IntrinsicSlice, out: Path) -> Path:
    return _results(cfg, out).with_suffix("")


STAGE = Stage(
    name="intrinsic",
    module="holdcourse.stages.intrinsic",
    config=IntrinsicSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
)

if __name__ == "__main__":
    command_line(STAGE)
