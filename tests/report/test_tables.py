"""Every table says what it is made of: the paper's figure, ours, unit, denominator, exclusions, label."""

from __future__ import annotations

import re

import pytest
from tests.report.made_study import PAPERS, make_results, make_setting

from holdcourse.report.names import SHIFT_TABLES
from holdcourse.report.reliability import shift_reliability
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import OFFLINE_LABEL
from holdcourse.report.table import Cell, Column, ReportTable, printed_cell
from holdcourse.report.tables import shift_tables


def row(table: ReportTable, **wanted: Cell) -> dict[str, Cell]:
    (found,) = [r for r in table.rows if all(r[key] == value for key, value in wanted.items())]
    return dict(found)


def test_all_tables_are_made_in_order(tables: dict[str, ReportTable]) -> None:
    assert tuple(tables) == tuple(SHIFT_TABLES)


def test_every_table_carries_the_label_and_its_unit(tables: dict[str, ReportTable]) -> None:
    for table in tables.values():
        assert table.label == OFFLINE_LABEL
        notes = " ".join(table.notes)
        assert "Unit" in notes
        assert "Excluded" in notes


def test_tables_of_real_models_carry_no_label() -> None:
    setting = make_setting(seeds=(0,), models=PAPERS, batches=2)
    assert {table.label for table in shift_tables(make_results(setting, tasks=6), setting)} == {None}


def test_our_columns_name_models_that_are_not_the_papers(tables: dict[str, ReportTable]) -> None:
    titles = [column.title for column in tables["shift_reliability"].columns]
    assert "ours pass^3 (simulated/agent)" in titles
    setting = make_setting(models=PAPERS)
    assert setting.ours("pass^3", "agent") == "ours pass^3"
    assert setting.ours("contradictions", "auditor") == "ours contradictions (gemini/gemini-2.5-flash)"


def test_reliability_shows_the_papers_figure_beside_ours(tables: dict[str, ReportTable]) -> None:
    table = tables["shift_reliability"]
    assert row(table, arm="GRACE", checkpoint=10, intent="all")["paper"] == "0.673 ± 0.136"
    assert row(table, arm="GRACE w/o SA", checkpoint=6, intent="all")["paper"] == "0.458"
    assert row(table, arm="HCE", checkpoint=0, intent="all")["paper"] == "0.091"
    assert row(table, arm="GRACE", checkpoint=5, intent="all")["paper"] is None
    assert row(table, arm="GRACE", checkpoint=10, intent="mms_issue")["paper"] is None


def test_reliability_is_the_mean_over_seeds_and_tasks(
    tables: dict[str, ReportTable], results: ShiftResults
) -> None:
    cell = results.cell("hce", 4, 3)
    by_seed = cell.groupby("seed")["pass_hat_k"].mean()
    found = row(tables["shift_reliability"], arm="HCE", checkpoint=4, intent="all")
    assert found["ours"] == pytest.approx(by_seed.mean())
    assert found["sd"] == pytest.approx(by_seed.std(ddof=1))
    assert found["units"] == cell["pass_hat_k"].notna().sum()
    assert found["units"] + found["excluded"] == 5 * 12
    assert found["low"] <= found["ours"] <= found["high"]
    assert found["infrastructure"] == cell["infrastructure_failures"].sum() > 0
    assert found["strict"] < found["ours"] < found["pass_at_k"]


def test_every_checkpoint_has_a_row_and_intents_at_the_ends(tables: dict[str, ReportTable]) -> None:
    rows = [r for r in tables["shift_reliability"].rows if r["arm"] == "GRACE"]
    assert [r["checkpoint"] for r in rows if r["intent"] == "all"] == list(range(11))
    assert {r["checkpoint"] for r in rows if r["intent"] != "all"} == {0, 10}


def test_reference_compares_each_arm_with_the_stronger_model(
    tables: dict[str, ReportTable], results: ShiftResults
) -> None:
    table = tables["shift_reference"]
    assert [r["who"] for r in table.rows] == [
        "zero-shot, agent's model", "zero-shot, stronger model", "GRACE", "GRACE w/o SA", "HCE",
    ]  # fmt: skip
    stronger = row(table, who="zero-shot, stronger model")
    assert (stronger["paper"], stronger["model"]) == ("0.242", "simulated/reference")
    assert stronger["difference"] is None
    both = results.cell("grace", 10, 3).merge(results.cell("reference", 0, 3), on=["seed", "task"])
    difference = (both["pass_hat_k_x"] - both["pass_hat_k_y"]).groupby(both["seed"]).mean().mean()
    assert row(table, who="GRACE")["difference"] == pytest.approx(difference)


def test_transfer_has_a_row_an_arm_cycle_and_intent(tables: dict[str, ReportTable]) -> None:
    rows = [r for r in tables["shift_transfer"].rows if r["arm"] == "HCE"]
    assert [(r["cycle"], r["intent"], r["before_checkpoint"], r["after_checkpoint"]) for r in rows] == [
        (1, "mobile_data_issue", 2, 4), (1, "service_issue", 2, 4),
        (2, "mms_issue", 4, 6), (2, "service_issue", 4, 6),
        (3, "mobile_data_issue", 6, 8), (3, "service_issue", 6, 8),
        (4, "mms_issue", 8, 10), (4, "service_issue", 8, 10),
    ]  # fmt: skip
    for r in rows:
        assert r["ours"] == pytest.approx(r["after"] - r["before"])
        assert r["paper"] == ("persistently negative" if r["role"] == "phase" else None)


