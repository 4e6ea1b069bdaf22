"""The report as one HTML page that needs nothing beside it: tables, figures, claims, provenance."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from holdcourse.report.names import SHIFT_FIGURES, SHIFT_TABLES
from holdcourse.report.setting import Setting
from holdcourse.report.table import ReportTable


def report_page(
    tables: Sequence[ReportTable],
    figures: Mapping[str, bytes],
    setting: Setting,
    provenance: Mapping[str, str],
) -> str:
    """The page as HTML text; the offline label stands at the top and with every table.

    Args:
        tables: in the order they are shown, but for the claims, which open the page.
        figures: PNG bytes by name, in the order they are shown.
        setting: models, arms, protocol and paper.
        provenance: what made the results, by name (commit, configuration digest, versions).
    """
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            setting=setting,
            tables=tables,
            figures={name: base64.b64encode(image).decode() for name, image in figures.items()},
            provenance=provenance,
            headings={**SHIFT_FIGURES, **SHIFT_TABLES},
            leading=("claims",),
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
