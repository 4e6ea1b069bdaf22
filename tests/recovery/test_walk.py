"""Algorithm 1: routes against a table written by hand and against a transcription of the algorithm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recovery.made import DOCS, TASK, incident, settings, step_of_calls, truth_of, walked

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.answers import (
    ClassifyAnswer,
    DecideAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
)
from holdcourse.recovery.contexts import Context
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.record import walk_of, walk_record
from holdcourse.recovery.walk import Given, answered, walk

# Letters of the steps: a aligned; drifted: r with reads, w with a write, n without an operation.
TABLE = [
    # steps, k_0, K, route, decision
    ("a", 1, 2, "n1@1 n5", "rollback_before_drift 1"),
    ("r", 1, 2, "n1@1 n2@1 n5", "rollback_before_drift 0"),
    ("w", 1, 2, "n1@1 n2@1 n3@1 n4@1 n5", "escalate_human"),
    ("aar", 1, 2, "n1@1 n5", "rollback_before_drift 1"),
    ("aaar", 4, 2, "n1@4 n2@4 n1@3 n1@2 n5", "rollback_before_drift 3"),
    ("aaarr", 5, 2, "n1@5 n2@5 n1@4 n2@4 n1@3 n1@2 n5", "rollback_before_drift 3"),
    ("aaaaaw", 6, 2, "n1@6 n2@6 n3@6 n4@6 n1@5 n1@4 n5", "escalate_human"),
    ("aaaw", 4, 1, "n1@4 n2@4 n3@4 n4@4 n1@3 n5", "escalate_human"),
    # all drifted
    ("rrrr", 4, 2, "n1@4 n2@4 n1@3 n2@3 n1@2 n2@2 n1@1 n2@1 n5", "rollback_before_drift 0"),
    ("rrr", 2, 2, "n1@2 n2@2 n1@1 n2@1 n5", "rollback_before_drift 0"),
    # none drifted
    ("aaaa", 4, 2, "n1@4 n1@3 n5", "rollback_before_drift 4"),
    ("aaaa", 4, 1, "n1@4 n5", "rollback_before_drift 4"),
    # fewer steps than K
    ("aa", 2, 5, "n1@2 n1@1 n5", "rollback_before_drift 2"),
    ("ar", 2, 5, "n1@2 n2@2 n1@1 n5", "rollback_before_drift 1"),
    # interleaved: a single aligned step does not end the walk, K of them do
    ("aarar", 5, 2, "n1@5 n2@5 n1@4 n1@3 n2@3 n1@2 n1@1 n5", "rollback_before_drift 2"),
    ("raraar", 6, 2, "n1@6 n2@6 n1@5 n1@4 n5", "rollback_before_drift 5"),
    ("raraar", 6, 3, "n1@6 n2@6 n1@5 n1@4 n1@3 n2@3 n1@2 n1@1 n2@1 n5", "rollback_before_drift 0"),
    ("awara", 5, 2, "n1@5 n1@4 n2@4 n1@3 n1@2 n2@2 n3@2 n4@2 n1@1 n5", "escalate_human"),
    # onset suspected too early: what drifted after it is never seen
    ("aaarr", 3, 2, "n1@3 n1@2 n5", "rollback_before_drift 3"),
    # a drifted step without any operation goes the way of reads
    ("aaan", 4, 2, "n1@4 n2@4 n1@3 n1@2 n5", "rollback_before_drift 3"),
]


@pytest.mark.parametrize(("kinds", "onset", "streak", "route", "decision"), TABLE)
def test_the_route_is_the_one_of_the_table(
    kinds: str, onset: int, streak: int, route: str, decision: str
) -> None:
    walk = walked(kinds, onset, settings(streak=streak))
    assert walk.route == route
    assert walk.visits[-1].verdict == decision


def printed_algorithm(kinds: str, onset: int, streak: int) -> list[str]:
    """Algorithm 1 of the paper, line by line, writing down whom it asks."""
    asked: list[str] = []
    k, verdicts = onset, []
    while k >= 1:
        asked.append(f"n1@{k}")
        aligned = kinds[k - 1] == "a"
        verdicts.append("Y" if aligned else "N")
        if not aligned:
            asked.append(f"n2@{k}")
            if kinds[k - 1] == "w":
                asked += [f"n3@{k}", f"n4@{k}"]
        elif len(verdicts) >= streak and all(verdict == "Y" for verdict in verdicts[-streak:]):
            break
        k -= 1
    return [*asked, "n5"]


@given(st.text("arwn", min_size=1, max_size=12), st.integers(1, 12), st.integers(1, 5))
def test_every_walk_is_that_of_the_printed_algorithm(kinds: str, onset: int, streak: int) -> None:
    onset = min(onset, len(kinds))
    assert walked(kinds, onset, settings(streak=streak)).route.split() == printed_algorithm(
        kinds, onset, streak
    )


@given(st.text("arw", min_size=1, max_size=8), st.integers(1, 8))
def test_a_record_of_a_walk_reads_back_as_it_was(kinds: str, onset: int) -> None:
    walk = walked(kinds, min(onset, len(kinds)), settings())
    assert walk_of(walk_record(walk)) == walk


def test_a_node_is_told_what_the_nodes_before_it_found() -> None:
    seen: list[Context] = []
    answers = {
        "n1": lambda: ClassifyAnswer(1, False, "pays"),
        "n2": lambda: DetectAnswer(("venmo.send_payment", "spotify.like_song"), ()),
        "n3": lambda: SearchAnswer(("spotify", "unknown_app")),
        "n4": lambda: RiskAnswer(("spotify.like_song",), ()),
        "n5": lambda: DecideAnswer("escalate_human", None, "look"),
    }

    def answer(context: Context) -> Given:
        seen.append(context)
        return Given(answers[context.node]())

    done = answered(walk(incident("w", 1), settings(), "script"), answer)
    classify, detect, search, risk, decide = seen
    assert (classify.onset, classify.cause, classify.step.number) == (1, "unknown", 1)  # type: ignore[union-attr]
    assert (detect.aligned, detect.why) == (False, "pays")  # type: ignore[union-attr]
    assert search.writes == ("venmo.send_payment", "spotify.like_song")  # type: ignore[union-attr]
    assert list(risk.docs) == ["spotify"]  # type: ignore[union-attr]
    # Of a write that n4 says nothing of, nobody knows how to undo it.
    (row,) = decide.inspected  # type: ignore[union-attr]
    assert (row.reversible, row.irreversible) == (("spotify.like_song",), ("venmo.send_payment",))
    assert done.decision.report == "look"


def test_n4_cannot_bring_in_writes_that_n2_did_not_find() -> None:
    about, truth = incident("w", 1), truth_of("w")

    def answer(context: Context) -> Given:
        if context.node == "n4":
            return Given(RiskAnswer(("spotify.like_song", "venmo.send_payment"), ("gmail.send_email",)))
        from holdcourse.recovery.oracle import true_answer

        return Given(true_answer(context, about, truth))

    (row,) = answered(walk(about, settings(), "script"), answer).inspected
    assert (row.reversible, row.irreversible) == (("venmo.send_payment",), ())


@pytest.mark.parametrize("failing", ["n1", "n2", "n3", "n4", "n5"])
def test_a_node_without_a_usable_answer_calls_a_human_and_is_named(failing: str) -> None:
    from holdcourse.recovery.oracle import true_answer

    about, truth = incident("aw", 2), truth_of("aw")

    def answer(context: Context) -> Given:
        if context.node == failing:
            return Given(None, attempts=3, refused=("one", "two", "no JSON object"))
        return Given(true_answer(context, about, truth))

    done = answered(walk(about, settings(), "script"), answer)
    decision = done.decision
    assert (decision.action, decision.rollback_to_step, decision.by) == ("escalate_human", None, "fail_safe")
    assert decision.failed_node == failing
    assert done.visits[-1].node == failing
    assert done.visits[-1].route == "escalate"
    assert "no JSON object" in decision.report


def test_a_walk_over_ten_thousand_drifted_steps_ends_with_a_human() -> None:
    done = walked("r" * 10_000, 10_000, settings(max_steps=25))
    assert len(done.inspected) == 25
    assert (done.decision.action, done.decision.by, done.decision.failed_node) == (
        "escalate_human",
        "fail_safe",
        None,
    )
    assert "25 steps were inspected" in done.decision.report


def test_ten_thousand_aligned_steps_take_three_visits() -> None:
    assert walked("a" * 10_000, 10_000, settings(max_steps=25)).route == "n1@10000 n1@9999 n5"


def test_the_longest_walk_still_decides_when_it_just_reaches_the_start() -> None:
    assert walked("rrr", 3, settings(max_steps=3)).decision.by == "n5"
    assert walked("rrr", 3, settings(max_steps=2)).decision.by == "fail_safe"


@pytest.mark.parametrize(
    ("enforced", "action", "by"),
    [(True, "escalate_human", "write_rule"), (False, "rollback_before_drift", "n5")],
)
def test_a_rollback_in_spite_of_writes(enforced: bool, action: str, by: str) -> None:
    from holdcourse.recovery.oracle import true_answer

    about, truth = incident("aw", 2), truth_of("aw")

    def answer(context: Context) -> Given:
        if context.node == "n5":
            return Given(DecideAnswer("rollback_before_drift", 1, "all fine"))
        return Given(true_answer(context, about, truth))

    decision = answered(walk(about, settings(enforce_write_rule=enforced), "script"), answer).decision
    assert (decision.action, decision.by) == (action, by)
    assert decision.rollback_to_step == (None if enforced else 1)


def test_an_answer_of_another_node_is_a_mistake_of_the_driver() -> None:
    walking = walk(incident("r", 1), settings(), "script")
    next(walking)
    with pytest.raises(ValueError, match="an answer of n3 was given where n1 was asked"):
        walking.send(Given(SearchAnswer(("venmo",))))


@pytest.mark.parametrize("onset", [0, -1, 3])
def test_an_onset_outside_the_trajectory_is_refused(onset: int) -> None:
    with pytest.raises(HoldcourseError, match=rf"suspected onset {onset} is none of its steps 1 to 2"):
        incident("ar", onset)


def test_a_trajectory_without_steps_is_refused() -> None:
    with pytest.raises(HoldcourseError, match="has no steps"):
        Incident("empty", TASK, 1, (), DOCS)


def test_steps_are_numbered_from_one_without_gaps() -> None:
    with pytest.raises(HoldcourseError, match="step 2 is numbered 3"):
        Incident("gap", TASK, 1, (step_of_calls(1), step_of_calls(3)), DOCS)
