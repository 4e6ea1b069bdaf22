"""The data card of the pool of node prompts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from holdcourse.recovery.nodes import NAMES, NODES
from holdcourse.training.pool import Pool, answer_class
from holdcourse.training.prompt_rows import PromptRow

_PERCENTILES = (50, 95, 100)


def checksum(rows: Sequence[PromptRow]) -> str:
    """SHA-256 of the rows as their file holds them, as hexadecimal."""
    lines = (json.dumps(row.record(), sort_keys=True, ensure_ascii=False) + "\n" for row in rows)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def data_card(pool: Pool, count: Callable[[str], int] | None = None, unit: str = "characters") -> str:
    """The card, in Markdown.

    Args:
        pool: the prompts.
        count: length of a text; None counts characters.
        unit: what `count` counts.
    """
    measure = count or len
    splits = {"train": pool.train, "heldout": pool.heldout}
    parts = [
        _HEAD,
        "## Sizes",
        _table(
            ("split", "prompts", "tasks", "trajectories", "SHA-256 of the file"),
            [
                (
                    name,
                    len(rows),
                    _different(rows, "task_id"),
                    _different(rows, "trajectory_id"),
                    checksum(rows),
                )
                for name, rows in splits.items()
            ],
        ),
        "## Nodes and right answers",
        _table(("split", "node", "right answer", "prompts"), _answers(splits)),
        "## Where the prompts come from",
        _table(("split", "source", "drift type", "carrier", "prompts"), _sources(splits)),
        "n3 and n4 see write operations only. Sets of them that no trajectory made are composed from the "
        "documentation (source `composed`). Some write operations (pool.heldout_operations) are held out, "
        "whatever task they occur in: a held-out prompt of n3 or n4 asks about these alone, a training "
        "prompt about none.",
        f"## Length of a prompt in {unit}",
        _table(
            ("split", "node", *(_percentile_name(share) for share in _PERCENTILES)),
            _lengths(splits, measure),
        ),
        "## Left out",
        _table(("why", "prompts"), sorted(pool.left_out.items())) if pool.left_out else "Nothing.",
        _FOOT,
    ]
    return "\n\n".join(parts) + "\n"


_HEAD = """# Prompts of the recovery graph's nodes

Each row is one prompt that the recovery graph asks, its right answer by execution, and the evidence that the
judge "grounded in execution labels" checks against. One JSON object a line. Load it with
`datasets.load_dataset("json", data_files={"train": "train.jsonl", "heldout": "heldout.jsonl"})`, which fills
the keys of other nodes with nulls, or with `holdcourse.training.prompt_rows.read_prompts`, which does not.

Intended use: training and testing the recovery model of this study. The inputs of later nodes are the true
answers of the earlier ones; a model's own walk also meets the consequences of its mistakes, which these
prompts do not show."""

_FOOT = """## Splits

No task, no pair of person and payload, no wording of an injected instruction, no prompt text and no write
operation that n3 or n4 is asked about stands in both splits; the build fails where one does.

## Labels

All by execution: verdicts and operations from the calls that succeeded, apps from the operations, the
partition of n4 from the documentation (reversible: an inverse is documented and needs no value from before
the write), decision and target of n5 from the trajectory. An n5 whose walk does not show what the right
decision rests on is left out.

## Licence and limits

Generated at run time from AppWorld's engine and documentation. AppWorld's licence asks that its protected
parts be redistributed in encrypted form only: keep these files to yourself, or encrypt them. People, tasks
and payloads are invented; wordings and carriers are few, so good figures here say nothing of attacks that
look different."""


def _different(rows: Sequence[PromptRow], field: str) -> int:
    return len({value for row in rows if (value := getattr(row, field)) is not None})


def _origin(row: PromptRow) -> Mapping[str, object]:
    return cast("Mapping[str, object]", row.evidence["origin"])


def _answers(splits: Mapping[str, Sequence[PromptRow]]) -> list[tuple[object, ...]]:
    return [
        (split, f"{node} {NAMES[node]}", answer, number)
        for split, rows in splits.items()
        for node in NODES
        for answer, number in sorted(Counter(answer_class(row) for row in rows if row.node == node).items())
    ]


def _sources(splits: Mapping[str, Sequence[PromptRow]]) -> list[tuple[object, ...]]:
    counted = Counter(
        (split, *(str(_origin(row)[key] or "–") for key in ("source", "type", "carrier")))
        for split, rows in splits.items()
        for row in rows
    )
    return [(*key, number) for key, number in sorted(counted.items())]


def _lengths(
    splits: Mapping[str, Sequence[PromptRow]], measure: Callable[[str], int]
) -> list[tuple[object, ...]]:
    listed: list[tuple[object, ...]] = []
    for split, rows in splits.items():
        for node in NODES:
            lengths = sorted(measure(row.prompt) for row in rows if row.node == node)
            if lengths:
                listed.append((split, node, *(_percentile(lengths, share) for share in _PERCENTILES)))
    return listed


def _percentile(ordered: Sequence[int], share: int) -> int:
    """The smallest value that at least `share` percent of the values do not exceed."""
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def _percentile_name(share: int) -> str:
    return {50: "median", 100: "longest"}.get(share, f"{share}th percentile")


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
