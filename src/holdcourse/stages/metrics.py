"""Reliability of every arm, seed, checkpoint and intent from the evaluation records (GRACE §3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from holdcourse.files import read_json, read_jsonl
from holdcourse.metrics.frames import REFERENCE_ARM, EvaluatedRun, metrics_of_scores, task_scores_frame
from holdcourse.metrics.records import check_complete, read_records
from holdcourse.stages.launch import command_line
from holdcourse.stages.parquet import write_parquet
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import MetricsSlice
from holdcourse.stages.stage import Stage
from holdcourse.telecom.protocol import Protocol


def main(cfg: MetricsSlice, out: Path) -> None:
    """Write metrics.parquet and, for the intervals, task_scores.parquet: one row a task and k."""
    paths = ShiftPaths(out)
    scores = task_scores_frame(_runs(cfg, paths), cfg.ks)
    write_parquet(paths.shift / "task_scores.parquet", scores)
    write_parquet(paths.metrics, metrics_of_scores(scores))


def _runs(cfg: MetricsSlice, paths: ShiftPaths) -> Iterator[EvaluatedRun]:
    for seed in cfg.seeds:
        heldout = Protocol.from_json(read_json(paths.protocol(seed))).heldout
        for arm, checkpoint, path in _evaluations(cfg, paths, seed):
            records = read_records(read_jsonl(path), str(path))
            check_complete(records, heldout, cfg.trials, str(path))
            yield EvaluatedRun(arm, seed, checkpoint, records)


def _evaluations(cfg: MetricsSlice, paths: ShiftPaths, seed: int) -> Iterator[tuple[str, int, Path]]:
    for arm in cfg.arms:
        for checkpoint in range(cfg.batches + 1):
            yield arm, checkpoint, paths.checkpoint(arm, seed, checkpoint) / "evaluation.jsonl"
    yield REFERENCE_ARM, 0, paths.reference(seed) / "evaluation.jsonl"


def _inputs(cfg: MetricsSlice, out: Path) -> Sequence[Path]:
    paths = ShiftPaths(out)
    evaluations = [path for seed in cfg.seeds for _, _, path in _evaluations(cfg, paths, seed)]
    return [*(paths.protocol(seed) for seed in cfg.seeds), *evaluations]


def _outputs(cfg: MetricsSlice, out: Path) -> Sequence[Path]:
    paths = ShiftPaths(out)
    return [paths.metrics, paths.shift / "task_scores.parquet"]


def _provenance(cfg: MetricsSlice, out: Path) -> Path:
    return ShiftPaths(out).metrics.with_suffix(".provenance.json")


STAGE = Stage(
    name="metrics",
    module="holdcourse.stages.metrics",
    config=MetricsSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
