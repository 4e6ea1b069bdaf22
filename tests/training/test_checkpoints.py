"""Which states of a run are whole, and which are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdcourse.training.checkpoints import Checkpoints


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    made = Checkpoints(tmp_path)
    for step in (5, 10, 15, 20):
        made.at(step).mkdir()
        (made.at(step) / "adapter_model.safetensors").write_bytes(b"weights")
    for step in (5, 10, 15):
        made.complete(step)
    return made


def test_a_state_without_its_mark_is_not_whole(checkpoints: Checkpoints) -> None:
    assert checkpoints.steps() == [5, 10, 15]
    checkpoints.remove_partial()
    assert not checkpoints.at(20).exists()
    assert checkpoints.at(15).exists()


@pytest.mark.parametrize(
    ("keep", "best", "left"),
    [(1, 5, [5, 15]), (1, 9, [5, 15]), (2, 15, [10, 15]), (1, 0, [15]), (9, 0, [5, 10, 15])],
)
def test_the_newest_and_the_best_are_kept(
    checkpoints: Checkpoints, keep: int, best: int, left: list[int]
) -> None:
    checkpoints.prune(keep, best)
    assert checkpoints.steps() == left


@pytest.mark.parametrize(("best", "found"), [(4, None), (5, 5), (12, 10), (99, 15)])
def test_the_state_to_go_back_to(checkpoints: Checkpoints, best: int, found: int | None) -> None:
    assert checkpoints.up_to(best) == found


def test_other_files_are_left_alone(checkpoints: Checkpoints, tmp_path: Path) -> None:
    (tmp_path / "checkpoint-final").mkdir()
    (tmp_path / "README.md").write_text("")
    checkpoints.remove_partial()
    assert (tmp_path / "checkpoint-final").exists()


def test_states_after_a_step_are_removed_whole_or_not(checkpoints: Checkpoints) -> None:
    checkpoints.remove_after(10)
    assert checkpoints.steps() == [5, 10]
    assert not checkpoints.at(20).exists()


@pytest.mark.parametrize("loss", ["a file", "a part of a file", "the mark's end"])
def test_a_state_that_lost_something_is_not_whole(checkpoints: Checkpoints, loss: str) -> None:
    weights = checkpoints.at(15) / "adapter_model.safetensors"
    if loss == "a file":
        weights.unlink()
    elif loss == "a part of a file":
        weights.write_bytes(b"weigh")
    else:
        (checkpoints.at(15) / "complete.json").write_text("{")
    assert checkpoints.steps() == [5, 10]
    checkpoints.remove_partial()
    assert not checkpoints.at(15).exists()


def test_a_kill_while_a_state_is_removed_leaves_none(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    checkpoints.remove_partial()
    monkeypatch.setattr("holdcourse.training.checkpoints.shutil.rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        checkpoints.remove_after(10)
    assert checkpoints.at(15).exists()
    assert checkpoints.steps() == [5, 10]
