"""Planner and holistic rewriter do the same with the same lessons, whatever form their text has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from holdcourse.simulated.aim import Aim, Passage, changes_for
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.observation import Lesson

from .conftest import asked

BARE = "Use toggle_data_saver_mode to turn Data Saver off."
UNOWNED = "If Data Saver is on, use toggle_data_saver_mode to turn it off."
OWNED = "If Data Saver is on, have the customer turn it off."
NEVER = "Never have the customer switch Data Saver off."
VPN = "If a slow VPN is connected, have the customer disconnect it."
GROUNDS = ("", "Data Saver throttles everything the phone does online.", "Any VPN slows a phone down.")
UNITS = (BARE, OWNED, VPN, GROUNDS[1], "Be kind to callers.")
LESSONS = st.lists(
    st.tuples(st.sampled_from((UNOWNED, OWNED, NEVER, VPN)), st.sampled_from(GROUNDS)), max_size=3
)


def changes(
    units: tuple[str, ...], *texts: tuple[str, str], right: float = 1.0
) -> list[tuple[str, Aim, str, int | None]]:
    lessons = [Lesson(n, text, "norm", why) for n, (text, why) in enumerate(texts, start=1)]
    found = changes_for(lessons, [Passage(unit) for unit in units], right, Coins(1, "d"))
    return [(c.lesson.text, c.aim, c.ground, c.grounded_at) for c in found]


def test_a_merge_is_seen_by_the_lessons_after_it() -> None:
    assert changes((BARE,), (OWNED, ""), (OWNED, "")) == [(OWNED, Aim("merge", 0), "", None)]
    assert changes((BARE,), (UNOWNED, ""), (OWNED, "")) == [
        (UNOWNED, Aim("merge", 0), "", None),
        (OWNED, Aim("merge", 0), "", None),
    ]


def test_an_addition_is_not() -> None:
    assert [aim.act for _, aim, _, _ in changes(("Be kind.",), (VPN, ""), (VPN, ""))] == ["add", "add"]


def test_a_ground_is_stated_unless_a_unit_states_it() -> None:
    assert changes(("Be kind.",), (VPN, GROUNDS[2])) == [(VPN, Aim("add"), GROUNDS[2], None)]
    assert changes((GROUNDS[2], "Be kind."), (VPN, GROUNDS[2])) == [(VPN, Aim("add", 0), "", 0)]


def test_who_does_not_look_finds_no_ground_either() -> None:
    assert changes((VPN, GROUNDS[2]), (VPN, GROUNDS[2]), right=0.0) == [(VPN, Aim("add"), GROUNDS[2], None)]


@pytest.mark.parametrize("level", [0.0, 1.0])
@given(st.lists(st.sampled_from(UNITS), unique=True, max_size=4), LESSONS)
def test_both_forms_of_the_text_grow_by_the_same_words(
    level: float, units: list[str], lessons: list[tuple[str, str]]
) -> None:
    rows: list[JsonValue] = [{"lesson": text, "type": "norm", "because": why} for text, why in lessons]
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "knowledge" if text in GROUNDS else "norm", "text": text}
        for n, text in enumerate(units)
    ]
    observation: JsonValue = {"lessons": rows}
    graph: JsonValue = {"nodes": nodes, "edges": []}
    edits = asked("planner", {"graph": graph, "observation": observation}, level=level)["edits"]
    assert isinstance(edits, list)
    texts = {f"n{n}": text for n, text in enumerate(units)}
    texts |= {str(e["id"]): str(e["text"]) for e in edits if isinstance(e, dict) and "text" in e}
    flat = asked("holistic", {"instruction": "\n".join(units), "observation": observation}, level=level)[
        "instruction"
    ]
    assert words_of(str(flat)) == words_of(" ".join(texts.values()))


def words_of(text: str) -> list[str]:
    """The words of a text in alphabetical order, list markers left out."""
    return sorted(word for word in text.split() if word != "-")
