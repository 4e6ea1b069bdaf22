"""Nodes take turns in training, in an order that the seed decides."""

from __future__ import annotations

from collections import Counter

from holdcourse.training.prompt_order import in_turns
from holdcourse.training.prompt_rows import PromptRow


def rows(**numbers: int) -> list[PromptRow]:
    return [
        PromptRow(f"{node}-{number}", node, "task", None, (), {}, {})  # type: ignore[arg-type]
        for node, count in numbers.items()
        for number in range(count)
    ]


def test_any_beginning_holds_each_node_as_often() -> None:
    ordered = in_turns(rows(n1=30, n2=30, n5=30), 0)
    assert [row.node for row in ordered[:6]] == ["n1", "n2", "n5", "n1", "n2", "n5"]
    assert set(Counter(row.node for row in ordered[:45]).values()) == {15}


def test_every_prompt_stands_once_though_nodes_differ_in_number() -> None:
    given = rows(n1=7, n3=2, n4=4)
    assert sorted(row.id for row in in_turns(given, 3)) == sorted(row.id for row in given)


def test_the_seed_decides_the_order() -> None:
    given = rows(n1=30, n2=30)
    assert in_turns(given, 0) == in_turns(given[::1], 0)
    assert in_turns(given, 0) != in_turns(given, 1)


def test_no_prompts_have_no_order() -> None:
    assert in_turns([], 0) == []
