"""conf/paper/drift.yaml against the arithmetic of its own tables, and Table 5 against conf/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from holdcourse.config.paper_drift import DriftPaperConfig

CONF = Path(__file__).parents[2] / "conf"
VALUES: dict[str, Any] = yaml.safe_load((CONF / "paper/drift.yaml").read_text(encoding="utf-8"))
PAPER = DriftPaperConfig.model_validate(VALUES)
SIZES = {1: 14, 2: 13, 3: 13}


def test_table_1() -> None:
    """Copied by hand: Granite base and trained, Qwen base and trained; R, then the judge."""
    for policy, composite, judge in (
        ("granite_3_3_2b", (3.68, 5.15), (0.71, 0.90)),
        ("qwen_2_5_1_5b", (0.56, 4.80), (0.47, 0.66)),
    ):
        for quantity, values in (("composite", composite), ("judge", judge)):
            found = [PAPER.intrinsic_figure(policy, variant, quantity) for variant in ("base", "trained")]
            assert tuple(figure.value for figure in found if figure) == values


def test_what_the_paper_does_not_print_is_none() -> None:
    assert PAPER.intrinsic_figure("granite_3_3_2b", "base", "strict") is None
    assert PAPER.intrinsic_figure("qwen_2_5_1_5b", "base", "composite", "n1") is None


@pytest.mark.parametrize("figure", PAPER.end_to_end, ids=lambda f: f"{f.table}-{f.backbone}-{f.difficulty}")
def test_every_share_is_one_of_its_tasks_or_a_named_slip(figure: Any) -> None:
    size = 40 if figure.difficulty is None else SIZES[figure.difficulty]
    fits = any(abs(figure.value - round(100 * solved / size, 1)) < 0.051 for solved in range(size + 1))
    assert fits != bool(figure.note)


def test_the_slips_of_the_tables_are_the_three_known_ones() -> None:
    slips = {
        (figure.table, figure.backbone, figure.difficulty, figure.value)
        for figure in PAPER.end_to_end
        if figure.note
    }
    assert slips == {(2, "no_drift", None, 35.3), (3, "trained", 1, 21.5), (4, "trained", 3, 14.4)}


def test_every_cell_of_tables_2_to_4_is_there() -> None:
    rows = {2: 5, 3: 4, 4: 4}
    for table, number in rows.items():
        assert len([figure for figure in PAPER.end_to_end if figure.table == table]) == 4 * number
    found = PAPER.end_to_end_figure(4, "trained", None)
    assert found is not None
    assert found.value == 35.0


def test_every_key_of_table_5_exists() -> None:
    groups = {"training": "training/paper", "reward": "reward/paper", "judge": "judge/llm"}
    for row in PAPER.hyperparameters:
        if row.key is None:
            continue
        group, *names = row.key.split(".")
        found: Any = yaml.safe_load((CONF / f"{groups[group]}.yaml").read_text(encoding="utf-8"))
        for name in names:
            found = found[name]
        assert found == row.value, row.key


def test_the_papers_models_are_configured() -> None:
    assert all((CONF / f"policy_model/{name}.yaml").is_file() for name in PAPER.policy_models)


def test_a_figure_given_twice_is_refused() -> None:
    twice = [*VALUES["intrinsic"], VALUES["intrinsic"][0]]
    with pytest.raises(ValidationError, match="an intrinsic figure stands twice"):
        DriftPaperConfig.model_validate({**VALUES, "intrinsic": twice})
