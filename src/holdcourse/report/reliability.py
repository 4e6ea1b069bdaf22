"""Tables of reliability: every arm and checkpoint, and the zero-shot references (GRACE §4)."""

from __future__ import annotations

import pandas as pd

from holdcourse.metrics.frames import ALL_INTENTS, REFERENCE_ARM
from holdcourse.metrics.intervals import (
    joint_interval,
    mean_interval,
    paired_interval,
    seed_spread,
    seed_values,
)
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import PAPER_K, Setting
from holdcourse.report.table import Cell, Column, ReportTable


def shift_reliability(results: ShiftResults, setting: Setting) -> ReportTable:
    """pass^k of every arm at every checkpoint over all intents, and by intent at the first and last."""
    rows = []
    for arm in setting.arms:
        for checkpoint in results.checkpoints(arm):
            detailed = checkpoint in (0, setting.final)
            for intent in (ALL_INTENTS, *(results.intents() if detailed else ())):
                if len(results.cell(arm, checkpoint, setting.k, intent)):
                    rows.append(_reliability_row(results, setting, arm, checkpoint, intent))
    k = setting.k
    columns = (
        Column("arm", "arm"),
        Column("checkpoint", "checkpoint"),
        Column("intent", "intent"),
        Column("paper", f"paper pass^{k}"),
        Column("ours", setting.ours(f"pass^{k}", "agent"), 3),
        Column("low", f"{_level(setting)} low", 3),
        Column("high", f"{_level(setting)} high", 3),
        Column("joint_low", "joint low", 3),
        Column("joint_high", "joint high", 3),
        Column("sd", "sd over seeds", 3),
        Column("pass_hat_1", "pass^1", 3),
        Column("pass_at_k", f"pass@{k}", 3),
        Column("strict", f"strict pass^{k}", 3),
        Column("mean_reward", "mean reward", 3),
        Column("wrong_owner", "wrong-owner rate", 3),
        Column("seeds", "seeds", 0),
        Column("units", "task-seeds", 0),
        Column("excluded", "excluded task-seeds", 0),
        Column("infrastructure", "infrastructure failures", 0),
    )
    notes = (
        *unit_notes(setting),
        f"strict: reward 1 and the database left as the task's own solution leaves it. pass@{k}: at least "
        f"one of {k} trials succeeds. Mean reward and wrong-owner rate (trials with a call of a tool that "
        "the other side owns) are means over tasks.",
        _paper_note(setting),
    )
    return ReportTable(
        "shift_reliability",
        f"Reliability (pass^{k}) of each arm over the checkpoints of the shift study.",
        columns,
        tuple(rows),
        notes,
        setting.offline_label,
    )


def shift_reference(results: ShiftResults, setting: Setting) -> ReportTable:
    """ℓ_0 under the agent's and the stronger model, and each arm's last checkpoint against the latter."""
    k = setting.k
    reference = results.cell(REFERENCE_ARM, 0, k)
    agent, stronger = setting.model_names["agent"], setting.model_names["reference_agent"]
    rows: list[dict[str, Cell]] = []
    first = next((arm for arm in setting.arms if 0 in results.checkpoints(arm)), None)
    if first is not None:
        start = results.cell(first, 0, k)
        rows.append(
            _reference_row(setting, "zero-shot, agent's model", "zero_shot", 0, agent, start, reference)
        )
    if len(reference):
        rows.append(
            _reference_row(setting, "zero-shot, stronger model", REFERENCE_ARM, 0, stronger, reference, None)
        )
    for arm in setting.arms:
        last = results.cell(arm, setting.final, k)
        if len(last):
            label = setting.arm_labels[arm]
            rows.append(_reference_row(setting, label, arm, setting.final, agent, last, reference))
    columns = (
        Column("who", "instruction"),
        Column("checkpoint", "checkpoint"),
        Column("model", "model"),
        Column("paper", f"paper pass^{k}"),
        Column("ours", f"ours pass^{k}", 3),
        Column("low", f"{_level(setting)} low", 3),
        Column("high", f"{_level(setting)} high", 3),
        Column("joint_low", "joint low", 3),
        Column("joint_high", "joint high", 3),
        Column("sd", "sd over seeds", 3),
        Column("difference", "minus stronger model", 3),
        Column("difference_low", "difference low", 3),
        Column("difference_high", "difference high", 3),
        Column("seeds", "seeds", 0),
        Column("units", "task-seeds", 0),
        Column("excluded", "excluded task-seeds", 0),
    )
    start_note = (
        f"ℓ_0 under the agent's model is read from arm {first}." if first else "No ℓ_0 was evaluated."
    )
    notes = (
        *unit_notes(setting),
        "Differences are paired by task and seed, over the tasks defined in both, and so may depart a "
        f"little from the difference of the means shown. {start_note}",
        f"Agent's model: {agent} (paper: {setting.paper.agent_model}). Stronger model: {stronger} "
        f"(paper: {setting.paper.reference_model}).",
    )
    return ReportTable(
        "shift_reference",
        f"Zero-shot references and final checkpoints on the same held-out tasks (pass^{k}).",
        columns,
        tuple(rows),
        notes,
        setting.offline_label,
    )


