"""The table of claims: what the paper claims, its figure, ours with an interval, and a verdict.

A claim is reproduced when its whole interval (for an order: each of its intervals) lies on the claimed
side of 0 **(ours: the paper prints no tests)**. A study that cannot speak to the paper's claims, for it
has a simulated model, other models or another length, tests none of them: our figure is shown and the
verdict says so.
"""

from __future__ import annotations

from typing import Literal

from holdcourse.config.paper import PaperClaim
from holdcourse.report.claim_tests import CLAIM_TESTS, ClaimTest
from holdcourse.report.evidence import Evidence, Finding, NotRunError
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import Cell, Column, ReportTable

Verdict = Literal["reproduced", "not reproduced", "not tested with these models"]
NOT_TESTED: Verdict = "not tested with these models"

_NOTES = (
    "Reproduced: the whole interval lies on the claimed side of 0; for an order, each interval does "
    "(the lowest is shown). Not reproduced: it does not, be it only that the interval holds 0.",
    "Claims about most cycles: more than half of the cycles have their mean on the claimed side, and "
    "the interval of the mean over cycles lies there whole. One rule for GRACE and HCE; the side "
    "claimed for GRACE is 0 or above, so that 0 itself belongs to it.",
    "Not tested with these models: a simulated model plays a role; the agent (or the stronger model, "
    "where the claim is about it) is not the paper's; the study is not of the paper's length; or it "
    "lacks what the claim is about. The paper names no model for other roles.",
    "Differences are over the task-seeds defined on both sides, and so may depart a little from the "
    "difference of the means shown.",
    "Units: task-seeds, paired and resampled within seed (bootstrap); seeds for audits and lengths "
    "(Student t). Excluded: units with an undefined value.",
    "The tasks are the same in every seed but are drawn in each apart: where an effect goes with the "
    "task in all seeds, the interval is too narrow. Differences of paired tasks suffer less than the "
    "scores of one arm, whose joint intervals are in shift_reliability.",
    "Files are below the study's folder of results.",
)


def claims(results: ShiftResults, setting: Setting) -> ReportTable:
    """Every claim of the paper beside our figure and a verdict."""
    evidence = Evidence(results, setting)
    rows = [_row(evidence, claim) for claim in setting.paper.claims]
    level = f"{setting.evaluation.confidence:.0%}"
    columns = (
        Column("claim", "claim"),
        Column("paper", "paper"),
        Column("ours", setting.ours("", "agent")),
        Column("verdict", "verdict"),
        Column("reason", "reason"),
        Column("measured", "difference measured"),
        Column("difference", "difference", 3),
        Column("low", f"{level} low", 3),
        Column("high", f"{level} high", 3),
        Column("units", "units", 0),
        Column("excluded", "excluded", 0),
        Column("where", "where"),
        Column("command", "command"),
        Column("file", "file"),
    )
    return ReportTable(
        "claims",
        f"Claims of the paper {setting.paper.name} ({setting.paper.citation}).",
        columns,
        tuple(rows),
        (*_NOTES, *(f"{claim.name}: {claim.note}" for claim in setting.paper.claims if claim.note)),
        setting.offline_label,
    )


def judge(finding: Finding, obstacle: str = "") -> tuple[Verdict, str]:
    """A finding's verdict and its reason; with an `obstacle` no claim is tested, whatever was found."""
    if finding.holds is None or obstacle:
        return NOT_TESTED, "; ".join(reason for reason in (obstacle, finding.reason) if reason)
    return ("reproduced" if finding.holds else "not reproduced"), finding.reason


def obstacle(setting: Setting, test: ClaimTest) -> str:
    """Why a study cannot speak to a claim of the paper, whatever its figures; empty if it can."""
    if setting.simulated:
        return "a simulated model stands in for the paper's"
    others = [
        f"{setting.model_names[role]} is not {setting.papers_model(role)}"
        for role in test.roles
        if not setting.has_papers_model(role)
    ]
    if others:
        return ", ".join(others)
    if setting.final != setting.paper.final_checkpoint:
        return f"the study ends at ℓ_{setting.final}, the paper's at ℓ_{setting.paper.final_checkpoint}"
    return ""


def _row(evidence: Evidence, claim: PaperClaim) -> dict[str, Cell]:
    test = CLAIM_TESTS[claim.name]
    try:
        finding = test.find(evidence)
    except NotRunError as error:
        finding = Finding(None, None, None, str(error), "")
    verdict, reason = judge(finding, obstacle(evidence.setting, test))
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
        "file": f"tables/{test.table}.csv",
    }
