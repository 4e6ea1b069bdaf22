"""Runs simulations and stands still after the first few, so that a test can interrupt it: JOURNAL WORKERS."""

import sys
import time
from functools import partial
from pathlib import Path

from gold_player import GoldPlayer

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import RolloutConfig
from holdcourse.journal import Journal
from holdcourse.llm.chat import ChatReply, ChatRequest
from holdcourse.telecom.evaluation import RolloutPlan, jobs_for, run_simulations
from holdcourse.telecom.tasks import load_catalogue

IDS = [task.id for task in load_catalogue()[::250]]
IDENTITY = {"purpose": "a test"}
TRIALS = 2


FEW = 4
"""Lines of a journal: its head and three simulations."""


class SlowPlayer:
    def __init__(self, journal: Path) -> None:
        self.journal = journal
        self.player = GoldPlayer.of(IDS, 0, TRIALS)

    def complete(self, request: ChatRequest) -> ChatReply:
        # However busy the machine, it is not done before it is interrupted.
        given_up = time.monotonic() + 60
        while self.journal.read_bytes().count(b"\n") >= FEW and time.monotonic() < given_up:
            time.sleep(0.05)
        return self.player.complete(request)


def plan(door) -> RolloutPlan:
    model = RoleModel(model="scripted", temperature=0.0, max_tokens=None)
    limits = RolloutConfig(max_steps=60, max_errors=3, infrastructure_retries=2)
    return RolloutPlan("Follow the rules.", model, model, limits, 0, door, transcripts=True)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    with Journal.open(path, IDENTITY) as journal:
        door = partial(SlowPlayer, path)
        run_simulations(plan(door), jobs_for(IDS, TRIALS), workers=int(sys.argv[2]), journal=journal)
