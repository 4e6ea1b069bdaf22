"""The dataset is put together of all its parts or not at all."""

from pathlib import Path

import pytest
from tests.appworld.made_rows import made_row

from holdcourse.appworld.dataset import DatasetError
from holdcourse.config.compose import compose
from holdcourse.config.schema import ConfigError
from holdcourse.files import write_jsonl
from holdcourse.stages.dataset import whole

PLANNED = ["train-transient-000", "train-transient-001", "train-transient-002"]


def parts(folder: Path, *groups: list[dict[str, object]]) -> list[Path]:
    paths = [folder / f"train-{number:02d}.jsonl" for number in range(len(groups))]
    for path, rows in zip(paths, groups, strict=True):
        write_jsonl(path, rows)
    return paths


def test_rows_come_in_the_order_of_their_ids_whatever_part_they_stand_in(tmp_path: Path) -> None:
    rows = [made_row(name) for name in PLANNED]
    found = whole(parts(tmp_path, [rows[2], rows[0]], [rows[1]]), PLANNED)
    assert [row["id"] for row in found] == PLANNED


def test_a_case_that_no_payload_fits_is_planned_too(tmp_path: Path) -> None:
    rows = [made_row(PLANNED[0]), made_row(PLANNED[1]), {"id": PLANNED[2], "unworkable": True}]
    assert len(whole(parts(tmp_path, rows), PLANNED)) == 3


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (PLANNED[:2], "1 planned trajectories are missing, such as train-transient-002"),
        ([], "3 planned trajectories are missing"),
        ([*PLANNED, "train-write-000"], "1 are of another plan, such as train-write-000"),
    ],
)
def test_a_part_that_is_not_what_was_planned_is_refused(tmp_path: Path, names: list[str], told: str) -> None:
    with pytest.raises(DatasetError, match=told):
        whole(parts(tmp_path, [made_row(name) for name in names]), PLANNED)


@pytest.mark.parametrize("lost", ["steps", "references", "delay", "labels"])
def test_a_damaged_row_is_named(tmp_path: Path, lost: str) -> None:
    rows = [made_row(name) for name in PLANNED]
    del rows[1][lost]
    with pytest.raises(DatasetError, match=r"trajectory train-transient-001 in .* is damaged; remove"):
        whole(parts(tmp_path, rows), PLANNED)


def test_a_shard_that_is_none_of_the_split_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"shard=99: drift.shards=2, so 0 to 1"):
        compose("smoke", ("shard=99",))
