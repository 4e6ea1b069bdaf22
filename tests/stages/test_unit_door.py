"""A unit of which nothing could be carried out is an error; what failed in part is counted."""

from dataclasses import replace

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.stages.unit_door import require_reach
from holdcourse.stages.unit_journal import UnitJournals
from holdcourse.telecom.simulation import Simulation

PLAYED = Simulation(
    task="t",
    intent="mms_issue",
    issues=("airplane_mode_on",),
    persona="None",
    transfer_expected=False,
    trial=0,
    outcome="scored",
    reward=0.0,
    db_match=False,
    wrong_owner_calls=(),
    termination="user_stop",
    steps=3,
    usage=(),
)
DEAD = replace(
    PLAYED, outcome="infrastructure", reward=None, db_match=None, termination="connection", error="refused"
)


@pytest.fixture
def journals(tmp_path):
    unit = UnitJournals(tmp_path / "unit", "identity")
    with unit.open("simulations") as journal:
        journal.append("t", {"outcome": "infrastructure"})
    return unit


def test_nothing_carried_out_is_an_error_and_the_next_run_tries_again(journals):
    with pytest.raises(
        HoldcourseError, match=r"none of 3 simulations .*connection 2, timeout 1.*run the same"
    ):
        require_reach([DEAD, replace(DEAD, termination="timeout"), DEAD], journals)
    with journals.open("simulations") as journal:
        assert journal.done == {}


@pytest.mark.parametrize("simulations", [[PLAYED, DEAD], [PLAYED], []])
def test_what_failed_in_part_is_counted_and_kept(journals, simulations):
    require_reach(simulations, journals)
    with journals.open("simulations") as journal:
        assert list(journal.done) == ["t"]
