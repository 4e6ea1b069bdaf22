"""Table 1, Table 5, Figures 3-7, examples and each adapter's page from the scored completions (§5.3-5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from holdcourse.config.section import Section
from holdcourse.config.study_command import told_results
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl, read_object, write_text
from holdcourse.llm.chat import canonical_json
from holdcourse.report.drift_evaluation import drift_evaluation
from holdcourse.report.drift_examples import examples, examples_page
from holdcourse.report.drift_figures import drift_figures
from holdcourse.report.drift_hyperparameters import drift_hyperparameters
from holdcourse.report.drift_intrinsic import (
    drift_intrinsic,
    drift_intrinsic_components,
    drift_intrinsic_nodes,
)
from holdcourse.report.intrinsic_claims import drift_intrinsic_claims
from holdcourse.report.intrinsic_names import INTRINSIC_FIGURES, INTRINSIC_TABLES
from holdcourse.report.intrinsic_results import VARIANTS, IntrinsicResults, IntrinsicSetting
from holdcourse.report.names import TABLE_FORMATS
from holdcourse.report.writing import as_markdown, write_figure, write_table
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.provenance import digests
from holdcourse.stages.stage import Stage
from holdcourse.stages.training_slices import IntrinsicReportSlice
from holdcourse.training.checkpoints import ADAPTER_FILES
from holdcourse.training.prompt_rows import read_prompts


def main(cfg: IntrinsicReportSlice, out: Path) -> None:
    """Write tables/drift_*.*, figures/drift_*.*, examples.html and each adapter's evaluation.md."""
    paths = DriftPaths(out)
    units = [(*run, variant) for run in _runs(cfg) for variant in VARIANTS]
    completions = {unit: read_jsonl(paths.intrinsic(*unit)) for unit in units}
    records = {run: _checked(cfg, out, run) for run in _runs(cfg)}
    results = IntrinsicResults.of((*unit, row) for unit, rows in completions.items() for row in rows)
    first = cfg.training.seeds[0]
    setting = _setting(cfg, out, records)
    devices = {cfg.policies[name].label: str(records[name, first]["device"]) for name in cfg.policies}
    groups: dict[str, JsonValue] = {
        name: getattr(cfg, name).model_dump(mode="json") for name in ("training", "reward", "judge")
    }
    for table in (
        drift_intrinsic(results, setting),
        drift_intrinsic_nodes(results, setting),
        drift_intrinsic_components(results, setting),
        drift_hyperparameters(groups, setting, devices),
        drift_intrinsic_claims(results, setting),
    ):
        write_table(table, out / "tables")
    for name, figure in drift_figures(results, setting, cfg.report).items():
        write_figure(figure, name, out / "figures", cfg.report)
    for run, record in records.items():
        page = drift_evaluation(results, setting, *run, str(record["adapter_sha256"]))
        write_text(paths.evaluation(*run), as_markdown(page))
    shown = {
        (policy, variant): completions[policy, first, variant]
        for policy in cfg.policies
        for variant in VARIANTS
    }
    prompts = {
        row.id: (row.prompt, canonical_json(dict(row.label)))
        for row in read_prompts(paths.prompts("heldout"))
    }
    write_text(_page(out), examples_page(examples(results, setting, shown, prompts), setting))


