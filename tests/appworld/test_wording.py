"""Verbs, objects and word lists of names."""

import pytest

from holdcourse.appworld.wording import names_same, opposites, same_thing, singular, swapped, thing, words


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("replies", "reply"),
        ("addresses", "address"),
        ("notes", "note"),
        ("status", "status"),
        ("boxes", "box"),
    ],
)
def test_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_an_e_mail_address_is_an_e_mail() -> None:
    assert words("keeper_email_addresses") == ("keeper", "email")
    assert words("home_addresses") == ("home", "address")


def test_what_an_api_acts_on_and_where() -> None:
    assert thing("add_plant_to_bed") == (("plant",), ("bed",))
    assert thing("create_plants") == (("plant",), ())


@pytest.mark.parametrize(
    ("making", "taking", "key", "same"),
    [
        ("create_plant", "delete_plant", "", True),
        ("add_plant_to_bed", "remove_plant_from_bed", "", True),
        ("add_plant_to_bed", "remove_plant_from_shelf", "", False),
        ("review_plant", "delete_plant_review", "", True),
        ("write_note_on_plant", "delete_plant_note", "plant_note_id", True),
        ("create_plant", "delete_plant_review", "", False),
    ],
)
def test_whether_one_api_makes_what_another_takes_away(
    making: str, taking: str, key: str, same: bool
) -> None:
    assert same_thing(making, taking, key) is same


@pytest.mark.parametrize(
    ("api", "opposite"),
    [
        ("mark_bed_dry", "mark_bed_undry"),
        ("mark_bed_undry", "mark_bed_dry"),
        ("mark_mail_spam", "mark_mail_not_spam"),
        ("mark_mail_not_spam", "mark_mail_spam"),
        ("delete_bed", "undelete_bed"),
        ("play_music", "pause_music"),
        ("previous_song", "next_song"),
        ("move_seed_from_bag_to_box", "move_seed_from_box_to_bag"),
    ],
)
def test_opposites_by_wording(api: str, opposite: str) -> None:
    assert opposite in opposites(api)
    assert api not in opposites(api)


def test_names_of_the_same_value() -> None:
    assert names_same("plant_review_id", "review_id")
    assert not names_same("review_id", "plant_review_id")
    assert not names_same("preview_id", "review_id")


def test_places_that_change_when_a_move_is_undone() -> None:
    assert swapped("source_place") == "destination_place"
    assert swapped("new_position") == "current_position"
    assert swapped("source") is None
