"""The page stands alone, says what it is made with, and shows text as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.report.made_study import PAPERS, make_setting

from holdcourse.report.names import SHIFT_TABLES
from holdcourse.report.page import report_page
from holdcourse.report.setting import OFFLINE_LABEL, Setting
from holdcourse.report.table import Column, ReportTable


class Tags(HTMLParser):
    """Checks that elements close in order, and keeps the start tags."""

    void = frozenset({"meta", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(tables: dict[str, ReportTable], setting: Setting) -> str:
    return report_page(tuple(tables.values()), {"shift_size": b"\x89PNG"}, setting, {"commit": "abc123"})


def test_the_label_stands_on_top_and_with_every_table(page: str) -> None:
    assert page.index(OFFLINE_LABEL) < page.index("<img")
    assert page.count(f'class="label">{OFFLINE_LABEL}') == 1 + len(SHIFT_TABLES)


def test_a_page_of_real_models_has_no_label() -> None:
    setting = make_setting(models=PAPERS)
    assert OFFLINE_LABEL not in report_page((), {}, setting, {})


def test_the_page_needs_nothing_beside_it(page: str) -> None:
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert "<script" not in page


def test_claims_open_the_page_and_headings_say_what_and_which_file(page: str) -> None:
    first = re.search(r"<h2 [^>]*>(.*?)</h2>", page)
    assert first is not None
    assert first[1] == "Table: Claims of the paper <code>claims</code>"
    assert page.index('id="claims"') < page.index('id="shift_size"') < page.index('id="shift_reliability"')


def test_links_lead_somewhere(page: str) -> None:
    targets = set(re.findall(r'href="#([^"]*)"', page))
    assert targets == set(re.findall(r'id="([^"]*)"', page))


def test_elements_close_in_order(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.seen.count("table") == len(SHIFT_TABLES) + 1


def test_provenance_and_models_are_shown(page: str, setting: Setting) -> None:
    assert "abc123" in page
    for model in setting.model_names.values():
        assert model in page


def test_text_of_results_is_text_not_markup(setting: Setting) -> None:
    table = ReportTable(
        "sample",
        "<script>alert(1)</script>",
        (Column("a", "<b>"),),
        ({"a": "<img src=x>"},),
        ("</ul>",),
        None,
    )
    page = report_page((table,), {}, setting, {"<i>": "</table>"})
    for markup in ("<script>", "<b>", "<img src=x>", "<i>"):
        assert markup not in page
    tags = Tags()
    tags.feed(page)
    assert tags.open == []


def test_an_empty_table_says_so(setting: Setting) -> None:
    table = ReportTable("sample", "A sample.", (Column("a", "A"),), (), (), None)
    assert "No results yet." in report_page((table,), {}, setting, {})
