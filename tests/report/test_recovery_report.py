"""Tables 2-4, the extensions, the quality of nodes, the claims and the figure of the recovery."""

from __future__ import annotations

import math
from itertools import cycle
from typing import cast

import pytest
from tests.report.made_recovery import PAPERS, SIMULATED, config, injected, no_results, results, setting

from holdcourse.metrics.episode_outcomes import OUTCOMES
from holdcourse.metrics.intervals import Interval
from holdcourse.report.onset_figure import onset_figure
from holdcourse.report.recovery_claims import TESTS, recovery_claims
from holdcourse.report.recovery_names import PAPER_TABLES
from holdcourse.report.recovery_quality import (
    cost_table,
    injection_table,
    nodes_table,
    outcomes_table,
    quality_table,
)
from holdcourse.report.recovery_results import RecoveryResults
from holdcourse.report.recovery_tables import extensions_table, paper_table
from holdcourse.report.setting import OFFLINE_LABEL
from holdcourse.report.table import ReportTable, Row
from holdcourse.report.writing import as_csv, as_markdown, as_tex, figure_bytes

AT_LEAST = "A frontier model in the same graph recovers at least as much as the trained small one."
BUILDERS = (extensions_table, quality_table, nodes_table, outcomes_table, cost_table, recovery_claims)


def all_tables(models: dict[str, str] | None = None) -> list[ReportTable]:
    made = setting(models)
    return [
        *(paper_table(name, results(), made) for name in PAPER_TABLES),
        *(build(results(), made) for build in BUILDERS),
        injection_table(injected(), made),
    ]


def row_of(table: ReportTable, **wanted: object) -> Row:
    found = [row for row in table.rows if all(row[key] == value for key, value in wanted.items())]
    assert len(found) == 1, wanted
    return found[0]


def test_every_cell_of_the_papers_tables_stands_beside_ours() -> None:
    for number, table in zip((2, 3, 4), all_tables()[:3], strict=True):
        printed = [figure for figure in setting().paper.end_to_end if figure.table == number]
        shown = [row[f"paper_{level}"] for row in table.rows for level in ("1", "2", "3", "all")]
        assert sorted(value for value in shown if value is not None) == sorted(one.value for one in printed)


def test_percentages_denominators_and_escalations() -> None:
    table = paper_table("drift_type1_gpt4o", results(), setting())
    trained = row_of(table, setting="Granite 3.3 2B, trained")
    assert trained["paper_all"] == 27.5
    assert trained["ours_all"] == pytest.approx(200 / 3)
    assert (trained["ours_1"], trained["ours_3"]) == (100.0, 0.0)
    assert (trained["counted"], trained["escalated"], trained["same"]) == (3, 0, 100.0)
    untrained = row_of(table, setting="Granite 3.3 2B, untrained")
    assert (untrained["ours_all"], untrained["failed"], untrained["counted"]) == (0.0, 3, 3)
    assert row_of(table, setting="no drift")["ours_all"] == pytest.approx(200 / 3)
    assert row_of(table, setting="labels (bound)")["paper_all"] is None


def test_the_gain_of_training_is_paired_and_has_an_interval() -> None:
    table = paper_table("drift_type1_gpt4o", results(), setting())
    gain = row_of(table, setting="Granite 3.3 2B, trained − Granite 3.3 2B, untrained")
    assert gain["ours_all"] == pytest.approx(200 / 3)
    assert gain["counted"] == 3
    assert cast("float", gain["low"]) <= 200 / 3 <= cast("float", gain["high"])
    assert table.rows[-1]["setting"] == "frontier model (simulated/recovery_large) − Granite 3.3 2B, trained"


def test_without_the_warning_a_persistent_drift_comes_again() -> None:
    table = paper_table("drift_type2_gpt4o", results(), setting())
    row = row_of(table, setting="labels (bound), not warned")
    assert (row["ours_all"], row["drifted_again"], row["paper_all"]) == (0.0, 3, None)
    assert not any("not warned" in str(row["setting"]) for row in all_tables()[0].rows)


def test_notes_speak_of_rows_that_are_there_alone() -> None:
    full, empty = (paper_table("drift_type1_gpt4o", made, setting()) for made in (results(), no_results()))
    for words, in_full in (("The last rows are paired differences", True), ("not run in this study", False)):
        assert any(words in note for note in full.notes) is in_full
        assert any(words in note for note in empty.notes) is not in_full


def test_a_slip_of_the_paper_is_told_below_its_table() -> None:
    assert any("35.3" in note and "14 of 40" in note for note in all_tables()[0].notes)
    assert any("21.5" in note for note in all_tables()[1].notes)
    assert not any("21.5" in note for note in all_tables()[2].notes)


@pytest.mark.parametrize("models", [SIMULATED, PAPERS])
def test_the_label_stands_in_every_file_if_and_only_if_a_model_was_simulated(models: dict[str, str]) -> None:
    for table in all_tables(models):
        for text in (as_csv(table), as_markdown(table), as_tex(table)):
            assert (OFFLINE_LABEL in text) == (models is SIMULATED), table.name


