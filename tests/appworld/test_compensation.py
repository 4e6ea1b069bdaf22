"""Plans that undo a drift's writes: which calls, in which order, and which writes are left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdcourse.appworld.compensation import PlannedCall, Seen, Written, plan_compensation, preimage_calls
from holdcourse.appworld.inverses import inverses
from holdcourse.drift.records import Call
from tests.appworld.made_docs import DOCS

PLANT = {
    "plant_id": 7,
    "name": "fern",
    "height": 2.5,
    "keeper": {"name": "Ada", "email": "ada@x"},
    "tags": ["low"],
}


def call(api: str, **arguments: object) -> Call:
    return Call("garden", api, arguments, "write", True)


def written(api: str, response: object = None, *seen: Seen, **arguments: object) -> Written:
    return Written(call(api, **arguments), response, seen)


def plan(*writes: Written) -> tuple[list[tuple[str, dict[str, object]]], list[str]]:
    found = plan_compensation(writes, DOCS)
    return [(one.api, dict(one.arguments)) for one in found.calls], [left.why for left in found.left]


def test_a_toggle_is_undone_with_its_arguments() -> None:
    assert plan(written("like_plant", plant_id=7)) == ([("unlike_plant", {"plant_id": 7})], [])


def test_what_was_made_is_deleted_under_the_returned_identity() -> None:
    made = written("review_plant", {"plant_review_id": 31}, plant_id=7, stars=5)
    assert plan(made) == ([("delete_plant_review", {"review_id": 31})], [])
    assert plan(written("review_plant", {}, plant_id=7, stars=5)) == (
        [],
        ["the response does not give plant_review_id"],
    )


def test_several_returned_identities_are_deleted_last_first() -> None:
    made = written("attach_photos_to_plant", {"photo_ids": [4, 5]}, plant_id=7, photo_paths=["a", "b"])
    assert plan(made) == (
        [
            ("remove_photo_from_plant", {"plant_id": 7, "photo_id": 5}),
            ("remove_photo_from_plant", {"plant_id": 7, "photo_id": 4}),
        ],
        [],
    )


def test_a_move_goes_back_unless_it_overwrote() -> None:
    moved = {"source_place": "sill", "destination_place": "yard"}
    assert plan(written("move_pot", None, **moved)) == (
        [("move_pot", {"source_place": "yard", "destination_place": "sill"})],
        [],
    )
    assert plan(written("move_pot", None, overwrite=True, **moved)) == (
        [],
        ["overwrite destroyed what stood there before"],
    )


def test_what_was_deleted_is_made_anew_from_its_old_values() -> None:
    deleted = written("delete_plant", None, Seen("garden.show_plant", PLANT, {"plant_id": 7}), plant_id=7)
    assert plan(deleted) == (
        [("create_plant", {"height": 2.5, "keeper_email": "ada@x", "name": "fern", "tags": ["low"]})],
        [],
    )


def test_an_update_puts_back_what_it_changed_and_nothing_else() -> None:
    seen = Seen("garden.show_plant", PLANT, {"plant_id": 7})
    assert plan(written("update_plant", None, seen, plant_id=7, name="moss")) == (
        [("update_plant", {"plant_id": 7, "name": "fern"})],
        [],
    )


def test_an_empty_old_value_cannot_be_put_back() -> None:
    seen = Seen("garden.show_plant", {**PLANT, "height": None}, {"plant_id": 7})
    assert plan(written("update_plant", None, seen, plant_id=7, height=3.0)) == (
        [],
        ["height was empty before, and no call empties it"],
    )


def test_what_only_adds_is_undone_by_the_update_of_the_record() -> None:
    seen = Seen("garden.show_diary", {"page_id": 2, "content": "rain"}, {"page_id": 2})
    added = written("add_content_to_diary", None, seen, page_id=2, where="end", added_content="sun")
    assert plan(added) == ([("update_diary", {"page_id": 2, "content": "rain"})], [])


def test_without_the_old_value_nothing_is_planned() -> None:
    assert plan(written("delete_plant", None, plant_id=7)) == (
        [],
        ["garden.show_plant was not read before the call"],
    )


def test_a_read_of_another_record_gives_no_old_value() -> None:
    other = Seen("garden.show_plant", {**PLANT, "plant_id": 8}, {"plant_id": 8})
    unnamed = Seen("garden.show_plant", {**PLANT, "plant_id": 8})
    for seen in (other, unnamed):
        assert plan(written("delete_plant", None, seen, plant_id=7))[0] == []
    # Without its arguments, a read counts where the response itself says which record it shows.
    assert len(plan(written("delete_plant", None, Seen("garden.show_plant", PLANT), plant_id=7))[0]) == 1


def test_a_list_that_happened_to_be_read_gives_the_old_value() -> None:
    rows = [
        {"plant_review_id": 30, "plant_id": 6, "stars": 1},
        {"plant_review_id": 31, "plant_id": 7, "stars": 4},
    ]
    seen = Seen("garden.show_plant_reviews", rows)
    assert plan(written("delete_plant_review", None, seen, review_id=31)) == (
        [("review_plant", {"plant_id": 7, "stars": 4})],
        [],
    )


def test_an_addition_to_what_was_there_is_amended_and_a_new_one_taken_out() -> None:
    basket = Seen("garden.show_basket", {"items": [{"seed_id": 3, "quantity": 2}]})
    assert plan(written("add_seed_to_basket", None, basket, seed_id=3, quantity=3)) == (
        [("update_seed_quantity_in_basket", {"seed_id": 3, "quantity": 2})],
        [],
    )
    assert plan(written("add_seed_to_basket", None, basket, seed_id=4)) == (
        [("delete_seed_from_basket", {"seed_id": 4})],
        [],
    )
    # Nobody looked: taking the seeds out might take out more than was added.
    assert plan(written("add_seed_to_basket", None, seed_id=3))[0] == []
    assert plan(written("add_seed_to_basket", None, basket, seed_id=4, clear_first=True))[0] == []


def test_a_change_of_many_records_is_undone_where_it_changed_one() -> None:
    alerts = [{"alert_id": 1, "read": True}, {"alert_id": 2, "read": False}]
    marked = written("mark_alerts", None, Seen("garden.show_alerts", alerts), read=True)
    assert plan(marked) == ([("mark_alert", {"alert_id": 2, "read": False})], [])


def test_the_last_write_is_undone_first_and_the_rest_is_left_with_a_reason() -> None:
    writes = (
        written("like_plant", plant_id=7),
        written("send_postcard", {"postcard_id": 1}, user_email="b@x", text="hi"),
        written("add_to_purse", {"transfer_id": 1}, amount=5),
        written("water_plant", plant_id=7),
        written("add_plant_to_bed", bed_id=1, plant_id=7),
    )
    assert plan(*writes) == (
        [
            ("remove_plant_from_bed", {"bed_id": 1, "plant_id": 7}),
            ("unlike_plant", {"plant_id": 7}),
        ],
        [
            "no documented operation undoes it",
            "it moved an amount, and the opposite transfer leaves a record of both",
            "it reached another party, and nothing documented takes that back",
        ],
    )


def test_calls_that_failed_or_are_no_writes_are_passed_over() -> None:
    failed = Written(Call("garden", "like_plant", {"plant_id": 7}, "write", False), {"message": "no"})
    read = Written(Call("garden", "show_plant", {"plant_id": 7}, "read", True), PLANT)
    assert plan(failed, read) == ([], [])


def test_a_write_on_a_record_that_is_made_anew_is_left() -> None:
    seen = Seen("garden.show_plant", PLANT, {"plant_id": 7})
    calls, left = plan(
        written("update_plant", None, seen, plant_id=7, name="moss"),
        written("delete_plant", None, seen, plant_id=7),
    )
    assert [api for api, _ in calls] == ["create_plant"]
    assert left == ["its record is made anew under another identity"]


def test_what_the_drift_made_and_took_away_needs_nothing() -> None:
    writes = (
        written("create_plant", {"plant_id": 9}, name="rose"),
        written("update_plant", None, plant_id=9, name="briar"),
        written("like_plant", plant_id=7),
        written("delete_plant", None, plant_id=9),
    )
    assert plan(*writes) == ([("unlike_plant", {"plant_id": 7})], [])


def test_an_operation_that_is_not_documented_is_left() -> None:
    assert plan(written("sing_to_plant", plant_id=7)) == ([], ["it is not documented"])


def test_reads_before_a_write() -> None:
    assert preimage_calls(call("delete_plant", plant_id=7), DOCS) == (
        PlannedCall("garden", "show_plant", {"plant_id": 7}),
    )
    assert preimage_calls(call("like_plant", plant_id=7), DOCS) == ()
    assert preimage_calls(call("send_postcard", user_email="b@x", text="hi"), DOCS) == ()
    assert preimage_calls(call("delete_plant_review", review_id=31), DOCS) == ()  # which plant's list?
    assert preimage_calls(call("sing_to_plant"), DOCS) == ()


def test_a_planned_call_as_code_with_the_tokens_of_its_app() -> None:
    planned = PlannedCall("garden", "unlike_plant", {"plant_id": 7})
    assert planned.code(DOCS) == "apis.garden.unlike_plant(plant_id=7, access_token=garden_token)"


ANY_WRITE = st.builds(
    Written,
    st.builds(
        Call,
        st.just("garden"),
        st.sampled_from([operation.api for operation in DOCS.of_app("garden") if operation.kind == "write"]),
        st.dictionaries(
            st.sampled_from(["plant_id", "bed_id", "seed_id", "read", "amount"]), st.integers(0, 3)
        ),
        st.just("write"),
        st.booleans(),
    ),
    st.one_of(
        st.none(),
        st.dictionaries(st.sampled_from(["plant_id", "photo_ids", "postcard_id"]), st.integers(0, 3)),
    ),
)


@given(st.lists(ANY_WRITE, max_size=6))
def test_only_documented_inverses_of_the_writes_are_ever_called(writes: list[Written]) -> None:
    found = plan_compensation(writes, DOCS)
    known = inverses(DOCS)
    made = [known[one.call.operation] for one in writes if one.call.succeeded]
    allowed = {name for one in made for name in (one.inverse, one.amend) if name}
    assert {one.operation for one in found.calls} <= allowed
    undone = sum(one.documented for one in made)
    assert len(found.calls) <= undone
    assert all(set(DOCS[one.operation].required) <= set(one.arguments) for one in found.calls)
