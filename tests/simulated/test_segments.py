from hypothesis import given
from hypothesis import strategies as st

from holdcourse.simulated.segments import in_one_procedure, units_of

TEXT = """# Phones

### Airplane Mode
It disables all radios.
If it is ON, have it
turned off.

To pay a bill follow these steps:
1. Check the bill.
2. Send a request.
   - This changes its status.

<note>
Alone.
"""


def test_lines_that_end_a_sentence_end_a_unit_and_wrapped_lines_belong_together() -> None:
    assert [unit.text for unit in units_of(TEXT)] == [
        "It disables all radios.",
        "If it is ON, have it\nturned off.",
        "To pay a bill follow these steps:",
        "Check the bill.",
        "Send a request.",
        "This changes its status.",
        "Alone.",
    ]


def test_headings_and_parents_are_context() -> None:
    by_text = {unit.text: unit.context for unit in units_of(TEXT)}
    assert by_text["It disables all radios."] == ("Phones", "Airplane Mode")
    assert by_text["Check the bill."][-1] == "To pay a bill follow these steps:"
    assert by_text["This changes its status."][-1] == "2. Send a request."
    assert by_text["Alone."] == ()


def test_steps_of_one_list_belong_together() -> None:
    units = {unit.text: unit for unit in units_of(TEXT)}
    assert in_one_procedure(units["Check the bill."], units["Send a request."])
    assert not in_one_procedure(units["Check the bill."], units["Alone."])


PIECES = st.sampled_from(
    ["# Head", "- item one.", "  - deeper", "2. step.", "A line", "and more.", "", "---", "<tag>"]
)


@given(st.lists(PIECES, max_size=12).map("\n".join))
def test_units_stand_verbatim_in_order_and_apart(text: str) -> None:
    end = 0
    for unit in units_of(text):
        assert text[unit.start : unit.end] == unit.text != ""
        assert unit.line_start <= unit.start < unit.end <= unit.line_end <= len(text)
        assert unit.line_start >= end
        end = unit.line_end
