"""The curve of a run: complete after a kill, and no row twice."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.training.made_rows import N1, N2
from tests.training.tiny_policy import vector

from holdcourse.files import read_jsonl
from holdcourse.training.curve import Curve, health, recorded_steps

LOGS = {
    "loss": 0.5,
    "reward": 1.5,
    "kl": 0.1,
    "completions/mean_length": 30.0,
    "completions/clipped_ratio": 0.25,
}


def write(folder: Path, steps: range) -> Curve:
    curve = Curve(folder, 0)
    for step in steps:
        curve.scored(step, [N1, N2], ["a", "b"], [vector(1.0), vector(None)])
        curve.step(step, LOGS)
    return curve


def test_a_step_has_its_means(tmp_path: Path) -> None:
    write(tmp_path, range(1, 2))
    (row,) = read_jsonl(tmp_path / "curve.jsonl")
    assert (row["step"], row["completions"], row["reward"], row["length"]) == (1, 2, 1.5, 30.0)
    components = row["components"]
    assert isinstance(components, dict)
    assert (components["judge"], components["strict"]) == (1.0, 0.0)
    # N2's completion has no score, so its node has no mean.
    assert row["nodes"] == {"n1": 1.0, "n2": None}
    assert row["grad_norm"] is None


def test_a_completion_has_its_rewards_by_component(tmp_path: Path) -> None:
    write(tmp_path, range(1, 2))
    first, second = read_jsonl(tmp_path / "completions.jsonl")
    assert (first["prompt_id"], first["node"], first["completion"], first["reward"]) == ("n1", "n1", "a", 1.0)
    assert second["reward"] is None


def test_rows_after_the_resumed_step_are_dropped(tmp_path: Path) -> None:
    write(tmp_path, range(1, 6))
    curve = Curve(tmp_path, 3)
    assert [row["step"] for row in curve.rows] == [1, 2, 3]
    assert [row["step"] for row in read_jsonl(tmp_path / "curve.jsonl")] == [1, 2, 3]
    assert [row["step"] for row in read_jsonl(tmp_path / "completions.jsonl")] == [1, 1, 2, 2, 3, 3]


def test_a_line_that_a_kill_cut_off_is_dropped(tmp_path: Path) -> None:
    write(tmp_path, range(1, 3))
    file = tmp_path / "curve.jsonl"
    file.write_bytes(file.read_bytes() + b'{"step": 3, "lo')
    assert [row["step"] for row in Curve(tmp_path, 9).rows] == [1, 2]


def test_what_is_missing_is_not_a_number() -> None:
    found = health({"step": 4, "reward": None, "kl": 0.5})
    assert (found.step, found.kl) == (4, 0.5)
    assert math.isnan(found.reward)
    assert math.isnan(found.length)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_null_in_the_file(tmp_path: Path, value: float) -> None:
    Curve(tmp_path, 0).step(1, {**LOGS, "loss": value})
    assert read_jsonl(tmp_path / "curve.jsonl")[0]["loss"] is None


def test_only_steps_in_both_files_are_recorded(tmp_path: Path) -> None:
    assert recorded_steps(tmp_path) == 0
    write(tmp_path, range(1, 5))
    assert recorded_steps(tmp_path) == 4
    completions = tmp_path / "completions.jsonl"
    lines = completions.read_bytes().splitlines(keepends=True)
    completions.write_bytes(b"".join(lines[:4]) + lines[4][:20])
    assert recorded_steps(tmp_path) == 2
    completions.write_bytes(b"".join([*lines[:2], *lines[6:]]))
    assert recorded_steps(tmp_path) == 1