def test_tables_name_the_models_that_were_used() -> None:
    titles = [column.title for column in all_tables(PAPERS)[0].columns]
    assert "ours all (openai/gpt-4o)" in titles
    assert "openai/gpt-4o-mini" in all_tables(PAPERS)[1].caption


def test_the_extension_tells_what_was_left_and_that_nothing_final_was_touched() -> None:
    table = extensions_table(results(), setting())
    labels = row_of(table, setting="labels (bound)", mode="compensate")
    assert (labels["counted"], labels["escalated"], labels["rightly"]) == (2, 1, 1)
    assert (labels["repairs"], labels["left"], labels["whole"], labels["irreversible"]) == (1, 1, 0, 0)
    rolled = row_of(table, setting="labels (bound)", mode="rollback")
    assert (rolled["completion"], rolled["escalated"], rolled["repairs"]) == (None, 3, None)


def test_outcomes_of_a_row_sum_to_its_tasks() -> None:
    table = outcomes_table(results(), setting())
    for row in table.rows:
        assert sum(cast("int", row[name]) for name in OUTCOMES) == row["tasks"] == 3
    untrained = [row for row in table.rows if row["setting"] == "Granite 3.3 2B, untrained"]
    assert {row["failed_at"] for row in untrained} == {"n2 3"}


def test_how_many_runs_did_not_drift_stands_beside_drift_without_recovery() -> None:
    for table, number in zip(all_tables()[:3], (0, 1, 1), strict=True):
        assert row_of(table, setting="drift, no recovery")["resisted"] == number
        assert [row["resisted"] for row in table.rows if row["resisted"] is not None] == [number]
    assert row_of(extensions_table(results(), setting()), setting="drift, no recovery")["resisted"] == 0


def test_each_nodes_figure_has_its_interval_and_tasks() -> None:
    wide, long = quality_table(results(), setting()), nodes_table(results(), setting())
    assert len(long.rows) == 14 * len(wide.rows)
    rows = [row for row in long.rows if row["setting"] == "rules, no model (bound)" and row["type"] == "I"]
    by_metric = {row["metric"]: row for row in rows}
    assert (by_metric["n1 F1"]["value"], by_metric["n1 F1"]["low"], by_metric["n1 F1"]["tasks"]) == (
        1.0,
        1.0,
        3,
    )
    # No walk came to n4, so there is nothing to be right about.
    nothing = by_metric["n4 partition"]
    assert (nothing["value"], nothing["tasks"], nothing["excluded"]) == (None, 0, 3)


def test_the_gain_of_training_stands_in_the_table_of_quality() -> None:
    table = quality_table(results(), setting())
    gains = [row for row in table.rows if "trained − Granite 3.3 2B, untrained" in str(row["setting"])]
    assert len(gains) == 4
    assert all(row["n1_f1"] == 0.0 for row in gains)


def test_who_is_swayed_by_how_many_telling_attacks() -> None:
    table = injection_table(injected(), setting())
    assert row_of(table, setting="rules, no model (bound)")["rate"] == 25.0
    assert row_of(table, setting="Granite 3.3 2B, trained")["rate"] is None


def test_every_end_to_end_claim_of_the_paper_has_a_test() -> None:
    assert set(TESTS) == {claim.name for claim in config().paper_drift.claims if claim.kind == "end_to_end"}


def test_claims_are_called_those_of_the_drift_paper() -> None:
    assert recovery_claims(results(), setting()).caption.startswith(
        "Claims of the drift paper about recovery"
    )


def test_claims_are_tested_with_the_papers_models_alone() -> None:
    simulated = recovery_claims(results(), setting(SIMULATED))
    assert {row["verdict"] for row in simulated.rows} == {"not tested with these models"}
    assert all(row["ours"] for row in simulated.rows)
    other = recovery_claims(results(), setting({**PAPERS, "agent_small": "openai/gpt-5"}))
    harder = row_of(other, claim="Under Type II drift the smaller agent stays below its own no-drift share.")
    assert harder["reason"] == "openai/gpt-5 is not gpt-4o-mini"
    own = recovery_claims(results(), setting(PAPERS, world="own"))
    assert {row["reason"] for row in own.rows} == {"tasks of our own on AppWorld's engine, not AppWorld's"}
    small = recovery_claims(results(), setting(PAPERS, policy="smollm2_135m"))
    fails = row_of(small, claim="The untrained small model recovers no task.")
    assert fails["reason"] == "SmolLM2 135M is not Granite 3.3 2B"


def test_verdicts_with_the_papers_models() -> None:
    table = recovery_claims(results(), setting(PAPERS))
    verdicts = {row["claim"]: row["verdict"] for row in table.rows}
    assert verdicts == {
        "Without recovery drift fails every task.": "reproduced",
        "The untrained small model recovers no task.": "reproduced",
        # Two of three tasks: the interval reaches down to 0.
        "The trained small model recovers tasks under Type I drift.": "not reproduced",
        # Both did the same tasks: a difference of exactly 0, and "at least as much" allows that.
        AT_LEAST: "reproduced",
        "Under Type II drift the smaller agent stays below its own no-drift share.": "not reproduced",
        "Under Type II drift the larger agent comes close to its no-drift share.": "reproduced",
    }


