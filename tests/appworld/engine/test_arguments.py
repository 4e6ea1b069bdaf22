"""Arguments found for an invented app: from one record where it gives them, invented within constraints."""

import itertools

from tests.appworld.made_docs import DOCS, operation

from holdcourse.appworld.docs import Operation
from holdcourse.appworld.engine.arguments import Fact, assignments, facts_in


def ways(called: Operation, *facts: Fact, count: int = 40) -> list[dict[str, object]]:
    return list(itertools.islice(assignments(called, facts), count))


def shown(api: str, response: object, **asked: object) -> list[Fact]:
    return facts_in(DOCS[f"garden.{api}"], asked, response)


def test_facts_of_nested_records_keep_what_identifies_their_parents() -> None:
    facts = facts_in(
        operation("show_bed", "GET", "/beds/{bed_id}", "bed_id:integer"),
        {"bed_id": 4},
        {"name": "north", "plants": [{"id": 7, "name": "fern"}], "photo_ids": [11]},
    )
    assert {"bed_id": 4, "plant_id": 7, "name": "fern"} in [dict(fact.values) for fact in facts]
    assert {"bed_id": 4, "photo_id": 11} in [dict(fact.values) for fact in facts]


def test_two_identities_come_from_one_record_first() -> None:
    facts = facts_in(
        operation("show_bed", "GET", "/beds/{bed_id}", "bed_id:integer"),
        {"bed_id": 4},
        {"plants": [{"id": 7}]},
    )
    first = ways(DOCS["garden.remove_plant_from_bed"], *shown("show_plant", {"plant_id": 1}), *facts)[0]
    assert first == {"bed_id": 4, "plant_id": 7}


def test_a_parameters_own_name_goes_before_shorter_ones() -> None:
    wanted = operation("delete_sub_task", "DELETE", "/sub_tasks/{sub_task_id}", "sub_task_id:integer")
    fact = Fact({"task_id": 1, "sub_task_id": 2}, "garden.show_sub_tasks", ("task_id", "sub_task_id"))
    assert ways(wanted, fact)[0] == {"sub_task_id": 2}


def test_values_are_invented_within_constraints() -> None:
    chosen = ways(DOCS["garden.add_content_to_diary"], *shown("show_diary", {"page_id": 2, "content": "x"}))
    assert {way["where"] for way in chosen} == {"top", "end"}
    rated = operation("rate", "POST", "/rate", "stars:integer=value_>=_1.0,_<=_5.0")
    assert [way["stars"] for way in ways(rated)] == [3, 2, 1]


def test_an_update_begins_with_a_value_to_change() -> None:
    first = ways(DOCS["garden.update_plant"], *shown("show_plant", {"plant_id": 7, "name": "fern"}))[0]
    assert first == {"plant_id": 7, "name": "marigold"}


def test_without_any_record_an_identity_is_not_invented() -> None:
    assert ways(DOCS["garden.delete_plant"]) == []


def test_two_people_are_not_the_same_person() -> None:
    paid = operation("pay", "POST", "/pay", "payer_email:string receiver_email:string")
    people = [Fact({"email": email}, "garden.show_people", ("email",)) for email in ("a@x", "b@x")]
    assert {"payer_email": "a@x", "receiver_email": "b@x"} in ways(paid, *people)
