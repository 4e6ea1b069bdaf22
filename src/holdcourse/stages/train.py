"""Train a policy on the node prompts with GRPO: an adapter, its curve and its model card (§4.5, §5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import read_jsonl, write_json, write_jsonl, write_text
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.provenance import git_commit
from holdcourse.stages.scoring import scoring
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.training_slices import TrainSlice
from holdcourse.stages.unit_journal import WORK
from holdcourse.training.cache_folder import file_sha256
from holdcourse.training.checkpoints import ADAPTER_FILES
from holdcourse.training.model_card import CardFacts, model_card
from holdcourse.training.prompt_rows import read_prompts


def main(cfg: TrainSlice, out: Path) -> None:
    """Write the adapter, curve.jsonl, completions.jsonl, training.json and README.md of one run."""
    # torch and TRL take seconds to import.
    from holdcourse.training.base_model import base_model
    from holdcourse.training.grpo import TrainingRun, train

    paths = DriftPaths(out)
    prompts = paths.prompts("train")
    folder = paths.training(cfg.policy_model.name, cfg.seed)
    journals = unit_journals(STAGE, cfg, out)
    work = journals.folder / WORK
    base = base_model(cfg.policy_model)
    with scoring(journals, cfg) as scorer:
        run = TrainingRun(cfg.training, base, read_prompts(prompts), scorer, cfg.seed, work)
        record = train(run, paths.adapter(cfg.policy_model.name, cfg.seed))
    for name in ("curve.jsonl", "completions.jsonl"):
        write_jsonl(folder / name, read_jsonl(work / name))
    facts = CardFacts(
        policy=cfg.policy_model,
        base_version=base.version,
        training=cfg.training,
        reward=cfg.reward,
        record=record,
        seed=cfg.seed,
        prompts_sha256=file_sha256(prompts),
        trajectory_agent=cfg.trajectory_agent,
        commit=git_commit(),
    )
    write_json(folder / "training.json", facts.as_json())
    write_text(folder / "README.md", model_card(facts))


def _inputs(cfg: TrainSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).prompts("train")]


def training_files(folder: Path) -> Sequence[Path]:
    """The files of a training run."""
    names = ("curve.jsonl", "completions.jsonl", "training.json", "README.md")
    return [*(folder / "adapter" / name for name in ADAPTER_FILES), *(folder / name for name in names)]


def _outputs(cfg: TrainSlice, out: Path) -> Sequence[Path]:
    return training_files(DriftPaths(out).training(cfg.policy_model.name, cfg.seed))


def _provenance(cfg: TrainSlice, out: Path) -> Path:
    return DriftPaths(out).training(cfg.policy_model.name, cfg.seed) / "provenance.json"


def _unit(cfg: TrainSlice, out: Path) -> Path:
    return DriftPaths(out).training(cfg.policy_model.name, cfg.seed) / "train"


STAGE = Stage(
    name="train",
    module="holdcourse.stages.train",
    config=TrainSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
)

if __name__ == "__main__":
    command_line(STAGE)
