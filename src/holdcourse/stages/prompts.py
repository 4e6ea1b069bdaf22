"""Build the prompt pool: what the recovery graph would ask of every trajectory, with the true answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from holdcourse.files import read_json, read_jsonl, write_jsonl, write_text
from holdcourse.stages.dataset import SPLITS
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import PromptsSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage
from holdcourse.training.pool import build_pool
from holdcourse.training.pool_card import data_card

CHARACTERS_A_TOKEN = 3.5
"""Of English and code with common tokenizers; only the card's estimate of lengths rests on it (ours)."""


def main(cfg: PromptsSlice, out: Path) -> None:
    """Write drift/prompts/{train,heldout}.jsonl and README.md."""
    paths = DriftPaths(out)
    rows = [row for split in SPLITS for row in read_jsonl(paths.dataset(split))]
    pool = build_pool(
        rows,
        cast("Mapping[str, Sequence[Mapping[str, object]]]", read_json(paths.docs)),
        cast("Sequence[Mapping[str, object]]", read_json(paths.reversibility)),
        cfg.recovery,
        cfg.pool,
        cfg.pool.seed,
    )
    write_jsonl(paths.prompts("train"), [row.record() for row in pool.train])
    write_jsonl(paths.prompts("heldout"), [row.record() for row in pool.heldout])
    write_text(paths.prompts_card, data_card(pool, _tokens, "tokens, estimated"))


def _tokens(text: str) -> int:
    return round(len(text) / CHARACTERS_A_TOKEN)


def _inputs(cfg: PromptsSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [*(paths.dataset(split) for split in SPLITS), paths.reversibility, paths.docs]


def _outputs(cfg: PromptsSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [*(paths.prompts(split) for split in SPLITS), paths.prompts_card]


def _provenance(cfg: PromptsSlice, out: Path) -> Path:
    return DriftPaths(out).prompts_card.with_name("provenance.json")


STAGE = Stage(
    name="prompts",
    module="holdcourse.stages.prompts",
    config=PromptsSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
