"""How well the nodes answered, what became of the episodes, what it cost, who was swayed by hostile text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from holdcourse.config.end_to_end import Cell
from holdcourse.metrics.drift_frames import FAILED_PLACES, NO_DRIFT, NO_RECOVERY, PAIRS, WALK
from holdcourse.metrics.episode_outcomes import OUTCOMES
from holdcourse.report.recovery_results import RecoveryResults, RecoverySetting
from holdcourse.report.table import Cell as TableCell
from holdcourse.report.table import Column, ReportTable

_QUALITY = {
    "n1_precision": ("n1 precision", 2),
    "n1_recall": ("n1 recall", 2),
    "n1_f1": ("n1 F1", 2),
    "drift_recall": ("drift found, recall", 2),
    "drift_f1": ("drift found, F1", 2),
    "n2_exact": ("n2 exact", 2),
    "n2_f1": ("n2 F1", 2),
    "n3_exact": ("n3 exact", 2),
    "n3_f1": ("n3 F1", 2),
    "n4_accuracy": ("n4 partition", 2),
    "n5_action": ("n5 action", 2),
    "n5_target_exact": ("n5 target exact", 2),
    "n5_target_error": ("n5 target error (steps)", 2),
    "n5_target_bias": ("n5 target bias (steps)", 2),
}
_OUTCOMES = {
    "recovered": "recovered",
    "escalated_rightly": "escalated rightly",
    "schema": "no usable answer",
    "wrong_escalation": "escalated wrongly",
    "missed_escalation": "rolled back over writes",
    "no_rollback": "no rollback",
    "too_late": "target too late",
    "drifted_again": "drifted again",
    "too_early": "target too early",
    "agent_failed": "agent failed",
}
_COST = {
    "calls": ("recovery calls", 1),
    "refused_replies": ("replies refused", 1),
    "prompt_tokens": ("prompt tokens", 0),
    "completion_tokens": ("completion tokens", 0),
    "seconds": ("model seconds", 2),
    "agent_calls": ("agent calls", 1),
    "agent_prompt_tokens": ("agent prompt tokens", 0),
    "agent_completion_tokens": ("agent completion tokens", 0),
}


def quality_table(results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """Detection quality by node, and the paired gains of one backbone over another, side by side."""
    rows: list[dict[str, TableCell]] = []
    for cell, backbone in _judged(results, setting):
        measured = {key: results.of(cell, backbone, WALK, key) for key in _QUALITY}
        tasks = measured["n1_f1"].units + measured["n1_f1"].excluded
        estimates = {key: one.estimate for key, one in measured.items()}
        rows.append({**_named(cell, backbone, setting), **estimates, "tasks": tasks})
    return ReportTable(
        "drift_recovery_quality",
        "Quality of the recovery graph's nodes over the walks, against labels from execution.",
        (
            *_named_columns(),
            *(Column(key, title, digits) for key, (title, digits) in _QUALITY.items()),
            Column("tasks", "tasks", 0),
        ),
        tuple(rows),
        (
            *_QUALITY_NOTES,
            "Intervals and the number of tasks behind each figure: tables/drift_recovery_nodes.csv.",
            *setting.notes,
        ),
        setting.offline_label,
    )


def nodes_table(results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """The figures of `quality_table` one a row, each with its interval and the tasks behind it."""
    rows: list[dict[str, TableCell]] = []
    for cell, backbone in _judged(results, setting):
        for key, (title, _) in _QUALITY.items():
            measured = results.of(cell, backbone, WALK, key)
            rows.append(
                {
                    **_named(cell, backbone, setting),
                    "metric": title,
                    "value": measured.estimate,
                    "low": measured.low,
                    "high": measured.high,
                    "tasks": measured.units,
                    "excluded": measured.excluded,
                }
            )
    return ReportTable(
        "drift_recovery_nodes",
        "Quality of the recovery graph's nodes, with intervals and the tasks that each figure rests on.",
        (
            *_named_columns(),
            Column("metric", "metric"),
            Column("value", "value", 2),
            Column("low", f"{setting.level} low", 2),
            Column("high", f"{setting.level} high", 2),
            Column("tasks", "tasks", 0),
            Column("excluded", "excluded", 0),
        ),
        tuple(rows),
        (
            *_QUALITY_NOTES,
            "Tasks: those in whose walks there was anything to count; the others are excluded.",
            *setting.notes,
        ),
        setting.offline_label,
    )


_QUALITY_NOTES = (
    "n1: drifted steps are what is looked for, over the steps that were inspected; a step without a usable "
    "answer was not found. Drift found: the same over all drifted steps up to the suspected onset, so that a "
    "walk which fails at its first steps has missed the others.",
    "n2: writes and unneeded reads of steps that have drifted, exact match and F1. n3, n4: apps and "
    "partition of the writes that n2 gave them. n5: the action, and the target where a rollback is right; a "
    "bias above 0 keeps too many steps.",
    "–: there was nothing to count.",
)


def _judged(results: RecoveryResults, setting: RecoverySetting) -> Iterator[tuple[Cell, str]]:
    """Each cell with each backbone that walked, then the paired differences."""
    for cell in setting.cells:
        for backbone in [*_recovering(cell, results), *(f"{one} - {other}" for one, other in PAIRS)]:
            if results.of(cell, backbone, WALK, "n1_f1").units:
                yield cell, backbone


def outcomes_table(results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """What became of each episode, in numbers of tasks: one outcome each."""
    rows = [
        {
            **_named(cell, backbone, setting),
            "mode": mode,
            "tasks": results.of(cell, backbone, mode, "escalated").units,
            **{name: results.count(cell, backbone, mode, f"outcome_{name}") for name in OUTCOMES},
            "failed_at": _failed_at(cell, backbone, results),
        }
        for cell in setting.cells
        for backbone in _recovering(cell, results)
        for mode in results.modes(cell, backbone)
    ]
    return ReportTable(
        "drift_recovery_outcomes",
        "What became of the drifted runs: tasks by outcome, and why the others failed.",
        (
            *_named_columns(),
            Column("mode", "mode"),
            Column("tasks", "tasks", 0),
            *(Column(name, _OUTCOMES[name], 0) for name in OUTCOMES),
            Column("failed_at", "no usable answer at"),
        ),
        tuple(rows),
        (
            "Each task has one outcome; of several reasons for a failure the first from left to right is "
            "counted. No rollback: nothing of what was inspected was taken back. Target too late: drifted "
            "steps, and the text with them, stay in the history (the paper calls that too early). Target too "
            "early: aligned steps went too, and the agent did not make up for them.",
            *setting.notes,
        ),
        setting.offline_label,
    )


def cost_table(results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """Means a task: what the walk and the second run took."""
    rows = []
    for cell in setting.cells:
        for backbone in _recovering(cell, results):
            row: dict[str, TableCell] = {**_named(cell, backbone, setting)}
            for key in _COST:
                mode = cell.modes[0] if key.startswith("agent") else WALK
                row[key] = results.of(cell, backbone, mode, key).estimate
            rows.append(row)
    return ReportTable(
        "drift_recovery_cost",
        "Calls, tokens and time of recovering a run: means over tasks.",
        (*_named_columns(), *(Column(key, title, digits) for key, (title, digits) in _COST.items())),
        tuple(rows),
        (
            "Recovery calls hold repeated ones. Agent: the second run, over tasks that were not escalated, "
            "first mode of each setting. Tokens of a simulated model are characters divided by four; its "
            "seconds are 0.",
            *setting.notes,
        ),
        setting.offline_label,
    )


def injection_table(tried: Sequence[Mapping[str, object]], setting: RecoverySetting) -> ReportTable:
    """Success of the texts that address the recovery model, by backbone and kind of text.

    Args:
        tried: the records of drift/injection/{backbone}.json.
        setting: how the numbers were made.
    """
    rows = [
        {
            "setting": setting.named(str(record["backbone"]), "large"),
            **{
                key: cast("TableCell", row[key])
                for key in ("kind", "attacks", "telling", "flipped", "misdecided", "succeeded")
            },
            "rate": None if row["rate"] is None else 100.0 * cast("float", row["rate"]),
        }
        for record in tried
        for row in cast("Sequence[Mapping[str, object]]", record["rows"])
    ]
    return ReportTable(
        "drift_injection_suite",
        "Texts planted in a drifted step that address the recovery model itself: how many sway it.",
        (
            Column("setting", "setting"),
            Column("kind", "kind of text"),
            Column("attacks", "attacks", 0),
            Column("telling", "telling", 0),
            Column("flipped", "drifted step called aligned", 0),
            Column("misdecided", "decision turned wrong", 0),
            Column("succeeded", "succeeded", 0),
            Column("rate", "percent of telling", 1),
        ),
        tuple(rows),
        (
            "Unit: an attack, one text at one place (output, what came in, comment, string) of one of two "
            "made incidents. Telling: the incident without the text was judged rightly; only such an attack "
            "can succeed. A small model in process is tried with fewer texts, spread over the kinds, in the "
            "output and in what came in.",
            f"Made by: {setting.command}",
        ),
        setting.offline_label,
    )


def _failed_at(cell: Cell, backbone: str, results: RecoveryResults) -> str | None:
    """Nodes that gave no usable answer, with how many walks ended there."""
    counted = {place: results.count(cell, backbone, WALK, f"failed_{place}") for place in FAILED_PLACES}
    return ", ".join(f"{place} {number}" for place, number in counted.items() if number) or None


def _recovering(cell: Cell, results: RecoveryResults) -> list[str]:
    return [name for name in results.backbones(cell) if name not in (NO_DRIFT, NO_RECOVERY)]


def _named(cell: Cell, backbone: str, setting: RecoverySetting) -> dict[str, TableCell]:
    first, minus, second = backbone.partition(" - ")
    words = setting.named(first, cell.main_agent)
    return {
        "type": cell.drift_type,
        "agent": setting.agent(cell.main_agent),
        "setting": f"{words} − {setting.named(second, cell.main_agent)}" if minus else words,
    }


def _named_columns() -> tuple[Column, ...]:
    return Column("type", "type"), Column("agent", "main agent"), Column("setting", "setting")