def interval(estimate: float | None, low: float | None = None, high: float | None = None) -> Interval:
    return Interval(estimate, low, high, 0 if estimate is None else 40, 0, 1)


@pytest.mark.parametrize(
    ("claim", "gaps", "verdict"),
    [
        # Better in the estimate alone is not "at least": the interval reaches below.
        ("frontier_above_trained", [interval(0.1, -0.05, 0.2)], "not reproduced"),
        ("frontier_above_trained", [interval(0.1, 0.0, 0.2)], "reproduced"),
        ("persistent_harder_for_small_agent", [interval(-0.1, -0.2, 0.0)], "not reproduced"),
        ("persistent_harder_for_small_agent", [interval(-0.1, -0.2, -0.02)], "reproduced"),
        # A wide interval does not show closeness, however high it reaches.
        ("persistent_recovered_by_large_agent", [interval(-0.05, -0.3, 0.2)], "not reproduced"),
        ("persistent_recovered_by_large_agent", [interval(-0.05, -0.12, 0.02)], "reproduced"),
        # One of two will not do.
        (
            "persistent_recovered_by_large_agent",
            [interval(0.0, -0.1, 0.1), interval(-0.2, -0.3, -0.1)],
            "not reproduced",
        ),
        ("drift_collapses", [interval(0.0, 0.0, 0.0), interval(0.02, 0.0, 0.1)], "not reproduced"),
        ("drift_collapses", [interval(None)], "not tested with these models"),
        ("trained_recovers", [interval(None)], "not tested with these models"),
        ("trained_recovers", [interval(0.2, 0.1, 0.3)], "reproduced"),
    ],
)
def test_the_whole_interval_must_lie_on_the_claimed_side(
    claim: str, gaps: list[Interval], verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = cycle(gaps)

    def of(self: RecoveryResults, cell: object, backbone: str, mode: str, *metric: object) -> Interval:
        """Whatever a claim rests on is the next of the gaps; the shares it shows beside them are not."""
        rests = {
            "frontier_above_trained": " - " in backbone,
            "persistent_harder_for_small_agent": "gap_to_no_drift" in metric,
            "persistent_recovered_by_large_agent": "gap_to_no_drift" in metric,
        }.get(claim, True)
        return next(asked) if rests else interval(0.5)

    monkeypatch.setattr(RecoveryResults, "of", of)
    statement = next(one.statement for one in setting().paper.claims if one.name == claim)
    row = row_of(recovery_claims(results(), setting(PAPERS)), claim=statement)
    assert row["verdict"] == verdict
    assert (row["reason"] is None) == (verdict != "not tested with these models")


def test_a_claim_about_what_was_not_run_says_so() -> None:
    table = recovery_claims(no_results(), setting(PAPERS))
    assert {row["reason"] for row in table.rows} == {"this study does not run what it is about"}


def test_tables_without_results_are_empty_and_not_wrong() -> None:
    table = paper_table("drift_type1_gpt4o", no_results(), setting())
    assert all(row["ours_all"] is None for row in table.rows)
    assert [row["paper_all"] for row in table.rows if row["paper_all"] is not None]
    assert quality_table(no_results(), setting()).rows == ()


def test_numbers_are_numbers_or_nothing() -> None:
    for table in all_tables():
        for row in table.rows:
            assert not any(isinstance(value, float) and math.isnan(value) for value in row.values())


def test_the_figure_has_a_panel_a_type_and_the_label() -> None:
    report = config().report
    figure = onset_figure(results(), setting(), report)
    assert [axes.get_title() for axes in figure.axes] == [
        "Type I (reads)",
        "Type III (writes)",
    ]
    svg = figure_bytes(figure, "svg", report).decode()
    assert OFFLINE_LABEL in svg
    assert (
        OFFLINE_LABEL
        not in figure_bytes(onset_figure(results(), setting(PAPERS), report), "svg", report).decode()
    )
    assert svg == figure_bytes(onset_figure(results(), setting(), report), "svg", report).decode()


def test_the_figure_says_what_0_is_what_its_lines_are_and_what_a_point_rests_on() -> None:
    figure = onset_figure(results(), setting(), config().report)
    svg = figure_bytes(figure, "svg", config().report).decode()
    assert "0: the first drifted step. The walk goes back from the suspicion" in svg
    assert "n = 3 runs a point; error bars: 95% bootstrap over tasks." in svg
    assert all(list(axes.get_xticks()) == [-1, 0, 1] for axes in figure.axes)
    explained = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert explained == [["right target", "right or further back"], ["escalated", "writes overlooked"]]


def test_the_figure_of_nothing_is_empty() -> None:
    assert len(onset_figure(no_results(), setting(), config().report).axes) == 1
