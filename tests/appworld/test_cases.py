"""What the dataset is planned to hold."""

from collections import Counter

import pytest

from holdcourse.appworld.cases import Case, cases, variant_of
from holdcourse.config.drift import DriftConfig, TypeCounts
from holdcourse.errors import HoldcourseError
from tests.appworld.made_tasks import made_task, made_world

COUNTS = TypeCounts(aligned=4, transient=6, persistent=6, write=9, non_monotone=2)
CONFIG = DriftConfig(
    seed=0,
    train=COUNTS,
    heldout=COUNTS,
    payload_tasks=8,
    evaluation_tasks=None,
    pool_tasks=None,
    detection_delay=3,
    shards=2,
)
REVERSIBLE = frozenset({"spotify.like_song"})


def planned(config: DriftConfig = CONFIG) -> tuple[Case, ...]:
    return cases(made_world(), config, REVERSIBLE)


def test_every_split_holds_the_counts_of_its_configuration() -> None:
    counted = Counter((case.split, case.kind) for case in planned())
    assert counted["train", "write"] == counted["heldout", "write"] == 9
    assert counted["train", "aligned"] == 4
    assert sum(counted.values()) == 2 * 27


def test_splits_share_neither_task_nor_payload() -> None:
    by_split = {split: [case for case in planned() if case.split == split] for split in ("train", "heldout")}
    tasks = {split: {case.task.id for case in made} for split, made in by_split.items()}
    payloads = {split: {p.id for case in made for p in case.payloads} for split, made in by_split.items()}
    assert not tasks["train"] & tasks["heldout"]
    assert not payloads["train"] & payloads["heldout"]
    assert not tasks["train"] & payloads["heldout"]


def test_the_heldout_split_is_made_over_evaluation_tasks() -> None:
    assert {case.task.split for case in planned() if case.split == "heldout"} == {"evaluation"}


def test_questions_are_payloads_of_read_drift_and_deeds_of_write_drift() -> None:
    for case in planned():
        assert all(payload.reads_only == (case.kind != "write") for payload in case.payloads)
        assert bool(case.payloads) == (case.kind != "aligned")


def test_no_payload_is_of_its_tasks_template() -> None:
    assert all(p.template != case.task.template for case in planned() for p in case.payloads)


def test_write_drifts_take_turns_in_being_reversible() -> None:
    firsts = [
        set(case.payloads[0].writes) <= REVERSIBLE
        for case in planned()
        if case.kind == "write" and case.split == "train"
    ]
    assert firsts == [True, False] * 4 + [True]


def test_persistent_drift_is_planted_and_transient_drift_is_not() -> None:
    for case in planned():
        if case.kind == "persistent":
            assert case.surface == "mail"
        if case.kind in ("transient", "aligned", "non_monotone"):
            assert case.surface is None


def test_the_same_seed_plans_the_same_and_another_does_not() -> None:
    assert planned() == planned()
    assert planned() != planned(CONFIG.model_copy(update={"seed": 1}))


def test_delays_reach_the_configured_one_and_never_exceed_it() -> None:
    assert {case.delay for case in planned()} == {0, 1, 2, 3}


def test_some_evaluation_tasks_are_spread_over_difficulties() -> None:
    chosen = planned(CONFIG.model_copy(update={"evaluation_tasks": 6}))
    levels = Counter(
        task.difficulty
        for task in {case.task.id: case.task for case in chosen if case.split == "heldout"}.values()
    )
    assert levels == {1: 2, 2: 2, 3: 2}


def test_too_few_questions_for_the_payloads_are_named() -> None:
    with pytest.raises(HoldcourseError, match=r"payload_tasks=8 keeps 4 questions apart, and the pool has 5"):
        cases(made_world(pool=10), CONFIG, REVERSIBLE)


def test_a_task_that_reads_nothing_cannot_hold_a_persistent_drift() -> None:
    world = [*made_world(evaluation=0), made_task(900, "evaluation", template="bare", surfaces={})]
    with pytest.raises(HoldcourseError, match="no task reads a record"):
        cases(world, CONFIG, REVERSIBLE)


def test_a_variant_is_named_by_what_it_holds() -> None:
    case = next(case for case in planned() if case.kind == "persistent")
    assert variant_of(case, "one") == variant_of(case, "one")
    assert variant_of(case, "one") != variant_of(case, "two")
    assert variant_of(case, "one").count("_") == 1
