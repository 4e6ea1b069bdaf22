"""The bound from labels."""

from __future__ import annotations

import pytest
from tests.recovery.made import WRITE, incident, settings, truth_of

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.oracle import OracleBackbone, Truth, taught


def test_the_oracle_finds_the_step_before_the_onset_wherever_the_suspicion_is_late() -> None:
    for onset in range(4, 8):
        about = incident("aaarrrr", onset)
        (walk,) = OracleBackbone({"one": truth_of("aaarrrr")}).walks([about], settings())
        assert walk.decision.rollback_to_step == 3


def test_writes_are_parted_by_what_can_be_undone() -> None:
    about = incident("w", 1)
    truth = Truth(truth_of("w").labels, frozenset({WRITE.operation}))
    (walk,) = OracleBackbone({"one": truth}).walks([about], settings())
    assert walk.inspected[0].reversible == (WRITE.operation,)
    assert walk.decision.action == "escalate_human"


def test_every_visit_is_taught_with_its_true_answer() -> None:
    pairs = taught(incident("aw", 2), truth_of("aw"), settings())
    assert [(context.node, answer.node) for context, answer in pairs] == [
        (node, node) for node in ("n1", "n2", "n3", "n4", "n1", "n5")
    ]


def test_missing_labels_are_named() -> None:
    with pytest.raises(HoldcourseError, match="trajectory one has no labels"):
        OracleBackbone({}).walks([incident("a", 1)], settings())
    with pytest.raises(HoldcourseError, match="2 steps and 1 labels"):
        OracleBackbone({"one": truth_of("a")}).walks([incident("aa", 1)], settings())
