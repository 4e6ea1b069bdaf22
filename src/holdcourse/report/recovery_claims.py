"""The drift paper's claims about end-to-end recovery, tested on ours (§5.3.2, Tables 2-4).

A study tests them only with the paper's models and tasks: its agents, its small model, its frontier models,
none of them simulated, on AppWorld's own tasks (world=official). Otherwise our figure is shown and the
verdict says why it is none. Where the paper says "every" or "no", each cell must bear it out; where it
compares, the whole interval must lie on the claimed side, but for the claim's margin if it has one **(ours:
the paper prints no tests)**. A claim about a share that no task is counted in is not tested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdcourse.config.end_to_end import Cell
from holdcourse.config.paper_drift import DriftClaim
from holdcourse.llm.door import is_simulated
from holdcourse.metrics.drift_frames import NO_DRIFT, NO_RECOVERY
from holdcourse.metrics.intervals import Interval
from holdcourse.report.recovery_results import PAPER_AGENTS, RecoveryResults, RecoverySetting
from holdcourse.report.recovery_tables import COMPLETION
from holdcourse.report.table import Cell as TableCell
from holdcourse.report.table import Column, ReportTable

PAPER_POLICY = "granite_3_3_2b"


@dataclass(frozen=True, slots=True)
class Found:
    """Our figure in words, the interval it rests on (the least favourable of several), whether it holds.

    `holds` is None where a share that the claim is about has no task.
    """

    ours: str
    interval: Interval
    holds: bool | None
    file: str


@dataclass(frozen=True, slots=True)
class _Test:
    """How a claim is tested: in which cells, about which backbones, and what is found."""

    cells: tuple[tuple[str, str], ...]
    backbones: tuple[str, ...]
    find: Callable[[RecoveryResults, list[Cell], tuple[str, ...], float], Found]


def recovery_claims(results: RecoveryResults, setting: RecoverySetting) -> ReportTable:
    """Every end-to-end claim of the paper beside ours."""
    rows = [_row(claim, results, setting) for claim in setting.paper.claims if claim.kind == "end_to_end"]
    return ReportTable(
        "drift_recovery_claims",
        f"Claims of the {setting.paper.name} paper about recovery ({setting.paper.citation}).",
        (
            Column("claim", "claim"),
            Column("paper", "paper"),
            Column("ours", "ours"),
            Column("verdict", "verdict"),
            Column("reason", "reason"),
            Column("value", "measured", 3),
            Column("low", f"{setting.level} low", 3),
            Column("high", f"{setting.level} high", 3),
            Column("tasks", "tasks", 0),
            Column("excluded", "excluded", 0),
            Column("where", "where"),
            Column("command", "command"),
            Column("file", "file"),
        ),
        tuple(rows),
        (
            "Measured: the share or paired difference the claim rests on, the least favourable where it is "
            "about several tables. Tasks where a human was called are excluded, as in the paper.",
            *setting.notes,
            *(
                f"{claim.name}: {claim.note}"
                for claim in setting.paper.claims
                if claim.note and claim.kind == "end_to_end"
            ),
        ),
        setting.offline_label,
    )


def _row(claim: DriftClaim, results: RecoveryResults, setting: RecoverySetting) -> dict[str, TableCell]:
    test = TESTS[claim.name]
    cells = [cell for cell in setting.cells if (cell.drift_type, cell.main_agent) in test.cells]
    run = len(cells) == len(test.cells) and all(
        backbone in results.backbones(cell) for cell in cells for backbone in test.backbones
    )
    found = test.find(results, cells, test.backbones, claim.margin) if run else None
    interval = found.interval if found else Interval(None, None, None, 0, 0, 0)
    reason = "this study does not run what it is about" if found is None else _obstacle(test, setting)
    if found is not None and found.holds is None and not reason:
        reason = "no task is counted in a share that it is about"
    verdict = (
        "not tested with these models"
        if reason
        else "reproduced"
        if found and found.holds
        else "not reproduced"
    )
    return {
        "claim": claim.statement,
        "paper": claim.figure,
        "ours": found.ours if found else None,
        "verdict": verdict,
        "reason": reason or None,
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "tasks": interval.units or None,
        "excluded": interval.excluded if interval.units else None,
        "where": claim.where,
        "command": setting.command,
        "file": found.file if found else None,
    }


def _obstacle(test: _Test, setting: RecoverySetting) -> str:
    """Why a study cannot speak to a claim, whatever its figures; empty if it can."""
    agents = {main_agent for _, main_agent in test.cells}
    asked = [setting.agent(agent) for agent in sorted(agents)]
    wanted = [PAPER_AGENTS[agent] for agent in sorted(agents)]
    if "frontier" in test.backbones:
        asked += [setting.frontier(agent) for agent in sorted(agents)]
        wanted *= 2
    if any(map(is_simulated, asked)):
        return "a simulated model stands in for the paper's"
    others = [] if setting.world == "official" else [setting.tasks]
    others += [
        f"{model} is not {paper}"
        for model, paper in zip(asked, wanted, strict=True)
        if model.rpartition("/")[2] != paper
    ]
    if {"trained", "untrained"} & set(test.backbones) and setting.policy.name != PAPER_POLICY:
        others.append(f"{setting.policy.label} is not Granite 3.3 2B")
    return ", ".join(dict.fromkeys(others))


def _none_succeeds(
    results: RecoveryResults, cells: list[Cell], backbones: tuple[str, ...], _: float
) -> Found:
    mode = {NO_RECOVERY: "none"}
    shares = [
        results.of(cell, backbone, mode.get(backbone, cell.modes[0]), COMPLETION)
        for cell in cells
        for backbone in backbones
    ]
    return _found(_percents(shares), shares, cells, lambda share: share.estimate == 0.0, worst=max)


def _succeeds(results: RecoveryResults, cells: list[Cell], backbones: tuple[str, ...], _: float) -> Found:
    cell = cells[0]
    share = results.of(cell, backbones[0], cell.modes[0], COMPLETION)
    ceiling = results.of(cell, NO_DRIFT, "none", COMPLETION)
    ours = f"{_percents([share])} of {_percents([ceiling])} without drift"
    return _found(ours, [share], cells, lambda one: one.low is not None and one.low > 0)


def _at_least(results: RecoveryResults, cells: list[Cell], backbones: tuple[str, ...], _: float) -> Found:
    first, second = backbones
    differences = [results.of(cell, f"{first} - {second}", cell.modes[0], COMPLETION) for cell in cells]
    ours = "; ".join(
        f"{_percents([results.of(cell, first, cell.modes[0], COMPLETION)])} against "
        f"{_percents([results.of(cell, second, cell.modes[0], COMPLETION)])}"
        for cell in cells
    )
    return _found(ours, differences, cells, lambda one: one.low is not None and one.low >= 0)


def _below_ceiling(
    results: RecoveryResults, cells: list[Cell], backbones: tuple[str, ...], _: float
) -> Found:
    gaps, ours = _gaps(results, cells[0], backbones)
    return _found(ours, gaps, cells, lambda gap: gap.high is not None and gap.high < 0, worst=max)


def _near_ceiling(
    results: RecoveryResults, cells: list[Cell], backbones: tuple[str, ...], margin: float
) -> Found:
    gaps, ours = _gaps(results, cells[0], backbones)
    return _found(ours, gaps, cells, lambda gap: gap.low is not None and gap.low > -margin)


def _found(
    ours: str,
    shares: list[Interval],
    cells: list[Cell],
    holds: Callable[[Interval], bool],
    worst: Callable[..., tuple[float, int]] = min,
) -> Found:
    """What shares or differences say of a claim that each of them must bear out.

    Args:
        ours: them in words.
        shares: with their intervals.
        cells: whose they are.
        holds: whether one of them bears the claim out.
        worst: which estimate speaks least for the claim, the smallest or the largest.
    """
    known = [(share.estimate, place) for place, share in enumerate(shares) if share.estimate is not None]
    interval = shares[worst(known)[1]] if known else Interval(None, None, None, 0, 0, 0)
    whole = len(known) == len(shares)
    return Found(ours, interval, all(map(holds, shares)) if whole else None, _file(cells))


def _gaps(results: RecoveryResults, cell: Cell, backbones: tuple[str, ...]) -> tuple[list[Interval], str]:
    gaps = [results.of(cell, backbone, cell.modes[0], "gap_to_no_drift") for backbone in backbones]
    shares = [results.of(cell, backbone, cell.modes[0], COMPLETION) for backbone in backbones]
    ceiling = results.of(cell, NO_DRIFT, "none", COMPLETION)
    return gaps, f"{_percents(shares)} against {_percents([ceiling])}"


def _percents(shares: list[Interval]) -> str:
    return ", ".join("–" if one.estimate is None else f"{100 * one.estimate:.1f}" for one in shares)


def _file(cells: list[Cell]) -> str:
    names = {
        ("I", "large"): "drift_type1_gpt4o",
        ("II", "small"): "drift_type2_gpt4o_mini",
        ("II", "large"): "drift_type2_gpt4o",
    }
    return ", ".join(f"tables/{names[cell.drift_type, cell.main_agent]}.csv" for cell in cells)


_ONE, _TWO, _THREE = ("I", "large"), ("II", "small"), ("II", "large")

TESTS: dict[str, _Test] = {
    "drift_collapses": _Test((_ONE, _TWO, _THREE), (NO_RECOVERY,), _none_succeeds),
    "untrained_fails": _Test((_ONE,), ("untrained",), _none_succeeds),
    "trained_recovers": _Test((_ONE,), ("trained",), _succeeds),
    "frontier_above_trained": _Test((_ONE, _TWO, _THREE), ("frontier", "trained"), _at_least),
    "persistent_harder_for_small_agent": _Test((_TWO,), ("trained", "frontier"), _below_ceiling),
    "persistent_recovered_by_large_agent": _Test((_THREE,), ("trained", "frontier"), _near_ceiling),
}
"""By the names of conf/paper/drift.yaml."""
