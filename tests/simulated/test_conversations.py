"""Whole conversations on τ²'s 114 base tasks, scored by τ²'s own evaluator."""

from __future__ import annotations

import json

import pytest

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import RolloutConfig
from holdcourse.telecom.data import data_directory, full_policy, main_policy
from holdcourse.telecom.rollout import simulate
from holdcourse.telecom.simulation import Simulation
from holdcourse.telecom.tasks import load_tasks

from .conftest import provider

HAND_WRITTEN = """You help customers of a phone company. The current time is 2025-02-25 12:08:00 EST.
- Flight mode on? Get the caller to flip it back.
- A missing SIM: the user takes it out and re-inserts it.
- A SIM locked by PIN or PUK goes to a human agent.
- If the access point name is broken, have the user reset the APN; a reboot makes it count.
- No MMSC address? The user resets the APN settings for that, too.
- Overdue bills: send a payment request and let the customer pay it.
- Resume a suspended line after payment and have the user restart the phone.
- Never resume a line whose contract has expired, transfer the customer instead.
- When mobile data is disabled, ask the user to enable mobile data.
- Abroad, roaming must be allowed on the line: activate roaming on the account.
- Abroad, Data Roaming in the phone's settings has to be on; the user can toggle it.
- Out of data: top up 2 GB.
- Users stuck on a 2G or 3G network mode pick 4g_5g_preferred; guide them to select it.
- Data Saver slows everything down, so have the user turn it off.
- A poor VPN should be disconnected by the user.
- Wi-Fi Calling gets in the way of pictures; tell the user to switch it off.
- The messaging app needs storage access and the SMS permission: have the user grant both permissions.
"""

MODEL = RoleModel(model="simulated/model", temperature=0.0, max_tokens=None)
LIMITS = RolloutConfig(max_steps=200, max_errors=10, infrastructure_retries=0)


@pytest.fixture(scope="module")
def base_tasks() -> list[str]:
    folder = data_directory()
    split = json.loads((folder / "split_tasks.json").read_text(encoding="utf-8"))["base"]
    assert len(split) == 114
    return list(split)


def played(task_ids: list[str], instruction: str, level: float = 1.0) -> list[Simulation]:
    model = provider(level)
    tasks = load_tasks(task_ids)
    return [simulate(tasks[i], instruction, model, MODEL, MODEL, LIMITS, seed=7, trial=0) for i in task_ids]


def solved(simulations: list[Simulation]) -> set[str]:
    return {simulation.task for simulation in simulations if simulation.reward == 1.0}


@pytest.mark.parametrize(
    "instruction", [full_policy(), HAND_WRITTEN], ids=["full policy", "hand-written list"]
)
def test_with_all_remedies_and_full_competence_every_task_is_solved(
    base_tasks: list[str], instruction: str
) -> None:
    simulations = played(base_tasks, instruction)
    assert solved(simulations) == set(base_tasks)
    assert {simulation.termination for simulation in simulations} == {"user_stop"}
    assert max(simulation.steps for simulation in simulations) <= 120


def test_without_an_instruction_only_tasks_that_expect_a_transfer_are_solved(base_tasks: list[str]) -> None:
    simulations = played(base_tasks, "")
    assert solved(simulations) == {s.task for s in simulations if s.transfer_expected}


def test_without_competence_the_instruction_is_as_good_as_none(base_tasks: list[str]) -> None:
    some = base_tasks[::6]
    assert solved(played(some, full_policy(), level=0.0)) == solved(played(some, ""))


def test_the_main_policy_alone_solves_what_it_speaks_of_and_little_else(base_tasks: list[str]) -> None:
    assert len(solved(played(base_tasks, main_policy()))) < 0.25 * len(base_tasks)


def test_a_contradicting_rule_hurts(base_tasks: list[str]) -> None:
    abroad = [task for task in base_tasks if "user_abroad_roaming_enabled_off" in task]
    text = f"{full_policy()}\n\nNever have the customer toggle roaming."
    lost = len(abroad) - len(solved(played(abroad, text)))
    assert len(abroad) >= 10
    assert 0.2 * len(abroad) < lost < 0.8 * len(abroad)