def test_failure_modes_show_the_papers_averages_at_the_last_audit(tables: dict[str, ReportTable]) -> None:
    table = tables["shift_failure_modes"]
    grace, hce = row(table, arm="GRACE", checkpoint=10), row(table, arm="HCE", checkpoint=10)
    assert (grace["contradictions_paper"], grace["redundancies_paper"]) == ("1.75–1.90", "4.15")
    assert (hce["contradictions_paper"], hce["characters_paper"]) == ("3.35", "82,592")
    assert row(table, arm="HCE", checkpoint=6)["contradictions_paper"] is None
    assert (hce["units"], grace["units"]) == (None, 110)
    assert (grace["verification_tokens"], hce["verification_tokens"]) == (3000, 20000)


def test_failure_modes_count_the_audits_that_could_not_be_read(
    tables: dict[str, ReportTable], results: ShiftResults
) -> None:
    rows = tables["shift_failure_modes"].rows
    assert all(r["audits"] + r["unparsed"] == 5 * 4 for r in rows)
    assert any(r["unparsed"] for r in rows)


def test_an_audit_mean_gives_each_seed_the_same_weight(
    tables: dict[str, ReportTable], results: ShiftResults
) -> None:
    audits = results.audits.query("arm == 'hce' and checkpoint == 6")
    expected = audits.groupby("seed")["contradictions"].mean().mean()
    assert row(tables["shift_failure_modes"], arm="HCE", checkpoint=6)["contradictions"] == pytest.approx(
        expected
    )


# What is missing


def test_one_arm_one_seed_one_checkpoint() -> None:
    setting = make_setting(arms=("hce",), seeds=(0,), batches=1, batches_per_phase=1, audited=(1,))
    results = make_results(setting, tasks=6)
    only_last = ShiftResults(scores=results.scores.query("checkpoint == 1"))
    tables = {table.name: table for table in shift_tables(only_last, setting)}
    first = tables["shift_reliability"].rows[0]
    assert (first["checkpoint"], first["intent"], first["sd"]) == (1, "all", None)
    assert tables["shift_transfer"].rows == ()
    assert tables["shift_failure_modes"].rows == ()
    assert [r["who"] for r in tables["shift_reference"].rows] == ["HCE"]


def test_nothing_evaluated_yet() -> None:
    setting = make_setting()
    empty = ShiftResults(scores=make_results(make_setting(seeds=(0,), batches=1, audited=()), 3).scores[:0])
    tables = {table.name: table for table in shift_tables(empty, setting)}
    assert all(table.rows == () for name, table in tables.items() if name != "claims")
    assert all(r["ours"] is None for r in tables["claims"].rows)


def test_a_study_without_pass_3_shows_its_own_k_and_no_figure_of_the_paper() -> None:
    setting = make_setting(seeds=(0,), batches=2, batches_per_phase=1, trials=2, ks=(1, 2))
    tables = {table.name: table for table in shift_tables(make_results(setting, tasks=6), setting)}
    reliability = tables["shift_reliability"]
    assert any(column.title.startswith("ours pass^2") for column in reliability.columns)
    assert all(r["paper"] is None for r in reliability.rows)
    assert all(r["paper"] is None for r in tables["shift_reference"].rows)


# A table as data


def test_a_row_that_does_not_fit_its_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="extra"):
        ReportTable("t", "c", (Column("a", "A"),), ({"a": 1, "extra": 2},), (), None)
    with pytest.raises(ValueError, match="share a title"):
        ReportTable("t", "c", (Column("a", "A"), Column("b", "A")), (), (), None)


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.12345, 3, "0.123"),
        (-0.12345, 3, "−0.123"),
        (-0.0001, 3, "0.000"),
        (82592, 0, "82,592"),
        (-37058.25, 3, "−37,058"),
        (None, 3, "–"),
        (float("nan"), 3, "–"),
        ("", None, "–"),
        (0, 0, "0"),
        (0.0, 3, "0.000"),
        ("text", 3, "text"),
        (True, None, "yes"),
        (6, None, "6"),
    ],
)
def test_cells_as_a_reader_sees_them(value: Cell, digits: int | None, printed: str) -> None:
    assert printed_cell(value, digits) == printed


def test_intervals_do_not_depend_on_what_else_is_tabulated(
    tables: dict[str, ReportTable], results: ShiftResults
) -> None:
    alone = shift_reliability(results, make_setting(arms=("hce",)))
    together = [r for r in tables["shift_reliability"].rows if r["arm"] == "HCE"]
    assert list(alone.rows) == together


def test_no_printed_title_hides_which_number_is_ours(tables: dict[str, ReportTable]) -> None:
    for table in tables.values():
        ours = [c.title for c in table.columns if re.match(r"ours\b", c.title)]
        papers = [c.title for c in table.columns if re.match(r"paper\b", c.title)]
        assert ours
        assert papers
