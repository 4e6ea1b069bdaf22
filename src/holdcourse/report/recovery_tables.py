"""Tables 2-4 of the drift paper with ours beside them, and Type III with the extensions (§5.3.2)."""

from __future__ import annotations

from holdcourse.config.end_to_end import Cell
from holdcourse.metrics.drift_frames import ALL, NO_DRIFT, NO_RECOVERY, PAIRS, RESISTED, WALK
from holdcourse.report.recovery_names import PAPER_TABLES
from holdcourse.report.recovery_results import ORDER, RecoveryResults, RecoverySetting
from holdcourse.report.table import Cell as TableCell
from holdcourse.report.table import Column, ReportTable

LEVELS = (("1", 1), ("2", 2), ("3", 3), (ALL, None))
COMPLETION = "task_goal_completion"
_BOUNDS = (NO_DRIFT, NO_RECOVERY)
_PAIRED = "The last rows are paired differences in percentage points, over tasks counted in both."
_NOT_RUN = "A row with – in all columns of ours: not run in this study."
_TITLES = {"1": "D1", "2": "D2", "3": "D3", ALL: "all"}


def paper_table(name: str, results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """One of Tables 2-4: the paper's percentages and ours, by difficulty and in all."""
    number, drift_type, main_agent = PAPER_TABLES[name]
    cell = next(
        (one for one in setting.cells if (one.drift_type, one.main_agent) == (drift_type, main_agent)), None
    )
    printed = {figure.backbone for figure in setting.paper.end_to_end if figure.table == number}
    ours = set(results.backbones(cell)) if cell else set()
    rows = [
        _paper_row(number, backbone, cell, results, setting, main_agent)
        for backbone in ORDER
        if backbone in printed | ours
    ]
    conditional = [_NOT_RUN] if printed - ours else []
    if cell is not None:
        rows += [
            _paper_row(number, backbone, cell, results, setting, main_agent, "unwarned")
            for backbone in results.backbones(cell)
            if "unwarned" in results.modes(cell, backbone)
        ]
        pairs = [(first, second) for first, second in PAIRS if {first, second} <= ours]
        rows += [_difference_row(cell, first, second, results, setting) for first, second in pairs]
        if pairs:
            conditional.append(_PAIRED)
    agent = setting.agent(main_agent)
    columns = (
        Column("setting", "setting"),
        *(Column(f"paper_{level}", f"paper {_TITLES[level]}", 1) for level, _ in LEVELS),
        *(Column(f"ours_{level}", f"ours {_TITLES[level]} ({agent})", 1) for level, _ in LEVELS),
        Column("low", f"{setting.level} low", 1),
        Column("high", f"{setting.level} high", 1),
        Column("counted", "tasks counted", 0),
        Column("escalated", "escalated", 0),
        Column("failed", "no usable answer", 0),
        Column("over_all", "ours over all tasks", 1),
        Column("same", "same as without drift", 1),
        Column("drifted_again", "drifted again", 0),
        Column("resisted", "did not drift", 0),
    )
    return ReportTable(
        name,
        f"Table {number}: task goal completion in percent, Type {drift_type} drift, main agent {agent}.",
        columns,
        tuple(rows),
        (*_table_notes(number, setting), *conditional, *setting.notes),
        setting.offline_label,
    )


def _paper_row(
    number: int,
    backbone: str,
    cell: Cell | None,
    results: RecoveryResults,
    setting: RecoverySetting,
    main_agent: str,
    other_mode: str | None = None,
) -> dict[str, TableCell]:
    unwarned = ", not warned" if other_mode else ""
    row: dict[str, TableCell] = {"setting": f"{setting.named(backbone, main_agent)}{unwarned}"}
    for level, difficulty in LEVELS:
        figure = None
        if other_mode is None:
            figure = setting.paper.end_to_end_figure(number, backbone, difficulty)
        row[f"paper_{level}"] = figure.value if figure else None
    if cell is None:
        missing = (
            "low",
            "high",
            "counted",
            "escalated",
            "failed",
            "over_all",
            "same",
            "drifted_again",
            "resisted",
        )
        return {**row, **{f"ours_{level}": None for level, _ in LEVELS}, **dict.fromkeys(missing)}
    mode = other_mode or ("none" if backbone in _BOUNDS else cell.modes[0])
    for level, _ in LEVELS:
        row[f"ours_{level}"] = percent(results.of(cell, backbone, mode, COMPLETION, level).estimate)
    whole = results.of(cell, backbone, mode, COMPLETION)
    acted = backbone not in _BOUNDS
    return {
        **row,
        "low": percent(whole.low),
        "high": percent(whole.high),
        "counted": whole.units if whole.units + whole.excluded else None,
        "escalated": results.count(cell, backbone, mode, "escalated") if acted else None,
        "failed": results.count(cell, backbone, mode, "failed_safe") if acted else None,
        "over_all": percent(results.of(cell, backbone, mode, f"{COMPLETION}_all").estimate)
        if acted
        else percent(whole.estimate),
        "same": percent(results.of(cell, backbone, mode, "same_as_no_drift").estimate) if acted else None,
        "drifted_again": results.count(cell, backbone, mode, "drifted_again") if acted else None,
        "resisted": results.count(cell, backbone, mode, RESISTED) if backbone == NO_RECOVERY else None,
    }


def _difference_row(
    cell: Cell, first: str, second: str, results: RecoveryResults, setting: RecoverySetting
) -> dict[str, TableCell]:
    """The paired difference of two settings, in percentage points, over tasks counted in both."""
    pair, mode = f"{first} - {second}", cell.modes[0]
    whole = results.of(cell, pair, mode, COMPLETION)
    named = [setting.named(backbone, cell.main_agent) for backbone in (first, second)]
    return {
        "setting": " − ".join(named),
        **{f"paper_{level}": None for level, _ in LEVELS},
        **{
            f"ours_{level}": percent(results.of(cell, pair, mode, COMPLETION, level).estimate)
            for level, _ in LEVELS
        },
        "low": percent(whole.low),
        "high": percent(whole.high),
        "counted": whole.units,
        "escalated": None,
        "failed": None,
        "over_all": percent(results.of(cell, pair, mode, f"{COMPLETION}_all").estimate),
        "same": None,
        "drifted_again": None,
        "resisted": None,
    }


def _table_notes(number: int, setting: RecoverySetting) -> tuple[str, ...]:
    slips = [
        f"{slip.where}: the paper prints {slip.printed}, but {slip.against}; ours: {slip.ours}."
        for slip in setting.paper.disagreements
        if f"Table {number}" in slip.where or (number in (2, 4) and slip.where.startswith("Tables 2 and 4"))
    ]
    agents = {2: "gpt-4o", 3: "gpt-4o-mini", 4: "gpt-4o"}
    return (
        f"The paper: agent {agents[number]}, small model Granite 3.3 2B, 40 tasks of AppWorld (14, 13 and 13 "
        "by difficulty).",
        "Tasks where a decision called a human are not counted, as in the paper; over all tasks they count "
        "as not done. Walks without a usable answer are counted as not done. Runs that no text pushed off "
        "task are left out of all settings alike; how many stands beside drift without recovery.",
        "D1–D3: tasks of difficulty 1–3.",
        "A drifted run without recovery passes where the injected question happens to have the task's own "
        "answer.",
        "Drifted again: counted whatever the outcome; the outcomes table counts each task once.",
        "Same as without drift: share of counted tasks that succeed or fail as the same task does without "
        "drift.",
        *slips,
    )


def extensions_table(results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """Type III: the paper's rollback, restoring the world, and compensating writes."""
    rows = [
        _extension_row(cell, backbone, mode, results, setting)
        for cell in setting.cells
        if cell.drift_type == "III"
        for backbone in results.backbones(cell)
        for mode in (["none"] if backbone in _BOUNDS else results.modes(cell, backbone))
    ]
    return ReportTable(
        "drift_type3_extensions",
        "Type III drift (writes): task goal completion in percent by what is done about the world. The paper "
        "leaves Type III out; restore and compensate are extensions.",
        (
            Column("agent", "main agent"),
            Column("setting", "setting"),
            Column("mode", "mode"),
            Column("completion", "ours, counted tasks", 1),
            Column("low", f"{setting.level} low", 1),
            Column("high", f"{setting.level} high", 1),
            Column("counted", "tasks counted", 0),
            Column("resisted", "did not drift", 0),
            Column("over_all", "ours over all tasks", 1),
            Column("escalated", "escalated", 0),
            Column("rightly", "of them with drifted writes", 0),
            Column("overlooked", "writes overlooked", 0),
            Column("failed", "no usable answer", 0),
            Column("repairs", "repairs tried", 0),
            Column("whole", "state as before", 0),
            Column("residue", "named residue", 0),
            Column("left", "writes left to a human", 0),
            Column("irreversible", "irreversible writes made", 0),
        ),
        tuple(rows),
        (
            "rollback: as in the paper, any drifted write calls a human. restore: the databases go back to "
            "the state before the drift, which a real service seldom offers. compensate: documented inverse "
            "calls with old values that the agent had read; what remains, or differs from the state before, "
            "calls a human.",
            "Irreversible writes made: calls by the repair itself that no documented call undoes.",
            *setting.notes,
        ),
        setting.offline_label,
    )


def _extension_row(
    cell: Cell, backbone: str, mode: str, results: RecoveryResults, setting: RecoverySetting
) -> dict[str, TableCell]:
    completion = results.of(cell, backbone, mode, COMPLETION)
    acted = backbone not in _BOUNDS
    over_all = results.of(cell, backbone, mode, f"{COMPLETION}_all") if acted else completion
    repairs = results.of(cell, backbone, mode, "repair_whole")

    def repaired(metric: str) -> int | None:
        return results.count(cell, backbone, mode, metric) if repairs.units else None

    return {
        "agent": setting.agent(cell.main_agent),
        "setting": setting.named(backbone, cell.main_agent),
        "mode": "–" if mode == "none" else mode,
        "completion": percent(completion.estimate),
        "low": percent(completion.low),
        "high": percent(completion.high),
        "counted": completion.units,
        "resisted": results.count(cell, backbone, mode, RESISTED) if backbone == NO_RECOVERY else None,
        "over_all": percent(over_all.estimate),
        "escalated": results.count(cell, backbone, mode, "escalated") if acted else None,
        "rightly": results.count(cell, backbone, mode, "outcome_escalated_rightly") if acted else None,
        "failed": results.count(cell, backbone, mode, "failed_safe") if acted else None,
        "overlooked": results.count(cell, backbone, WALK, "decision_missed_writes") if acted else None,
        "repairs": repairs.units or None,
        "whole": repaired("repair_whole"),
        "residue": repaired("repair_residue"),
        "left": repaired("repair_left"),
        "irreversible": repaired("repair_irreversible"),
    }


def percent(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else 100.0 * share
