"""Sentences are filled in and found again; code gets its values as literals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdcourse.recipes.recipe import Recipe, asked_in

WATER = Recipe(
    name="water",
    apps=("garden",),
    sentences=("Water the {plant} with {amount} liters please.", "Give {amount} liters to the {plant} now."),
    steps=("plant = {plant}\nprint({amount}, {plant}, f'{plant}', {'other': 1})", "finish({plant})"),
    essential=(1,),
    reads_only=False,
    difficulty=1,
)
WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=1, max_size=3).map(" ".join)


def test_fields_are_those_of_the_first_sentence_in_order() -> None:
    assert WATER.fields == ("plant", "amount")


def test_code_holds_the_values_as_literals_and_leaves_other_braces_alone() -> None:
    code = WATER.code(0, {"amount": "2.5"})
    assert code == "plant = {plant}\nprint('2.5', {plant}, f'{plant}', {'other': 1})"


def test_a_wording_beyond_the_last_starts_again() -> None:
    values = {"plant": "fern", "amount": "2"}
    assert WATER.sentence(values, 2) == "Water the fern with 2 liters please."
    assert WATER.sentence(values, 3) == "Give 2 liters to the fern now."


@given(plant=WORDS, amount=st.integers(0, 99), wording=st.integers(0, 1))
def test_what_is_asked_is_found_with_its_values_and_its_place(plant: str, amount: int, wording: int) -> None:
    values = {"plant": plant, "amount": str(amount)}
    sentence = WATER.sentence(values, wording)
    (asked,) = asked_in(f"Hello. {sentence} Bye.", [WATER])
    assert (asked.recipe, dict(asked.values)) == (WATER, values)
    assert (asked.start, asked.end) == (7, 7 + len(sentence))


def test_two_instructions_are_found_in_the_order_in_which_they_stand() -> None:
    first, second = {"plant": "fern", "amount": "2"}, {"plant": "moss", "amount": "1"}
    text = f"{WATER.sentence(first, 1)} And then: {WATER.sentence(second, 0)}"
    assert [dict(asked.values) for asked in asked_in(text, [WATER])] == [first, second]


def test_a_value_holds_no_quote_and_no_line_break() -> None:
    assert asked_in("Water the fern' + 'moss with 2 liters please.", [WATER]) == []
    assert asked_in("Water the fern\nmoss with 2 liters please.", [WATER]) == []
