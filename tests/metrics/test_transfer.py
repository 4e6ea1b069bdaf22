"""Backward transfer on matrices worked out by hand: which checkpoints, which intents, which tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isnan

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.made_records import make_records

from holdcourse.config.schema import ProtocolConfig
from holdcourse.metrics.frames import EvaluatedRun, task_scores_frame
from holdcourse.metrics.transfer import (
    DELTA_COLUMNS,
    Cycle,
    PhaseSpan,
    phase_cycles,
    phase_intents,
    phase_spans,
    shared_intents,
    transfer_deltas,
)

MIXTURE = {
    "A": {"service_issue": 0.15, "mobile_data_issue": 0.70, "mms_issue": 0.15},
    "B": {"service_issue": 0.15, "mobile_data_issue": 0.15, "mms_issue": 0.70},
}


def protocol(
    batches: int = 10,
    batches_per_phase: int = 2,
    phases: tuple[str, str] = ("A", "B"),
    mixture: dict[str, dict[str, float]] = MIXTURE,
) -> ProtocolConfig:
    return ProtocolConfig.model_validate(
        {
            "heldout_size": 3,
            "heldout_intents": {"service_issue": 0.2, "mobile_data_issue": 0.4, "mms_issue": 0.4},
            "max_transfer_expected": 1,
            "batches": batches,
            "batch_size": 5,
            "batches_per_phase": batches_per_phase,
            "phases": phases,
            "mixture": mixture,
            "initial_instruction": "main_policy",
        }
    )


# Phases and cycles


def test_ten_batches_in_phases_of_two() -> None:
    assert phase_spans(10, 2, ("A", "B")) == (
        PhaseSpan("A", 1, 2, True),
        PhaseSpan("B", 3, 4, True),
        PhaseSpan("A", 5, 6, True),
        PhaseSpan("B", 7, 8, True),
        PhaseSpan("A", 9, 10, True),
    )


def test_a_last_phase_cut_short_is_incomplete() -> None:
    assert phase_spans(5, 3, ("B", "A")) == (PhaseSpan("B", 1, 3, True), PhaseSpan("A", 4, 5, False))


@given(st.integers(1, 30), st.integers(1, 10))
def test_phases_cover_each_batch_once_and_alternate(batches: int, per_phase: int) -> None:
    spans = phase_spans(batches, per_phase, ("A", "B"))
    covered = [batch for span in spans for batch in range(span.first_batch, span.last_batch + 1)]
    assert covered == list(range(1, batches + 1))
    assert all(first.phase != second.phase for first, second in pairwise(spans))
    assert all(span.complete for span in spans[:-1])


def test_cycles_go_from_the_end_of_a_phase_to_the_end_of_the_next_opposite_one() -> None:
    cycles = phase_cycles(protocol())
    assert [(c.number, c.phase, c.before, c.after) for c in cycles] == [
        (1, "A", 2, 4),
        (2, "B", 4, 6),
        (3, "A", 6, 8),
        (4, "B", 8, 10),
    ]


def test_a_cycle_is_about_the_intents_of_its_phase() -> None:
    first, second = phase_cycles(protocol(batches=6))
    assert (first.intents, first.shared) == (("mobile_data_issue",), ("service_issue",))
    assert (second.intents, second.shared) == (("mms_issue",), ("service_issue",))


def test_an_incomplete_last_phase_gives_no_cycle() -> None:
    assert [(c.before, c.after) for c in phase_cycles(protocol(batches=5))] == [(2, 4)]
    assert phase_cycles(protocol(batches=3)) == ()
    assert phase_cycles(protocol(batches=2)) == ()


def test_phases_of_one_batch() -> None:
    cycles = phase_cycles(protocol(batches=3, batches_per_phase=1))
    assert [(c.phase, c.before, c.after) for c in cycles] == [("A", 1, 2), ("B", 2, 3)]


def test_a_study_that_starts_with_phase_b() -> None:
    cycles = phase_cycles(protocol(batches=4, phases=("B", "A")))
    assert [(c.phase, c.intents, c.before, c.after) for c in cycles] == [("B", ("mms_issue",), 2, 4)]


def test_two_phases_of_one_kind_are_no_cycle() -> None:
    assert phase_cycles(protocol(batches=4, phases=("A", "A"))) == ()


def test_intents_missing_from_the_other_mixture_belong_to_the_phase() -> None:
    mixture = {"A": {"mms_issue": 1.0}, "B": {"service_issue": 0.5, "mobile_data_issue": 0.5}}
    assert phase_intents(mixture, "A") == ("mms_issue",)
    assert phase_intents(mixture, "B") == ("mobile_data_issue", "service_issue")
    assert shared_intents(mixture) == ()


def test_shares_equal_but_for_rounding_are_shared() -> None:
    mixture = {
        "A": {"service_issue": 0.1 + 0.2, "mms_issue": 0.7},
        "B": {"service_issue": 0.3, "mms_issue": 0.7},
    }
    assert shared_intents(mixture) == ("mms_issue", "service_issue")
    assert phase_intents(mixture, "A") == ()


# Scores

TASKS = {"d1": "mobile_data_issue", "d2": "mobile_data_issue", "m1": "mms_issue", "s1": "service_issue"}
# Each checkpoint has scores of its own, so that an off-by-one anywhere shows.
BY_CHECKPOINT = {
    0: {"d1": "00", "d2": "00", "m1": "00", "s1": "00"},
    1: {"d1": "00", "d2": "11", "m1": "11", "s1": "11"},
    2: {"d1": "11", "d2": "11", "m1": "00", "s1": "11"},
    3: {"d1": "00", "d2": "00", "m1": "00", "s1": "00"},
    4: {"d1": "11", "d2": "00", "m1": "11", "s1": "10"},
    5: {"d1": "11", "d2": "11", "m1": "11", "s1": "11"},
    6: {"d1": "00", "d2": "00", "m1": "10", "s1": "11"},
}


def scores_of(by_checkpoint: dict[int, dict[str, str]], arm: str = "grace", seed: int = 0) -> pd.DataFrame:
    return task_scores_frame(
        [
            EvaluatedRun(arm, seed, checkpoint, make_records(outcomes, TASKS))
            for checkpoint, outcomes in by_checkpoint.items()
        ],
        [1, 2],
    )


def transfer_frame(scores: pd.DataFrame, cycles: Sequence[Cycle], k: int) -> pd.DataFrame:
    """Means over the tasks with a difference, by arm, seed, cycle and intent."""
    deltas = transfer_deltas(scores, cycles, k)
    means = deltas.dropna(subset=["delta"]).groupby(["arm", "seed", "cycle", "intent"], sort=False)
    return means.agg(before=("before", "mean"), after=("after", "mean"), bwt=("delta", "mean")).reset_index()


def by_hand(frame: pd.DataFrame) -> dict[tuple[int, str], tuple[float, float, float]]:
    return {
        (row.cycle, row.intent): (row.before, row.after, row.bwt) for row in frame.itertuples(index=False)
    }


def test_transfer_worked_out_by_hand() -> None:
    transfer = transfer_frame(scores_of(BY_CHECKPOINT), phase_cycles(protocol(batches=6)), 2)
    assert by_hand(transfer) == {
        (1, "mobile_data_issue"): (1.0, 0.5, -0.5),  # ℓ_2 → ℓ_4
        (1, "service_issue"): (1.0, 0.0, -1.0),
        (2, "mms_issue"): (1.0, 0.0, -1.0),  # ℓ_4 → ℓ_6
        (2, "service_issue"): (0.0, 1.0, 1.0),
    }


def test_a_row_is_a_task_of_an_intent_of_a_cycle() -> None:
    deltas = transfer_deltas(scores_of(BY_CHECKPOINT), phase_cycles(protocol(batches=6)), 2)
    assert tuple(deltas.columns) == DELTA_COLUMNS
    rows = deltas[["cycle", "role", "task", "before", "after", "delta"]].to_numpy().tolist()
    assert rows == [
        [1, "phase", "d1", 1.0, 1.0, 0.0],
        [1, "phase", "d2", 1.0, 0.0, -1.0],
        [1, "shared", "s1", 1.0, 0.0, -1.0],
        [2, "phase", "m1", 1.0, 0.0, -1.0],
        [2, "shared", "s1", 0.0, 1.0, 1.0],
    ]


def test_the_k_asked_for_is_used() -> None:
    transfer = transfer_frame(scores_of(BY_CHECKPOINT), phase_cycles(protocol(batches=6)), 1)
    assert by_hand(transfer)[2, "mms_issue"] == (1.0, 0.5, -0.5)


def test_a_task_undefined_at_either_checkpoint_has_no_difference() -> None:
    broken = BY_CHECKPOINT | {4: {"d1": "11", "d2": "0-", "m1": "11", "s1": "--"}}
    deltas = transfer_deltas(scores_of(broken), phase_cycles(protocol(batches=4)), 2).set_index("task")
    assert deltas.loc["d1", "delta"] == 0.0
    assert isnan(deltas.loc["d2", "delta"])
    assert isnan(deltas.loc["s1", "delta"])


def test_a_checkpoint_that_was_not_evaluated_leaves_the_cycle_undefined() -> None:
    scores = scores_of({t: outcomes for t, outcomes in BY_CHECKPOINT.items() if t != 6})
    deltas = transfer_deltas(scores, phase_cycles(protocol(batches=6)), 2)
    assert deltas.loc[deltas["cycle"] == 2, "delta"].isna().tolist() == [True, True]
    assert deltas.loc[deltas["cycle"] == 1, "delta"].notna().all()


def test_a_phase_with_several_intents_is_scored_by_each_and_by_all() -> None:
    cycle = Cycle(1, "A", ("mms_issue", "mobile_data_issue"), (), 2, 4)
    transfer = by_hand(transfer_frame(scores_of(BY_CHECKPOINT), [cycle], 2))
    assert transfer[1, "mms_issue"][2] == 1.0
    assert transfer[1, "mobile_data_issue"][2] == -0.5
    assert transfer[1, "mms_issue+mobile_data_issue"][2] == pytest.approx((1 + 0 - 1) / 3)


def test_arms_and_seeds_are_kept_apart() -> None:
    steady = dict.fromkeys(range(7), BY_CHECKPOINT[5])
    scores = pd.concat(
        [scores_of(BY_CHECKPOINT, "hce", 1), scores_of(steady, "grace", 1), scores_of(steady, "hce")]
    )
    transfer = transfer_frame(scores, phase_cycles(protocol(batches=6)), 2)
    zero = transfer.groupby(["arm", "seed"])["bwt"].apply(lambda column: (column == 0).all())
    assert zero.to_dict() == {("grace", 1): True, ("hce", 0): True, ("hce", 1): False}


def test_an_unchanged_instruction_transfers_zero() -> None:
    steady = dict.fromkeys(range(11), BY_CHECKPOINT[4])
    assert (transfer_frame(scores_of(steady), phase_cycles(protocol()), 2)["bwt"] == 0).all()


def test_no_scores_or_no_cycles_give_an_empty_table() -> None:
    scores = scores_of(BY_CHECKPOINT)
    assert tuple(transfer_deltas(scores, (), 2).columns) == DELTA_COLUMNS
    assert transfer_deltas(scores, (), 2).empty
    assert transfer_deltas(scores[:0], phase_cycles(protocol()), 2).empty
