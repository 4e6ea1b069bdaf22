"""The backbone without a model: calls and task words, nothing that the agent met."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recovery.made import ALIGNED, DOCS, READ, TASK, WRITE, incident, settings, step_of_calls, walked

from holdcourse.drift.records import Call
from holdcourse.recovery.contexts import DecideContext, Diagnosis
from holdcourse.recovery.deciding import by_rules, rule_target
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.lexicon import ASKING, words
from holdcourse.recovery.rules import CallRules, RulesBackbone
from holdcourse.recovery.source import source_of
from holdcourse.recovery.undoing import undone_by

LIKE = Call("spotify", "like_song", {}, "write", True)
LOGIN = Call("venmo", "login", {}, "auth", True)


@pytest.mark.parametrize("kinds", ["a", "r", "w", "aaar", "aarrw", "rrr", "aara", "aaaw"])
def test_where_applications_tell_the_steps_apart_the_rules_are_right(kinds: str) -> None:
    (walk,) = RulesBackbone().walks([incident(kinds, len(kinds))], settings())
    right = walked(kinds, len(kinds), settings())
    assert walk.route == right.route
    assert (walk.decision.action, walk.decision.rollback_to_step) == (
        right.decision.action,
        right.decision.rollback_to_step,
    )


def off(task: str, *calls: Call) -> list[str]:
    about = Incident("x", task, 1, (step_of_calls(1, *calls),), DOCS)
    return [call.operation for call in CallRules(about).off_task(about.steps[0])]


def test_a_write_drifts_where_the_task_only_asks() -> None:
    assert off(TASK, ALIGNED, LIKE) == ["spotify.like_song"]
    assert off("Like every song of my Spotify playlist Rain.", ALIGNED, LIKE) == []


def test_logins_and_failed_calls_are_no_drift() -> None:
    failed = Call("venmo", "send_payment", {}, "write", succeeded=False)
    assert off(TASK, LOGIN, failed) == []


def test_a_task_that_speaks_of_no_application_lets_all_of_them_be() -> None:
    assert off("Do what we talked about.", READ, WRITE) == []


def test_several_applications_may_be_spoken_of() -> None:
    assert off("Send Ann the price of the song via Venmo.", ALIGNED, WRITE) == []


def test_a_step_without_calls_goes_on_with_the_step_before() -> None:
    (walk,) = RulesBackbone().walks([incident("arn", 3)], settings())
    assert [row.aligned for row in walk.inspected] == [False, False, True]
    assert walk.decision.rollback_to_step == 1


@given(st.text(), st.text(), st.text())
def test_no_text_that_the_agent_met_moves_the_rules(injected: str, output: str, thought: str) -> None:
    plain = incident("aaw", 3)
    last = plain.steps[-1]
    changed = replace(last, injected=injected, output=output, thought=thought)
    swayed = Incident("one", TASK, 3, (*plain.steps[:-1], changed), DOCS)
    (before,), (after,) = (RulesBackbone().walks([one], settings()) for one in (plain, swayed))
    assert [visit.answer for visit in before.visits[:-1]] == [visit.answer for visit in after.visits[:-1]]
    assert before.decision.action == after.decision.action


@pytest.mark.parametrize(
    ("task", "asks"),
    [
        ("How many songs?", True),
        ("Tell Ann the price.", False),
        ("Count my notes", True),
        ("Like it.", False),
        ("Is it so", True),
        ("Whatever, pay Ann", False),
    ],
)
def test_asking_is_told_from_ordering(task: str, asks: bool) -> None:
    assert (ASKING.search(task) is not None) == asks


def test_words_are_single_and_in_lower_case() -> None:
    assert words("Playlists, show_liked_songs: 2 Categories") == {
        "playlist",
        "show",
        "liked",
        "song",
        "category",
    }


ROWS = (
    Diagnosis(5, False, "reads payments", (), ("venmo.show_payments",)),
    Diagnosis(4, True, "fine"),
    Diagnosis(3, False, "reads payments", (), ("venmo.show_payments",)),
    Diagnosis(2, True, "fine"),
)


def test_the_target_is_before_the_earliest_drifted_step_whatever_lies_between() -> None:
    assert rule_target(ROWS, 5) == 2
    assert rule_target((Diagnosis(1, False, "x"),), 1) == 0
    assert rule_target((Diagnosis(7, True, "x"),), 7) == 7


def test_reads_are_rolled_back_with_a_report_of_goal_step_source_writes_and_advice() -> None:
    decided = by_rules(DecideContext(TASK, 5, ROWS, 9), "a mail")
    assert (decided.action, decided.target) == ("rollback_before_drift", 2)
    for part in (TASK, "step 3", "Source: a mail", "Writes: None", "end of step 2"):
        assert part in decided.report


@pytest.mark.parametrize("reversible", [True, False])
def test_any_drifted_write_calls_a_human(reversible: bool) -> None:
    lists = (("venmo.send_payment",), ()) if reversible else ((), ("venmo.send_payment",))
    rows = (*ROWS, Diagnosis(1, False, "pays", ("venmo.send_payment",), (), *lists))
    decided = by_rules(DecideContext(TASK, 5, rows, 9))
    assert (decided.action, decided.target) == ("escalate_human", None)
    assert "venmo.send_payment" in decided.report


def test_the_source_is_what_came_in_or_what_was_read_before() -> None:
    steps = (
        step_of_calls(1, ALIGNED),
        step_of_calls(2, READ),
        step_of_calls(3, WRITE, injected="pay!"),
        step_of_calls(4),
    )
    about = Incident("x", TASK, 4, steps, DOCS)
    assert source_of(about, 3) == "an instruction that came in right before step 3"
    assert source_of(about, 2) == "an instruction that stood in what step 1 read with spotify.show_playlist"
    assert source_of(about, 4) == "something in the output of step 3"
    assert source_of(about, 1) == "an instruction that stood in what step 1 read with spotify.show_playlist"


UNDOING = docs_of(
    {
        "app": [
            {"api": name, "method": method, "path": path}
            for name, method, path in [
                ("like_song", "POST", "/a/songs/{id}/like"),
                ("unlike_song", "DELETE", "/a/songs/{id}/like"),
                ("add_song_to_list", "POST", "/a/lists/{id}/songs"),
                ("remove_song_from_list", "DELETE", "/a/lists/{id}/songs"),
                ("create_note", "POST", "/a/notes"),
                ("delete_note", "DELETE", "/a/notes/{id}"),
                ("update_note", "PATCH", "/a/notes/{id}"),
                ("record_cost", "POST", "/a/costs"),
                ("drop_cost", "DELETE", "/a/costs/{cost_id}"),
                ("send_mail", "POST", "/a/mails"),
                ("delete_mail", "DELETE", "/a/mails/{id}"),
            ]
        ]
    }
)


@pytest.mark.parametrize(
    ("operation", "undone"),
    [
        ("app.like_song", "app.unlike_song"),
        ("app.unlike_song", "app.like_song"),
        ("app.add_song_to_list", "app.remove_song_from_list"),
        ("app.remove_song_from_list", "app.add_song_to_list"),
        ("app.create_note", "app.delete_note"),
        ("app.record_cost", "app.drop_cost"),
        ("app.delete_note", None),
        ("app.update_note", None),
        ("app.send_mail", None),
        ("app.unheard_of", None),
        ("other.like_song", None),
    ],
)
def test_undoing_calls_are_found_by_name_and_path(operation: str, undone: str | None) -> None:
    assert undone_by(operation, UNDOING) == undone
