"""Verdicts: reproduced only when the interval says so, and only with the paper's models."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pandas as pd
import pytest
from tests.report.made_study import PAPERS, make_models, make_results, make_setting, paper

from holdcourse.metrics.intervals import Interval
from holdcourse.report.claim_tests import CLAIM_TESTS
from holdcourse.report.claims import NOT_TESTED, claims, judge
from holdcourse.report.evidence import Evidence, Finding, all_above, one_sided, peak, transfer
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import Cell, ReportTable

ABOVE, BELOW, ACROSS = (
    Interval(0.3, 0.1, 0.5, 9, 0, 1),
    Interval(-0.3, -0.5, -0.1, 9, 0, 1),
    Interval(0.1, -0.1, 0.3, 9, 0, 1),
)
UNKNOWN = Interval(0.1, None, None, 1, 0, 1)


@pytest.fixture(scope="module")
def with_papers_models() -> Setting:
    return make_setting(models=PAPERS)


def by_name(table: ReportTable) -> dict[str, dict[str, Cell]]:
    names = [claim.name for claim in paper().claims]
    return {name: dict(row) for name, row in zip(names, table.rows, strict=True)}


def test_every_claim_of_the_paper_has_a_test_and_a_row(results: ShiftResults, setting: Setting) -> None:
    names = [claim.name for claim in paper().claims]
    assert set(names) == set(CLAIM_TESTS)
    assert len(claims(results, setting).rows) == len(names)


def test_with_a_simulated_model_no_claim_is_tested_but_our_figure_is_shown(
    results: ShiftResults, setting: Setting
) -> None:
    rows = claims(results, setting).rows
    assert {row["verdict"] for row in rows} == {NOT_TESTED}
    assert all(row["ours"] is not None for row in rows)
    assert all(row["command"] == "snakemake tables --cores all --config study=test" for row in rows)


def test_one_simulated_role_is_enough_to_test_nothing(results: ShiftResults) -> None:
    models = PAPERS.model_copy(update={"user": make_setting().models.user})
    rows = claims(results, make_setting(models=models)).rows
    assert {row["verdict"] for row in rows} == {NOT_TESTED}


def test_verdicts_with_real_models(results: ShiftResults, with_papers_models: Setting) -> None:
    """The made-up study rises for GRACE, rises and falls for the others; HCE keeps its skills by chance."""
    rows = by_name(claims(results, with_papers_models))
    verdicts = {name: row["verdict"] for name, row in rows.items()}
    for name in (
        "grace_improves",
        "grace_above_hce",
        "no_sa_declines",
        "grace_above_reference",
    ):
        assert verdicts[name] == "reproduced", name
    for name in ("hce_most_contradictions", "hce_longest"):
        assert verdicts[name] == "reproduced", name
    for name in ("grace_retains", "hce_forgets"):
        assert verdicts[name] == "not reproduced", name
        assert rows[name]["reason"], name


def test_the_same_results_with_the_arms_exchanged_are_not_reproduced(
    results: ShiftResults, with_papers_models: Setting
) -> None:
    swap = {"grace": "hce", "hce": "grace"}
    exchanged = ShiftResults(
        scores=results.scores.assign(arm=results.scores["arm"].replace(swap)),
        audits=results.audits.assign(arm=results.audits["arm"].replace(swap)),
        sizes=results.sizes.assign(arm=results.sizes["arm"].replace(swap)),
    )
    rows = by_name(claims(exchanged, with_papers_models))
    for name in ("grace_above_hce", "order_at_end", "hce_most_contradictions", "hce_longest", "hce_declines"):
        assert rows[name]["verdict"] == "not reproduced", name
    assert rows["grace_above_hce"]["reason"] == "the difference has the other sign"
    assert rows["hce_declines"]["reason"] == "the last checkpoint is the highest"


def test_a_claim_about_an_arm_that_was_not_run_is_not_tested(
    results: ShiftResults, with_papers_models: Setting
) -> None:
    only_grace = replace(results, scores=results.scores[results.scores["arm"] == "grace"])
    rows = by_name(claims(only_grace, with_papers_models))
    assert rows["grace_improves"]["verdict"] == "reproduced"
    assert rows["grace_above_hce"]["verdict"] == NOT_TESTED
    assert rows["grace_above_hce"]["reason"] == "no pass^3 of hce at ℓ_10"
    assert rows["grace_above_reference"]["reason"] == "no pass^3 of reference at ℓ_0"


def test_without_audits_claims_about_them_are_not_tested(
    results: ShiftResults, with_papers_models: Setting
) -> None:
    bare = ShiftResults(scores=results.scores)
    rows = by_name(claims(bare, with_papers_models))
    for name in ("hce_most_contradictions", "hce_longest", "no_sa_most_redundant"):
        assert rows[name]["verdict"] == NOT_TESTED


def test_one_seed_is_too_few_to_judge_audits() -> None:
    setting = make_setting(seeds=(0,), models=PAPERS)
    rows = by_name(claims(make_results(setting, tasks=6), setting))
    assert rows["hce_most_contradictions"]["verdict"] == NOT_TESTED
    assert "too few" in str(rows["hce_most_contradictions"]["reason"])


def test_a_short_study_cannot_speak_to_a_fall_after_l6() -> None:
    setting = make_setting(seeds=(0, 1), batches=3, batches_per_phase=1, audited=(2, 3), models=PAPERS)
    rows = by_name(claims(make_results(setting, tasks=6), setting))
    assert rows["no_sa_declines"]["verdict"] == NOT_TESTED
    assert "ends at ℓ_3" in str(rows["no_sa_declines"]["reason"])


def test_a_study_without_pass_3_tests_no_claim_about_it() -> None:
    setting = make_setting(seeds=(0, 1), batches=2, batches_per_phase=1, trials=2, ks=(1, 2), models=PAPERS)
    rows = by_name(claims(make_results(setting, tasks=6), setting))
    assert rows["grace_improves"]["reason"] == (
        "the study ends at ℓ_2, the paper's at ℓ_10; this study has no pass^3"
    )


@pytest.mark.parametrize(
    ("interval", "direction", "holds"),
    [
        (ABOVE, 1, True), (ABOVE, -1, False), (BELOW, -1, True), (BELOW, 1, False),
        (ACROSS, 1, False), (ACROSS, -1, False), (UNKNOWN, 1, None),
    ],
)  # fmt: skip
def test_a_one_sided_claim_holds_when_the_whole_interval_is_on_its_side(
    interval: Interval, direction: int, holds: bool | None
) -> None:
    assert one_sided("ours", interval, direction, "measured").holds is holds


def test_an_order_holds_when_every_difference_does_and_shows_the_nearest_to_0() -> None:
    far = Interval(0.8, 0.7, 0.9, 9, 0, 1)
    assert all_above("", [("far", far), ("near", ABOVE)]) == one_sided("", ABOVE, 1, "near")
    assert all_above("", [("far", far), ("across", ACROSS)]).holds is False
    assert all_above("", [("far", far), ("unknown", UNKNOWN)]).holds is None


@pytest.mark.parametrize(
    ("holds", "obstacle", "verdict", "reason"),
    [
        (True, "", "reproduced", "why"),
        (False, "", "not reproduced", "why"),
        (None, "", NOT_TESTED, "why"),
        (True, "other models", NOT_TESTED, "other models; why"),
        (False, "other models", NOT_TESTED, "other models; why"),
        (None, "other models", NOT_TESTED, "other models; why"),
    ],
)
def test_verdicts(holds: bool | None, obstacle: str, verdict: str, reason: str) -> None:
    assert judge(Finding("ours", None, holds, "why"), obstacle) == (verdict, reason)


def test_the_peak_is_the_highest_checkpoint_and_the_earliest_of_equals(
    results: ShiftResults, setting: Setting
) -> None:
    flat = results.scores.assign(pass_hat_k=(results.scores["checkpoint"].isin([3, 7])).astype(float))
    assert peak(Evidence(ShiftResults(scores=flat), setting), "hce") == 3


def test_transfer_counts_cycles_of_the_phases_own_intents_at_or_above_0(
    results: ShiftResults, setting: Setting
) -> None:
    # 1 up to ℓ_5, then ½: of ℓ_2→4, 4→6, 6→8, 8→10 only the second falls.
    steps = results.scores.assign(pass_hat_k=1.0 - 0.5 * (results.scores["checkpoint"] > 5))
    cycles = transfer(Evidence(ShiftResults(scores=steps), setting), "grace")
    assert (cycles.number, cycles.kept, cycles.lost, cycles.above, cycles.below) == (4, 3, 1, 3, 1)
    # mms tasks: cycles 2 and 4, mean (-½ + 0) / 2; mobile data tasks: 0. As many of each.
    assert cycles.mean.estimate == pytest.approx(-0.125)


def retention_verdicts(results: ShiftResults, scores: pd.Series) -> dict[str, Cell]:
    """Verdicts on what GRACE keeps and HCE forgets where every arm has these pass^3 alike."""
    alike = replace(results, scores=results.scores.assign(pass_hat_k=scores))
    rows = by_name(claims(alike, make_setting(models=PAPERS)))
    return {name: rows[name]["verdict"] for name in ("grace_retains", "hce_forgets")}


def test_grace_and_hce_are_judged_by_one_rule(results: ShiftResults) -> None:
    checkpoint = results.scores["checkpoint"] / 10
    assert retention_verdicts(results, checkpoint) == {
        "grace_retains": "reproduced", "hce_forgets": "not reproduced",
    }  # fmt: skip
    assert retention_verdicts(results, 1 - checkpoint) == {
        "grace_retains": "not reproduced", "hce_forgets": "reproduced",
    }  # fmt: skip


def test_0_itself_is_on_the_side_claimed_for_grace(results: ShiftResults) -> None:
    assert retention_verdicts(results, results.scores["pass_hat_k"] * 0) == {
        "grace_retains": "reproduced", "hce_forgets": "not reproduced",
    }  # fmt: skip


def test_an_interval_across_0_reproduces_neither(results: ShiftResults) -> None:
    # Half of the tasks rise, half fall.
    even = results.scores["task"].str[-2:].astype(int) // 3 % 2 == 0
    checkpoint = results.scores["checkpoint"] / 10
    assert set(retention_verdicts(results, checkpoint.where(even, 1 - checkpoint)).values()) == {
        "not reproduced"
    }


# Models and shape of the study


def test_other_models_than_the_papers_test_no_claim_but_our_figure_is_shown(results: ShiftResults) -> None:
    setting = make_setting(models=make_models("hosted_vllm/Qwen/Q-14B", "hosted_vllm/Qwen/Q-32B", "x/y"))
    rows = by_name(claims(results, setting))
    assert {row["verdict"] for row in rows.values()} == {NOT_TESTED}
    assert all(row["ours"] is not None and row["reason"] for row in rows.values())
    assert rows["grace_improves"]["reason"] == "hosted_vllm/Qwen/Q-14B is not gemini-2.5-flash"
    assert "Q-32B is not gemini-3.1-pro" in str(rows["grace_above_reference"]["reason"])


def test_another_stronger_model_leaves_the_other_claims_tested(results: ShiftResults) -> None:
    models = make_models("openrouter/google/gemini-2.5-flash", "gemini/gemini-4", "gemini/gemini-4")
    rows = by_name(claims(results, make_setting(models=models)))
    assert rows["grace_improves"]["verdict"] == "reproduced"
    assert rows["grace_above_reference"]["verdict"] == NOT_TESTED


def test_a_study_of_another_length_tests_no_claim() -> None:
    setting = make_setting(seeds=(0, 1), batches=4, audited=(4,), models=PAPERS)
    rows = claims(make_results(setting, tasks=6), setting).rows
    assert {row["verdict"] for row in rows} == {NOT_TESTED}
    assert "the study ends at ℓ_4, the paper's at ℓ_10" in str(rows[0]["reason"])


def test_the_command_repeats_the_overrides_of_the_study() -> None:
    setting = replace(make_setting(), overrides=("seeds=[0, 1]",), results="runs")
    command = shlex.split(setting.command)
    assert command[:6] == ["snakemake", "tables", "--cores", "all", "--config", "study=test"]
    assert shlex.split(command[6].removeprefix("overrides=")) == ["results=runs", "seeds=[0, 1]"]
