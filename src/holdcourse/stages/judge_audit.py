"""Audit the judge of a training run: its scores by node and over the run, and where another disagrees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl, write_json, write_text
from holdcourse.llm.door import Door, is_simulated
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.training_slices import JudgeAuditSlice
from holdcourse.training.judge_audit import Judged, by_node, by_window, disagreements, judged_rows, sampled
from holdcourse.training.judge_audit_page import audit_page
from holdcourse.training.judge_grounded import GROUNDED
from holdcourse.training.judge_llm import llm_name
from holdcourse.training.judges import judging
from holdcourse.training.prompt_rows import PromptRow, read_prompts
from holdcourse.training.rewards.scorer import Judge


def main(cfg: JudgeAuditSlice, out: Path) -> None:
    """Write judge_audit.json and judge_audit.md beside the training run's files.

    Raises:
        HoldcourseError: a completion answers a prompt that the pool does not have, or the run has none.
    """
    completions, prompts = _inputs(cfg, out)
    rows = judged_rows(read_jsonl(completions), str(completions))
    pool = {row.id: row for row in read_prompts(prompts)}
    unknown = sorted({row.prompt_id for row in rows} - set(pool))
    if unknown:
        raise HoldcourseError(
            f"{completions} answers prompt {unknown[0]}, which {prompts} does not have; the pool was made "
            "anew since the model was trained, so train it again"
        )
    model = cfg.drift_agents["judge"]
    first = GROUNDED if cfg.judge.kind == "grounded" else llm_name(model)
    nodes, windows = by_node(rows), by_window(rows, cfg.judge_audit.windows)
    second, compared = _compared(cfg, out, rows, pool)
    table = disagreements(*compared, cfg.judge_audit.apart)
    folder = completions.parent
    write_json(
        folder / "judge_audit.json",
        {
            "judge": first,
            "other_judge": second,
            "nodes": [row.record() for row in nodes],
            "windows": [row.record() for row in windows],
            "disagreement": [row.record() for row in table] if second else None,
        },
    )
    policy = f"{cfg.policy_model.label}, seed {cfg.seed}"
    write_text(folder / "judge_audit.md", audit_page(policy, first, nodes, windows, second, table))


def _compared(
    cfg: JudgeAuditSlice, out: Path, rows: Sequence[Judged], pool: dict[str, PromptRow]
) -> tuple[str | None, tuple[list[Judged], list[float | None]]]:
    """Name and scores of the other judge; labels cost nothing, a model is asked about a sample."""
    model = cfg.drift_agents["judge"]
    if cfg.judge.kind == "llm":
        with judging(cfg.judge.model_copy(update={"kind": "grounded"})) as judge:
            return judge.name, _asked(judge, list(rows), pool)
    if is_simulated(model.model) or cfg.judge_audit.sample == 0:
        return None, ([], [])
    door = Door(None, cfg.door, unit_journals(STAGE, cfg, out).folder / "calls.jsonl")
    with judging(cfg.judge.model_copy(update={"kind": "llm"}), door, model) as judge:
        return judge.name, _asked(judge, sampled(rows, cfg.judge_audit), pool)


def _asked(
    judge: Judge, rows: list[Judged], pool: dict[str, PromptRow]
) -> tuple[list[Judged], list[float | None]]:
    return rows, judge.scores([(pool[row.prompt_id], row.completion) for row in rows])


def _inputs(cfg: JudgeAuditSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [
        paths.training(cfg.policy_model.name, cfg.seed) / "completions.jsonl",
        paths.prompts("train"),
    ]


def _outputs(cfg: JudgeAuditSlice, out: Path) -> Sequence[Path]:
    folder = DriftPaths(out).training(cfg.policy_model.name, cfg.seed)
    return [folder / "judge_audit.json", folder / "judge_audit.md"]


def _provenance(cfg: JudgeAuditSlice, out: Path) -> Path:
    return DriftPaths(out).training(cfg.policy_model.name, cfg.seed) / "judge_audit.provenance.json"


def _unit(cfg: JudgeAuditSlice, out: Path) -> Path:
    return DriftPaths(out).training(cfg.policy_model.name, cfg.seed) / "judge_audit"


STAGE = Stage(
    name="judge_audit",
    module="holdcourse.stages.judge_audit",
    config=JudgeAuditSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
)

if __name__ == "__main__":
    command_line(STAGE)
