"""Put the drift dataset together: shards to splits, checks, labels worked out once more, the card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.appworld.cases import cases
from holdcourse.appworld.dataset import (
    LABEL_KEYS,
    ROW_KEYS,
    DatasetError,
    card,
    check,
    checksum,
    overlaps,
    relabel,
    summary,
    unfit,
)
from holdcourse.appworld.tasks import tasks_of
from holdcourse.files import read_json, read_jsonl, read_object, write_json, write_jsonl, write_text
from holdcourse.llm.door import is_simulated
from holdcourse.recovery.stored import reversible_operations
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import DatasetSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage

SPLITS = ("train", "heldout")


def main(cfg: DatasetSlice, out: Path) -> None:
    """Write drift/dataset/{train,heldout}.jsonl, README.md and summary.json.

    Raises:
        DatasetError: a label cannot be worked out again, or the splits overlap.
    """
    paths = DriftPaths(out)
    reversible = reversible_operations(read_json(paths.reversibility))
    tasks = tasks_of(read_object(paths.world))
    planned = cases(tasks, cfg.drift, reversible)
    splits, unworkable = {}, {}
    for split in SPLITS:
        parts = [paths.part(split, shard) for shard in range(cfg.drift.shards)]
        rows = whole(parts, [case.id for case in planned if case.split == split])
        splits[split] = [row for row in rows if not row.get("unworkable")]
        unworkable[split] = len(rows) - len(splits[split])
    left_out = {}
    for split, made in splits.items():
        check(made)
        left_out[split] = [f"{row['id']} {why}" for row in made if (why := unfit(row))]
        splits[split] = [row for row in made if not unfit(row)]
    rows = [row for split in splits.values() for row in split]
    shared = overlaps(splits["train"], splits["heldout"])
    if shared:
        raise DatasetError(f"the splits share {'; '.join(shared[:5])}; they must share nothing")
    again = relabel(rows, reversible)
    if again.differing:
        raise DatasetError(f"labels worked out anew differ: {'; '.join(again.differing[:5])}")
    for split, made in splits.items():
        write_jsonl(paths.dataset(split), made)
    agent = cfg.trajectory_agent
    write_text(paths.dataset_card, card(splits, agent, is_simulated(agent)))
    counted = {
        name: {
            **summary(made),
            "unfit": left_out[name],
            "unworkable": unworkable[name],
            "checksum": checksum(made),
        }
        for name, made in splits.items()
    }
    write_json(paths.dataset_summary, {**counted, "relabelled": again.agreed, "agent": agent})


def whole(parts: Sequence[Path], planned: Sequence[str]) -> list[dict[str, object]]:
    """The rows of a split's parts by id, each planned case once.

    Raises:
        DatasetError: a part is damaged, incomplete or of another plan.
    """
    rows = [row for part in parts for row in read_jsonl(part)]
    again = f"remove {parts[0].parent} and let the stage trajectories make them again"
    found = [str(row.get("id")) for row in rows]
    strange = sorted(set(found) - set(planned))
    missing = sorted(set(planned) - set(found))
    if strange or missing:
        told = [f"{len(missing)} planned trajectories are missing, such as {missing[0]}"] if missing else []
        told += [f"{len(strange)} are of another plan, such as {strange[0]}"] if strange else []
        raise DatasetError(f"{parts[0].parent} does not hold what is planned: {'; '.join(told)}; {again}")
    lacking = [
        str(row["id"])
        for row in rows
        if not row.get("unworkable") and not set(row) >= {*LABEL_KEYS, *ROW_KEYS}
    ]
    if lacking:
        raise DatasetError(f"trajectory {lacking[0]} in {parts[0].parent} is damaged; {again}")
    return sorted(rows, key=lambda row: str(row["id"]))


def _inputs(cfg: DatasetSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    parts = [paths.part(split, shard) for split in SPLITS for shard in range(cfg.drift.shards)]
    return [paths.world, paths.reversibility, *parts]


def _outputs(cfg: DatasetSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [*(paths.dataset(split) for split in SPLITS), paths.dataset_card, paths.dataset_summary]


def _provenance(cfg: DatasetSlice, out: Path) -> Path:
    return DriftPaths(out).dataset_card.with_name("provenance.json")


STAGE = Stage(
    name="dataset",
    module="holdcourse.stages.dataset",
    config=DatasetSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
