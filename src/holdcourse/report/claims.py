"""The table of claims: what the paper claims, its figure, ours with an interval, and a verdict.

A claim is reproduced when its whole interval (for an order: each of its intervals) lies on the claimed
side of 0 **(ours: the paper prints no tests)**. With a simulated model nothing about the method is
tested: our figure is shown and the verdict says so.
"""

from __future__ import annotations

from typing import Literal

from holdcourse.config.paper import PaperClaim
from holdcourse.report.claim_tests import CLAIM_TESTS
from holdcourse.report.evidence import Evidence, Finding, NotRunError
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import Cell, Column, ReportTable

Verdict = Literal["reproduced", "not reproduced", "not tested with these models"]
NOT_TESTED: Verdict = "not tested with these models"


def claims(results: ShiftResults, setting: Setting) -> ReportTable:
    """Every claim of the paper beside our figure and a verdict."""
    evidence = Evidence(results, setting)
    rows = [_row(evidence, claim) for claim in setting.paper.claims]
    level = f"{setting.evaluation.confidence:.0%}"
    columns = (
        Column("claim", "claim"),
        Column("paper", "paper"),
        Column("where", "where"),
        Column("ours", setting.ours("", "agent")),
        Column("measured", "difference measured"),
        Column("difference", "difference", 3),
        Column("low", f"{level} low", 3),
        Column("high", f"{level} high", 3),
        Column("units", "units", 0),
        Column("excluded", "excluded", 0),
        Column("verdict", "verdict"),
        Column("reason", "reason"),
        Column("command", "command"),
        Column("file", "file"),
    )
    notes = (
        "Reproduced: the whole interval lies on the claimed side of 0; for an order, each interval does (the "
        "lowest is shown). Not reproduced: it does not.",
        "Differences are over the task-seeds defined on both sides, and so may depart a little from the "
        "difference of the means shown.",
        "Units: task-seeds, paired and resampled within seed (bootstrap); seeds for audits and lengths "
        "(Student t). Excluded: units with an undefined value.",
        *(f"{claim.name}: {claim.note}" for claim in setting.paper.claims if claim.note),
    )
    return ReportTable(
        "claims",
        f"Claims of the paper {setting.paper.name} ({setting.paper.citation}).",
        columns,
        tuple(rows),
        notes,
        setting.offline_label,
    )


def judge(finding: Finding, simulated: bool) -> tuple[Verdict, str]:
    """A finding's verdict and the reason for it."""
    if simulated:
        reason = "a simulated model stands in for the paper's"
        return NOT_TESTED, reason if finding.holds is not None else f"{reason}; {finding.reason}"
    if finding.holds is None:
        return NOT_TESTED, finding.reason
    return ("reproduced" if finding.holds else "not reproduced"), finding.reason


def _row(evidence: Evidence, claim: PaperClaim) -> dict[str, Cell]:
    test, table = CLAIM_TESTS[claim.name]
    try:
        finding = test(evidence)
    except NotRunError as error:
        finding = Finding(None, None, None, str(error), "")
    verdict, reason = judge(finding, evidence.setting.simulated)
    interval = finding.interval
    return {
        "claim": claim.statement,
        "paper": claim.figure,
        "where": claim.where,
        "ours": finding.ours,
        "measured": finding.measured or None,
        "difference": interval.estimate if interval else None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "units": interval.units if interval else None,
        "excluded": interval.excluded if interval else None,
        "verdict": verdict,
        "reason": reason or None,
        "command": evidence.setting.command,
        "file": f"tables/{table}.csv",
    }