def unit_notes(setting: Setting) -> tuple[str, ...]:
    """The lines that every table of task scores carries: unit, denominator, exclusion, interval."""
    boot = setting.bootstrap
    return (
        "Unit: a task of a seed. A value is the mean over seeds of the mean over tasks; the denominator is "
        "the column task-seeds.",
        f"Excluded: task-seeds with fewer than {setting.k} trials left after infrastructure failures; "
        "their value is undefined, not 0.",
        f"Intervals: {_level(setting)} percentile bootstrap, {boot.resamples} resamples of tasks within each "
        "seed, seeds kept. sd: sample standard deviation over seeds.",
        "The held-out tasks are the same in every seed. Where a task is hard in all of them, that interval, "
        "which draws each seed's tasks apart, is too narrow; joint low and high draw a task with all its "
        "seeds.",
    )


def _reliability_row(
    results: ShiftResults, setting: Setting, arm: str, checkpoint: int, intent: str
) -> dict[str, Cell]:
    cell = results.cell(arm, checkpoint, setting.k, intent)
    values = seed_values(cell, "pass_hat_k")
    interval = mean_interval(values, setting.bootstrap)
    joint = joint_interval(cell, "pass_hat_k", setting.bootstrap)
    paper = setting.paper.figure("pass_hat_3", arm if checkpoint else "zero_shot", checkpoint)
    shown = paper is not None and setting.k == PAPER_K and intent == ALL_INTENTS
    return {
        "arm": setting.arm_labels[arm],
        "checkpoint": checkpoint,
        "intent": intent,
        "paper": paper.text if paper is not None and shown else None,
        "ours": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "joint_low": joint.low,
        "joint_high": joint.high,
        "sd": seed_spread(values).sd,
        "pass_hat_1": _mean(results.cell(arm, checkpoint, 1, intent), "pass_hat_k"),
        "pass_at_k": _mean(cell, "pass_at_k"),
        "strict": _mean(cell, "strict_pass_hat_k"),
        "mean_reward": _mean(cell, "mean_reward"),
        "wrong_owner": _mean(cell, "wrong_owner_rate"),
        "seeds": interval.seeds,
        "units": interval.units,
        "excluded": interval.excluded,
        "infrastructure": int(cell["infrastructure_failures"].sum()),
    }


def _reference_row(
    setting: Setting,
    who: str,
    paper_arm: str,
    checkpoint: int,
    model: str,
    cell: pd.DataFrame,
    reference: pd.DataFrame | None,
) -> dict[str, Cell]:
    values = seed_values(cell, "pass_hat_k")
    interval = mean_interval(values, setting.bootstrap)
    joint = joint_interval(cell, "pass_hat_k", setting.bootstrap)
    paper = setting.paper.figure("pass_hat_3", paper_arm, checkpoint)
    difference = (
        paired_interval(cell, reference, "pass_hat_k", setting.bootstrap)
        if reference is not None and len(reference)
        else None
    )
    return {
        "who": who,
        "checkpoint": checkpoint,
        "model": model,
        "paper": paper.text if paper is not None and setting.k == PAPER_K else None,
        "ours": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "joint_low": joint.low,
        "joint_high": joint.high,
        "sd": seed_spread(values).sd,
        "difference": difference.estimate if difference else None,
        "difference_low": difference.low if difference else None,
        "difference_high": difference.high if difference else None,
        "seeds": interval.seeds,
        "units": interval.units,
        "excluded": interval.excluded,
    }


def _mean(cell: pd.DataFrame, value: str) -> float | None:
    return seed_spread(seed_values(cell, value)).mean


def _level(setting: Setting) -> str:
    return f"{setting.bootstrap.confidence:.0%}"


def _paper_note(setting: Setting) -> str:
    paper = setting.paper
    if setting.k != PAPER_K:
        return f"The paper's figures are pass^{PAPER_K}; this study has no k = {PAPER_K}, so none is shown."
    return (
        f"Paper: {paper.name} ({paper.citation}), {paper.agent_model}, {paper.seeds} replications, "
        "mean ± sd; – where it prints no figure."
    )
