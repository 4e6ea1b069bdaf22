"""Files: the label and notes are inside each, programs can read the csv, bytes repeat."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import matplotlib as mpl
import pandas as pd
import pytest
from tests.report.made_study import PAPERS, make_results, make_setting, report_config

from holdcourse.report.figures import shift_figures
from holdcourse.report.names import SHIFT_TABLES, figure_names
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import OFFLINE_LABEL, Setting
from holdcourse.report.size import shift_size
from holdcourse.report.table import Column, ReportTable
from holdcourse.report.trajectories import shift_trajectories
from holdcourse.report.writing import (
    as_csv,
    as_markdown,
    as_tex,
    figure_bytes,
    tex_text,
    write_figure,
    write_table,
)

TABLE = ReportTable(
    "sample",
    "A sample.",
    (Column("name", "name"), Column("share", "share", 3), Column("count", "count", 0)),
    (
        {"name": 'with "quotes", commas | pipes, a # and 5%', "share": 1 / 3, "count": 12345},
        {"name": None, "share": float("nan"), "count": 0},
    ),
    ("Unit: a task.",),
    OFFLINE_LABEL,
)


def test_each_table_is_written_in_three_formats_with_the_label(
    tmp_path_factory: pytest.TempPathFactory, tables: dict[str, ReportTable]
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    for table in tables.values():
        for path in write_table(table, folder):
            text = path.read_text()
            assert OFFLINE_LABEL in text
            assert "Unit" in text
    names = {path.name for path in folder.iterdir()}
    assert names == {f"{name}.{extension}" for name in SHIFT_TABLES for extension in ("csv", "md", "tex")}


def test_every_csv_is_read_back_with_its_columns_and_numbers(tables: dict[str, ReportTable]) -> None:
    for table in tables.values():
        frame = pd.read_csv(io.StringIO(as_csv(table)), comment="#")
        assert frame.columns.tolist() == [column.title for column in table.columns]
        assert len(frame) == len(table.rows)
        for column in table.columns:
            if column.digits is not None and any(row[column.key] is not None for row in table.rows):
                assert frame[column.title].dtype.kind in "if", column.title


def test_a_hash_in_a_cell_is_not_taken_for_a_comment() -> None:
    frame = pd.read_csv(io.StringIO(as_csv(TABLE)), comment="#")
    assert frame["name"].tolist()[0] == 'with "quotes", commas | pipes, a # and 5%'
    assert frame["share"].tolist()[0] == pytest.approx(1 / 3, abs=1e-6)


def test_undefined_is_an_empty_field_never_0() -> None:
    frame = pd.read_csv(io.StringIO(as_csv(TABLE)), comment="#")
    assert frame["share"].isna().tolist() == [False, True]
    assert frame["count"].tolist() == [12345, 0]


def test_markdown_keeps_its_cells_apart() -> None:
    lines = as_markdown(TABLE).splitlines()
    assert lines[:4] == ["# A sample.", "", f"**{OFFLINE_LABEL}**", ""]
    assert lines[5] == "|---|---:|---:|"
    assert lines[6] == '| with "quotes", commas \\| pipes, a # and 5% | 0.333 | 12,345 |'
    assert lines[7] == "| – | – | 0 |"
    assert lines[-1] == "- Unit: a task."


def test_an_empty_table_says_so() -> None:
    empty = ReportTable("sample", "A sample.", TABLE.columns, (), (), None)
    assert "No results yet." in as_markdown(empty)
    assert pd.read_csv(io.StringIO(as_csv(empty)), comment="#").empty
    assert OFFLINE_LABEL not in as_markdown(empty) + as_csv(empty) + as_tex(empty)


def test_tex_prints_what_it_is_given() -> None:
    assert tex_text("5% & a_b #1 {x} $2 ^ ~ \\") == (
        r"5\% \& a\_b \#1 \{x\} \$2 \textasciicircum{} \textasciitilde{} \textbackslash{}"
    )


def test_tex_of_all_tables_is_plain_ascii(tables: dict[str, ReportTable]) -> None:
    for table in tables.values():
        assert as_tex(table).isascii(), table.name


def test_tex_rows_have_as_many_cells_as_columns(tables: dict[str, ReportTable]) -> None:
    for table in tables.values():
        body = as_tex(table).split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
        separators = {line.replace(r"\&", "").count("&") for line in body}
        assert separators == {len(table.columns) - 1}


# Figures


def test_each_figure_is_written_in_each_format_with_the_label_in_the_picture(
    tmp_path_factory: pytest.TempPathFactory, results: ShiftResults, setting: Setting
) -> None:
    folder = tmp_path_factory.mktemp("figures")
    report = report_config()
    for name, figure in shift_figures(results, setting, report).items():
        assert [path.name for path in write_figure(figure, name, folder, report)] == [
            f"{name}.{extension}" for extension in report.formats
        ]
        assert OFFLINE_LABEL in (folder / f"{name}.svg").read_text()
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert {path.stem for path in folder.iterdir()} == set(figure_names(swept=False))


def test_figures_of_real_models_carry_no_label_and_name_the_agent(results: ShiftResults) -> None:
    setting = make_setting(models=PAPERS)
    report = report_config()
    figure = shift_trajectories(results, setting, report)
    svg = figure_bytes(figure, "svg", report).decode()
    assert OFFLINE_LABEL not in svg
    assert "gemini/gemini-2.5-flash" in svg


SHAPES = {
    "one arm, seed and batch": make_setting(
        arms=("grace",), seeds=(0,), batches=1, batches_per_phase=1, audited=()
    ),
    "no cycle": make_setting(seeds=(0,), batches=2, audited=(2,)),
    "no pass^3": make_setting(
        seeds=(0, 1), batches=2, batches_per_phase=1, trials=2, ks=(1, 2), audited=(1,)
    ),
}


@pytest.mark.parametrize("extension", ["svg", "png", "pdf"])
def test_the_same_numbers_give_the_same_bytes(extension: Literal["svg", "png", "pdf"]) -> None:
    setting, report = SHAPES["no cycle"], report_config()
    results = make_results(setting, tasks=3)
    first, second = (figure_bytes(shift_size(results, setting, report), extension, report) for _ in range(2))
    assert first == second


def test_the_readers_matplotlib_settings_do_not_matter() -> None:
    setting, report = SHAPES["no cycle"], report_config()
    results = make_results(setting, tasks=3)
    plain = figure_bytes(shift_trajectories(results, setting, report), "svg", report)
    with mpl.rc_context({"font.size": 30, "xtick.labelsize": 3, "axes.grid": True}):
        styled = figure_bytes(shift_trajectories(results, setting, report), "svg", report)
    assert plain == styled


@pytest.mark.parametrize("shape", SHAPES)
def test_figures_of_studies_of_other_shapes(shape: str) -> None:
    setting, report = SHAPES[shape], report_config()
    for figure in shift_figures(make_results(setting, tasks=6), setting, report).values():
        assert OFFLINE_LABEL in figure_bytes(figure, "svg", report).decode()


@pytest.mark.parametrize("rows", [slice(None), slice(0)], ids=["scores alone", "nothing"])
def test_a_figure_says_what_is_missing(rows: slice) -> None:
    setting, report = SHAPES["no cycle"], report_config()
    scores = make_results(setting, tasks=6).scores[rows]
    figures = shift_figures(ShiftResults(scores=scores), setting, report)
    assert "no complete phase cycle" in figure_bytes(figures["shift_transfer_cycles"], "svg", report).decode()
    assert "no audits" in figure_bytes(figures["shift_size"], "svg", report).decode()


def test_a_trajectory_of_a_k_that_the_study_has_not_says_so() -> None:
    setting, report = SHAPES["no pass^3"], report_config()
    figure = shift_trajectories(make_results(setting, tasks=3), setting, report)
    assert "no pass^3 in this study" in figure_bytes(figure, "svg", report).decode()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_tex_compiles(tmp_path: Path, tables: dict[str, ReportTable]) -> None:
    inputs = "".join(
        rf"\input{{{path.name}}}" for table in tables.values() for path in write_table(table, tmp_path)
        if path.suffix == ".tex"
    )  # fmt: skip
    packages = r"\usepackage{booktabs,graphicx}\usepackage[landscape]{geometry}"
    (tmp_path / "all.tex").write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}{inputs}\end{{document}}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
