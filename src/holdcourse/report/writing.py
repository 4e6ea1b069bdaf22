"""Tables as csv, md and tex, figures as svg, png and pdf: the same bytes for the same numbers."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Literal

import matplotlib as mpl
from matplotlib.figure import Figure

from holdcourse.config.schema import ReportConfig
from holdcourse.files import write_bytes, write_text
from holdcourse.report.drawing import drawing
from holdcourse.report.names import TABLE_FORMATS
from holdcourse.report.table import Cell, ReportTable

_CSV_DIGITS = 6

_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "ℓ": r"\ensuremath{\ell}",
    "±": r"\ensuremath{\pm}",
    "→": r"\ensuremath{\rightarrow}",
    "≥": r"\ensuremath{\geq}",
    "≤": r"\ensuremath{\leq}",
    "−": r"\ensuremath{-}",
    "–": "--",
    "§": r"\S{}",
    "τ": r"\ensuremath{\tau}",
    "²": r"\textsuperscript{2}",
}


def write_table(table: ReportTable, folder: Path) -> tuple[Path, ...]:
    """Write a table as `folder`/NAME.csv, .md and .tex; the offline label and notes stand in each file."""
    texts = {"csv": as_csv(table), "md": as_markdown(table), "tex": as_tex(table)}
    paths = tuple(folder / f"{table.name}.{extension}" for extension in TABLE_FORMATS)
    for path in paths:
        write_text(path, texts[path.suffix[1:]])
    return paths


def as_csv(table: ReportTable) -> str:
    """The table for programs: `pandas.read_csv(path, comment="#")` reads it.

    Caption, label and notes are comment lines before the header; text is quoted, so that a "#" in a
    cell is not taken for a comment; what is undefined is an empty field.
    """
    lines = [table.caption, *([table.label] if table.label else []), *table.notes]
    stream = io.StringIO()
    for line in lines:
        stream.write(f"# {line}\n")
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow([column.title for column in table.columns])
    for row in table.rows:
        writer.writerow([_csv_cell(row[column.key]) for column in table.columns])
    return stream.getvalue()


def as_markdown(table: ReportTable) -> str:
    """The table for readers of Markdown: title, label, table, notes."""
    lines = [f"# {table.caption}", ""]
    if table.label:
        lines += [f"**{table.label}**", ""]
    lines.append(_pipes([column.title for column in table.columns]))
    lines.append("|" + "|".join("---:" if c.digits is not None else "---" for c in table.columns) + "|")
    lines += [_pipes(cells) for cells in table.printed()] or ["", "No results yet."]
    lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def as_tex(table: ReportTable) -> str:
    """The table for LaTeX with the packages booktabs and graphicx; label and notes stand below it."""
    caption = f"{table.caption} {table.label}." if table.label else table.caption
    alignment = "".join("r" if column.digits is not None else "l" for column in table.columns)
    notes = [table.label, *table.notes] if table.label else list(table.notes)
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs,graphicx}.",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{tex_text(caption)}}}",
            rf"\label{{tab:{table.name}}}",
            r"\resizebox{\textwidth}{!}{%",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            _tex_row([column.title for column in table.columns]),
            r"\midrule",
            *(_tex_row(cells) for cells in table.printed()),
            r"\bottomrule",
            r"\end{tabular}}",
            *(rf"\par\smallskip{{\footnotesize {tex_text(note)}}}" for note in notes),
            r"\end{table}",
            "",
        ]
    )


def tex_text(text: str) -> str:
    """Plain text as LaTeX that prints it."""
    return "".join(_TEX.get(character, character) for character in text)


def write_figure(figure: Figure, name: str, folder: Path, report: ReportConfig) -> tuple[Path, ...]:
    """Write a figure as `folder`/NAME in each of the configured formats."""
    paths = tuple(folder / f"{name}.{extension}" for extension in report.formats)
    for path, extension in zip(paths, report.formats, strict=True):
        write_bytes(path, figure_bytes(figure, extension, report))
    return paths


def figure_bytes(figure: Figure, extension: Literal["svg", "png", "pdf"], report: ReportConfig) -> bytes:
    """A figure in one format, without dates, random ids or the name of the plotting version."""
    undated: dict[str, dict[str, str | None]] = {
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "png": {"Software": None},
    }
    stream = io.BytesIO()
    # Tick labels are made when a figure is drawn, so the style must hold here too.
    with (
        drawing(report),
        mpl.rc_context({"svg.hashsalt": "holdcourse", "svg.fonttype": "none", "pdf.fonttype": 42}),
    ):
        figure.savefig(stream, format=extension, dpi=report.dpi, metadata=undated[extension])
    return stream.getvalue()


def _csv_cell(value: Cell) -> Cell:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, _CSV_DIGITS)
    return value


def _pipes(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells) + " |"


def _tex_row(cells: list[str]) -> str:
    return " & ".join(tex_text(cell) for cell in cells) + r" \\"