def _checked(cfg: IntrinsicReportSlice, out: Path, run: tuple[str, int]) -> Mapping[str, JsonValue]:
    """What a training run says about itself, once it is clear that all belongs together.

    Provenance tells it. It names the commit as well, so that it can be no input of this stage.

    Raises:
        HoldcourseError: run or completions were made with other settings, prompts, or with another adapter.
    """
    paths = DriftPaths(out)
    policy, _ = run
    scored = {"policy_model": cfg.policies[policy], "reward": cfg.reward, "judge": cfg.judge}
    told = paths.training(*run) / "training.json"
    _same(told, told.with_name("provenance.json"), {**scored, "training": cfg.training}, cfg)
    record = read_object(told)
    given = digests([paths.prompts("heldout")], out)
    for variant in VARIANTS:
        completions = paths.intrinsic(*run, variant)
        record_of_it = completions.with_suffix(".provenance.json")
        _same(completions, record_of_it, {**scored, "decoding": cfg.training.decoding}, cfg)
        if variant == "trained":
            adapter = paths.adapter(*run) / ADAPTER_FILES[1]
            given[str(adapter.relative_to(out))] = record.get("adapter_sha256")
        found = read_object(record_of_it).get("inputs")
        if not isinstance(found, dict) or not given.items() <= found.items():
            raise HoldcourseError(
                f"{completions} was not made with {' and '.join(Path(name).name for name in given)} as they "
                "are now; have stage intrinsic make it again"
            )
    return record


def _same(path: Path, provenance: Path, wanted: Mapping[str, Section], cfg: IntrinsicReportSlice) -> None:
    config = read_object(provenance).get("config")
    found = config if isinstance(config, dict) else {}
    differing = [
        name for name, section in wanted.items() if found.get(name) != section.model_dump(mode="json")
    ]
    if cfg.judge.kind == "llm":
        agents = cast("Mapping[str, Mapping[str, JsonValue]]", found.get("drift_agents") or {})
        if agents.get("judge", {}).get("model") != cfg.judge_model:
            differing.append("judge's model")
    if differing:
        raise HoldcourseError(
            f"{path} was made with another {' and '.join(differing)} than this report is asked for; give the "
            "settings it was made with, or make it again"
        )


def _setting(
    cfg: IntrinsicReportSlice, out: Path, records: Mapping[tuple[str, int], Mapping[str, JsonValue]]
) -> IntrinsicSetting:
    return IntrinsicSetting(
        study=cfg.study,
        policies=cfg.policies,
        seeds=cfg.training.seeds,
        preset=cfg.training.name,
        samples=cfg.training.intrinsic.samples,
        reward=cfg.reward,
        judge=str(next(iter(records.values()))["judge"]),
        judge_model=cfg.judge_model if cfg.judge.kind == "llm" else None,
        trajectory_agent=cfg.trajectory_agent,
        evaluation=cfg.evaluation,
        paper=cfg.paper_drift,
        overrides=cfg.overrides,
        results=told_results(out.parent),
        stopped={
            run: f"{record['stopped']}; the adapter is that of step {record['adapter_step']} of "
            f"{record['planned_steps']}"
            for run, record in records.items()
            if record.get("stopped") is not None
        },
    )


def _page(out: Path) -> Path:
    return DriftPaths(out).drift / "intrinsic" / "examples.html"


def _inputs(cfg: IntrinsicReportSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [
        paths.prompts("heldout"),
        *(paths.training(*run) / "training.json" for run in _runs(cfg)),
        *(paths.intrinsic(*run, variant) for run in _runs(cfg) for variant in VARIANTS),
    ]


def _outputs(cfg: IntrinsicReportSlice, out: Path) -> Sequence[Path]:
    return [
        *(out / "tables" / f"{name}.{kind}" for name in INTRINSIC_TABLES for kind in TABLE_FORMATS),
        *(out / "figures" / f"{name}.{kind}" for name in INTRINSIC_FIGURES for kind in cfg.report.formats),
        _page(out),
        *(DriftPaths(out).evaluation(*run) for run in _runs(cfg)),
    ]


def _runs(cfg: IntrinsicReportSlice) -> Sequence[tuple[str, int]]:
    return [(policy, seed) for policy in cfg.policies for seed in cfg.training.seeds]


def _provenance(cfg: IntrinsicReportSlice, out: Path) -> Path:
    return DriftPaths(out).drift / "intrinsic" / "report.provenance.json"


STAGE = Stage(
    name="intrinsic_report",
    module="holdcourse.stages.intrinsic_report",
    config=IntrinsicReportSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
