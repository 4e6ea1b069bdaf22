from hypothesis import given
from hypothesis import strategies as st

from holdcourse.simulated.extractor import type_of
from holdcourse.simulated.reading import read

from .conftest import Ask, provider, role_request

SECTION = """# Support
As a support agent, you help callers of the company.

## Data Saver
Data Saver throttles everything the phone does online.
Have the customer turn Data Saver off.
If check_data_restriction_status shows Data Saver on, have the customer turn it off.

To take a payment you need to follow these steps:
- Check that the bill is overdue.
- Send a payment request for the overdue bill.
- customer ID
"""


def test_units_are_quoted_verbatim_and_typed_by_their_wording(ask: Ask) -> None:
    units = ask("extractor", {"instruction": SECTION})["units"]
    assert units == [
        {"id": "u1", "type": "identity", "quote": "As a support agent, you help callers of the company."},
        {"id": "u2", "type": "knowledge", "quote": "Data Saver throttles everything the phone does online."},
        {"id": "u3", "type": "norm", "quote": "Have the customer turn Data Saver off."},
        {
            "id": "u4",
            "type": "norm",
            "quote": "If check_data_restriction_status shows Data Saver on, have the customer turn it off.",
        },
        {"id": "u5", "type": "norm", "quote": "Check that the bill is overdue."},
        {"id": "u6", "type": "norm", "quote": "Send a payment request for the overdue bill."},
    ]


def test_relations_are_grounds_steps_and_special_cases(ask: Ask) -> None:
    assert ask("extractor", {"instruction": SECTION})["relations"] == [
        {"source": "u5", "relation": "sequence", "target": "u6"},
        {"source": "u2", "relation": "supports", "target": "u3"},
        {"source": "u4", "relation": "refines", "target": "u3"},
    ]


def test_only_admissible_relations_are_named(ask: Ask) -> None:
    reply = ask("extractor", {"instruction": SECTION, "schema": [["norm", "refines", "norm"]]})
    assert reply["relations"] == [{"source": "u4", "relation": "refines", "target": "u3"}]


def test_without_competence_units_are_found_and_no_relation_is_seen(ask: Ask) -> None:
    reply = ask("extractor", {"instruction": SECTION}, level=0.0)
    assert len(reply["units"] or "") == 6
    assert reply["relations"] == []


def test_types() -> None:
    def kind(text: str) -> str:
        return type_of(text, read(text))

    assert kind("You are a patient support agent.") == "identity"
    assert kind("Never guess a phone number.") == "norm"
    assert kind("Each plan has a data limit.") == "knowledge"


@given(st.text(max_size=300))
def test_whatever_the_text_every_quote_stands_in_it(text: str) -> None:
    import json

    reply = provider(1.0).complete(role_request("extractor", {"schema": [], "instruction": text}))
    for unit in json.loads(reply.content or "")["units"]:
        assert unit["quote"] in text
