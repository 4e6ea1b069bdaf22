"""Reading ℓ_0: exact spans, dropped quotes, sections that cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.evolution.extraction import extract, locate
from holdcourse.evolution.graph import Edge
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.evolution.shapes import UnitShape
from holdcourse.llm.replies import read_block

TEXT = "# Bills\r\n\r\n- Check the bill.\r\n- A paid bill lifts the block.\r\n"


def unit(id_: str, quote: str, type_: str = "norm") -> dict[str, str]:
    return {"id": id_, "type": type_, "quote": quote}


def test_units_get_their_exact_place(asking: Callable[..., tuple], schema: NetworkSchema) -> None:
    reply = {
        "units": [unit("u1", "- A paid bill lifts the block.", "knowledge"), unit("u2", "Check the bill.")],
        "relations": [{"source": "u1", "relation": "supports", "target": "u2"}],
    }
    ask, model = asking({"extractor": [reply]})
    result = extract(TEXT, schema, ask, 4000)
    state = result.state
    assert state.instruction == TEXT
    assert [(node.id, node.text) for node in state.graph.nodes()] == [
        ("n001", "Check the bill."),
        ("n002", "A paid bill lifts the block."),
    ]
    assert state.graph.edges() == (Edge("n002", "supports", "n001"),)
    assert all(state.wording(node.id) == node.text for node in state.graph.nodes())
    assert read_block(model.requests[0].messages[1].content or "", "instruction") == TEXT
    assert result.refused == ()
    assert result.to_record()["usage"] == {
        "extractor": {"calls": 1, "prompt_tokens": 100, "completion_tokens": 10}
    }


def test_each_section_is_asked_about_and_a_lost_one_stays_unclaimed(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    text = "# A\nSay a.\n# B\nSay b.\n# C\nSay c.\n"
    replies = [{"units": [unit("u1", f"Say {x}.")], "relations": []} for x in "ac"]
    ask, model = asking({"extractor": [replies[0], "sorry", replies[1]]}, attempts=1)
    result = extract(text, schema, ask, 12)
    assert [result.state.wording(node.id) for node in result.state.graph.nodes()] == ["Say a.", "Say c."]
    assert len(model.requests) == result.sections == 3
    (lost,) = result.unparsed
    assert lost.startswith("characters 11 to 22")


def test_the_same_unit_id_in_two_sections_is_two_nodes(
    asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    replies = [{"units": [unit("n001", f"Say {x}.")], "relations": []} for x in "ab"]
    ask, _ = asking({"extractor": replies})
    result = extract("# A\nSay a.\n# B\nSay b.\n", schema, ask, 12)
    assert [node.text for node in result.state.graph.nodes()] == ["Say a.", "Say b."]


@pytest.mark.parametrize("text", ["", " \r\n\n"])
def test_an_instruction_without_text_asks_nobody(
    text: str, asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    ask, model = asking({})
    assert len(extract(text, schema, ask, 4000).state.graph) == 0
    assert model.requests == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (unit("u2", "Check the bills."), "does not occur verbatim"),
        (unit("u2", "the bill"), "where another unit stands already"),
        (unit("u2", "bill.\r\n- A"), "where another unit stands already"),
        (unit("u2", " - "), "holds no word"),
        (unit("u2", " \n"), "holds no word"),
        (unit("u2", "A paid bill", "rule"), "unknown type 'rule'"),
        (unit(" u1 ", "A paid bill"), "empty or taken"),
    ],
)
def test_a_unit_without_a_place_of_its_own_is_dropped(bad: dict[str, str], reason: str) -> None:
    units = [UnitShape.model_validate(value) for value in (unit("u1", "Check the bill."), bad)]
    located, refused = locate(TEXT.replace(" - ", ""), units)
    assert [name for name, *_ in located] == ["u1"]
    assert reason in refused[0].reason
    assert refused[0].edit == bad


def test_a_repeated_sentence_can_be_claimed_twice() -> None:
    units = [UnitShape.model_validate(unit(name, "Check.")) for name in ("u1", "u2", "u3")]
    located, refused = locate("Check. Then: Check.", units)
    assert [(start, end) for _, start, end, _ in located] == [(0, 6), (13, 19)]
    assert len(refused) == 1


def test_a_quote_over_several_lines_may_use_its_own_line_ends() -> None:
    located, _ = locate("One:\r\n- two\r\n", [UnitShape.model_validate(unit("u1", "One:\n- two"))])
    assert [(start, end) for _, start, end, _ in located] == [(0, 11)]


PIECES = st.sampled_from(
    ["Check.", "- ", "\r\n", "\n", " ", "\U0001f600", "\u00a0", "bill", "1. ", "</instruction>"]
)


@given(
    text=st.lists(PIECES, max_size=12).map("".join),
    quotes=st.lists(st.lists(PIECES, max_size=3).map("".join), max_size=6),
)
def test_spans_are_verbatim_disjoint_and_in_order(
    text: str, quotes: list[str], asking: Callable[..., tuple], schema: NetworkSchema
) -> None:
    reply = {"units": [unit(f"u{n}", quote) for n, quote in enumerate(quotes)], "relations": []}
    ask, _ = asking({"extractor": [reply] * len(text)})
    result = extract(text, schema, ask, 10)
    result.state.check()
    assert result.state.instruction == text
    for node in result.state.graph.nodes():
        assert result.state.wording(node.id).strip() == node.text
    starts = [result.state.layout.span(node.id).start for node in result.state.graph.nodes()]
    assert starts == sorted(starts)
