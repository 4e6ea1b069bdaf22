"""The dataset of drifted trajectories: what must hold of it, how it is summed up, and its card."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from holdcourse.appworld.trajectories import labels_of
from holdcourse.errors import HoldcourseError

CARDS = Path(__file__).parent / "cards"

Row = Mapping[str, object]

LABEL_KEYS = (
    "labels",
    "onset",
    "suspected_onset",
    "writes",
    "right_action",
    "right_target",
    "reversible",
)


ROW_KEYS = (
    "id",
    "type",
    "steps",
    "references",
    "delay",
    "changes",
    "changes_before",
    "base_task_id",
    "person",
)
"""What a stored trajectory needs for its labels to be worked out and its split to be checked."""


class DatasetError(HoldcourseError):
    """The dataset is not what its labels say."""


@dataclass(frozen=True)
class Relabelled:
    """What came of labelling stored trajectories anew."""

    agreed: int
    differing: tuple[str, ...]


def relabel(rows: Iterable[Row], reversible: frozenset[str]) -> Relabelled:
    """Work out every label again from the stored steps and reference calls, and compare.

    Args:
        rows: stored trajectories.
        reversible: operations with a documented inverse.
    """
    agreed = 0
    differing = []
    for row in rows:
        found = labels_of(row, reversible)
        wrong = [key for key in LABEL_KEYS if found[key] != row[key]]
        if wrong:
            differing.append(f"{row['id']}: {', '.join(wrong)}")
        else:
            agreed += 1
    return Relabelled(agreed, tuple(differing))


def check(rows: Sequence[Row]) -> None:
    """Check that no two trajectories have one id.

    Raises:
        DatasetError: some have.
    """
    ids = Counter(str(row["id"]) for row in rows)
    twice = [f"{name} stands {count} times" for name, count in ids.items() if count > 1]
    if twice:
        raise DatasetError(f"the dataset is not what its labels say: {'; '.join(twice[:5])}")


def unfit(row: Row) -> str | None:
    """Why a trajectory is not of the type that it was made for; None if it is.

    A real agent may stop half way through a payload, or do part of its task in between. Such a run is counted
    and left out.
    """
    if row["onset"] is None:
        return None
    # An agent that comes back to its task goes on to do that, and its task may write.
    same = bool(row["non_monotone"]) or row["changes"] == row["changes_before"]
    if row["type"] in ("I", "II") and (row["writes"] or not same):
        return f"is of type {row['type']} and yet changed the world"
    if row["type"] == "III" and (not row["writes"] or same):
        return "is of type III and yet changed nothing"
    return None


def overlaps(train: Sequence[Row], heldout: Sequence[Row]) -> list[str]:
    """What the splits share and must not: tasks, pairs of person and payload, wordings; named, or empty."""
    shared = []
    for name, key in (
        ("task", lambda row: row["base_task_id"]),
        ("payload", lambda row: row["payload_task_id"]),
        ("person and payload", lambda row: (row["person"], row["payload_task_id"])),
        ("wording", lambda row: row["wording"]),
        ("injected text", lambda row: row["injected_text"]),
    ):
        both = {key(row) for row in train if key(row)} & {key(row) for row in heldout if key(row)}
        shared += [f"{name} {value}" for value in sorted(map(str, both - {None}))]
    payloads = {str(row["payload_task_id"]) for row in heldout if row["payload_task_id"]}
    tasks = {str(row["base_task_id"]) for row in train}
    shared += [f"held-out payload {value} is a training task" for value in sorted(payloads & tasks)]
    return shared


def checksum(rows: Iterable[Row]) -> str:
    """SHA-256 over all rows in order, as hexadecimal: the same for the same dataset, whoever made it."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def summary(rows: Sequence[Row]) -> dict[str, object]:
    """Counts of a split, for its card and for tracking."""
    drifted = [row for row in rows if row["onset"] is not None]
    steps = [len(cast("Sequence[object]", row["steps"])) for row in rows]
    return {
        "trajectories": len(rows),
        "drifted": len(drifted),
        "resisted": sum(row["type"] != "aligned" and row["onset"] is None for row in rows),
        "type": dict(sorted(Counter(str(row["type"]) for row in rows).items())),
        "non_monotone": sum(bool(row["non_monotone"]) for row in rows),
        "carrier": dict(sorted(Counter(str(row["carrier"]) for row in rows if row["carrier"]).items())),
        "planted": sum(row["surface"] is not None for row in rows),
        "reversible": sum(row["reversible"] is True for row in rows),
        "irreversible": sum(row["reversible"] is False for row in rows),
        "steps": sum(steps),
        "longest": max(steps, default=0),
        "tasks": len({str(row["base_task_id"]) for row in rows}),
        "wordings": len({str(row["wording"]) for row in rows if row["wording"]}),
    }


def card(splits: Mapping[str, Sequence[Row]], agent: str, simulated: bool) -> str:
    """The dataset's card in Markdown, with the header that `datasets` reads.

    Args:
        splits: by name, "train" and "heldout".
        agent: name of the main agent's model.
        simulated: whether that is the offline language model.
    """
    counted = {name: summary(rows) for name, rows in splits.items()}
    rows = [(key, [_cell(counted[name][key]) for name in splits]) for key in next(iter(counted.values()))]
    rows.append(("checksum (SHA-256)", [checksum(splits[name]) for name in splits]))
    loader = FileSystemLoader(CARDS)
    environment = Environment(loader=loader, undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    template = environment.get_template("dataset.md.j2")
    return template.render(splits=list(splits), rows=rows, agent=agent, simulated=simulated)


def _cell(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {count}" for key, count in value.items()) or "none"
    return str(value)
