"""What holds of the dataset, and what is said when it does not."""

import pytest

from holdcourse.appworld.dataset import DatasetError, card, check, checksum, overlaps, relabel, summary, unfit
from tests.appworld.made_rows import LIKE, NOTES, PAY, REVERSIBLE, SONGS, made_row

WRITTEN = {
    "name": "train-write-000",
    "kind": "write",
    "drift_type": "III",
    "payload": (SONGS, PAY),
    "steps": ((NOTES,), (SONGS,), (PAY,), ()),
    "changes": ("venmo.Transaction:+1/~0/-0",),
}


def test_labels_of_a_read_drift() -> None:
    row = made_row()
    assert (row["onset"], row["right_action"], row["right_target"]) == (2, "rollback_before_drift", 1)
    assert row["suspected_onset"] == 3
    assert row["writes"] == []


def test_labels_of_a_write_drift() -> None:
    row = made_row(**WRITTEN)
    assert (row["onset"], row["right_action"], row["right_target"]) == (2, "escalate_human", None)
    assert row["writes"] == ["venmo.create_transaction"]
    assert row["reversible"] is False


def test_a_write_with_a_documented_inverse_is_reversible() -> None:
    row = made_row(
        kind="write",
        drift_type="III",
        payload=(LIKE,),
        steps=((NOTES,), (LIKE,)),
        changes=("spotify.SongLike:+1/~0/-0",),
    )
    assert row["reversible"] is True


def test_the_suspicion_never_comes_before_the_last_drifted_write() -> None:
    row = made_row(**{**WRITTEN, "delay": 0})
    assert row["suspected_onset"] == 3


def test_the_suspicion_in_an_aligned_run_lies_in_the_run() -> None:
    row = made_row(
        kind="aligned", drift_type="aligned", payload=(), payload_task=None, steps=((NOTES,),), delay=3
    )
    assert (row["onset"], row["suspected_onset"], row["right_target"]) == (None, 1, 1)


def test_rows_that_are_what_they_are_called_are_fit() -> None:
    assert unfit(made_row()) is None
    assert unfit(made_row(**WRITTEN)) is None


def test_a_read_drift_that_changed_the_world_is_unfit() -> None:
    assert unfit(made_row(changes=("gmail.Email:+1/~0/-0",))) == "is of type I and yet changed the world"


def test_a_read_drift_may_follow_writes_of_the_task_itself() -> None:
    before = ("gmail.Email:+1/~0/-0",)
    assert unfit(made_row(changes=before, changes_before=before)) is None


def test_an_agent_that_comes_back_to_its_task_may_write_for_it() -> None:
    assert unfit(made_row(kind="non_monotone", changes=("gmail.Email:+1/~0/-0",))) is None


def test_a_write_drift_that_changed_nothing_is_unfit() -> None:
    assert unfit(made_row(**{**WRITTEN, "changes": ()})) == "is of type III and yet changed nothing"


def test_an_agent_that_resisted_is_fit_and_counted() -> None:
    resisted = made_row(steps=((NOTES,), ()))
    assert unfit(resisted) is None
    assert summary([resisted])["resisted"] == 1


def test_a_row_that_stands_twice_is_refused() -> None:
    with pytest.raises(DatasetError, match="train-transient-000 stands 2 times"):
        check([made_row(), made_row()])


def test_labels_can_be_worked_out_again() -> None:
    rows = [made_row(), made_row(**WRITTEN)]
    assert relabel(rows, REVERSIBLE).agreed == 2


@pytest.mark.parametrize("key", ["onset", "labels", "right_target", "suspected_onset", "writes"])
def test_a_label_that_was_changed_is_found(key: str) -> None:
    wrong = {**made_row(), key: 99}
    assert relabel([wrong], REVERSIBLE).differing == (f"train-transient-000: {key}",)


def test_overlap_of_splits_is_named() -> None:
    train = [made_row(task="hc00001_1", payload_task="hc00002_1")]
    heldout = [made_row("heldout-transient-000", split="heldout", task="hc00009_1", payload_task="hc00001_1")]
    assert overlaps(train, heldout) == ["held-out payload hc00001_1 is a training task"]
    assert "task hc00001_1" in overlaps(train, [made_row("h", split="heldout", task="hc00001_1")])
    apart = [made_row("h", split="heldout", task="hc00009_1", payload_task="hc00008_1")]
    assert overlaps(train, apart) == []


def test_the_checksum_sees_every_value_and_the_order() -> None:
    one, two = made_row(), made_row(**WRITTEN)
    assert checksum([one, two]) != checksum([two, one])
    assert checksum([one]) != checksum([{**one, "delay": 2}])
    assert checksum([one, two]) == checksum([dict(reversed(one.items())), two])


def test_the_summary_counts_types_and_reversibility() -> None:
    counted = summary([made_row(), made_row(**WRITTEN)])
    assert counted["type"] == {"I": 1, "III": 1}
    assert (counted["irreversible"], counted["reversible"], counted["drifted"]) == (1, 0, 2)
    assert counted["longest"] == 4


def test_the_card_is_labelled_where_the_agent_is_simulated() -> None:
    splits = {"train": [made_row()], "heldout": [made_row("h", split="heldout")]}
    assert "is no evidence about the method" in card(splits, "simulated/appworld_agent", simulated=True)
    plain = card(splits, "openai/gpt-4o", simulated=False)
    assert "is no evidence" not in plain
    assert plain.startswith("---\nconfigs:")
    assert checksum(splits["train"]) in plain
