import random
from dataclasses import replace

import pytest
from gold_player import GoldPlayer, all_tasks

from holdcourse.config.schema import RolloutConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatRequest, UnknownModelError
from holdcourse.telecom import environment as environment_room
from holdcourse.telecom import rollout as rollout_room
from holdcourse.telecom.conversation import Conversation, Side
from holdcourse.telecom.draws import derive_seed
from holdcourse.telecom.engine import (
    EvaluationType,
    Orchestrator,
    TelecomUserTools,
    evaluate_simulation,
    get_environment,
)
from holdcourse.telecom.environment import agent_tools, customer_tools
from holdcourse.telecom.participants import DoorAgent, DoorCustomer
from holdcourse.telecom.rollout import simulate
from holdcourse.telecom.tasks import load_catalogue

SAMPLE = [task.id for task in load_catalogue()[::120]]
ROAMING = "[mobile_data_issue]user_abroad_roaming_disabled_off[PERSONA:Hard]"
SPEED = "[mobile_data_issue]data_mode_off[PERSONA:None]"
VPN = "[mobile_data_issue]bad_vpn[PERSONA:None]"
TRANSFER = "[service_issue]lock_sim_card_pin[PERSONA:Hard]"


@pytest.fixture
def play(model, limits):
    def play(task_id: str, door: object = None, seed: int = 0, trial: int = 0, **options: object):
        door = door or GoldPlayer.of([task_id], seed, trial + 1, **options)
        task = all_tasks()[task_id]
        return simulate(task, "Follow the rules.", door, model, model, limits, seed, trial)

    return play


@pytest.mark.parametrize("task_id", [*SAMPLE, TRANSFER])
def test_a_reference_solution_scores_full_and_strict(play, task_id):
    simulation = play(task_id)
    assert (simulation.outcome, simulation.reward, simulation.strict) == ("scored", 1.0, True)
    assert (simulation.missing_actions, simulation.failed_assertions, simulation.error) == ((), (), "")
    assert simulation.termination == "user_stop"


@pytest.mark.parametrize("skip", [None, 0])
@pytest.mark.parametrize("task_id", SAMPLE)
def test_conversation_and_reward_are_those_of_tau2s_own_environment(play, model, task_id, skip):
    ours = play(task_id, skip=skip)
    task = all_tasks()[task_id]
    door = GoldPlayer.of([task_id], skip=skip)
    seed = derive_seed(0, task_id, 0)
    agent_side = Side("agent", model, agent_tools(), seed, 0)
    customer_side = Side("user", model, customer_tools(), seed, 0)
    run = Orchestrator(
        domain="telecom",
        agent=DoorAgent("Follow the rules.", Conversation(agent_side, door), "m"),
        user=DoorCustomer(str(task.user_scenario), Conversation(customer_side, door), "m"),
        environment=get_environment(),
        task=task,
        max_steps=60,
        max_errors=3,
        seed=seed,
    ).run()
    reward = evaluate_simulation(run, task, EvaluationType.ALL, solo_mode=False, domain="telecom")
    assert ours.reward == reward.reward
    assert ours.termination == run.termination_reason.value
    assert [turn.text for turn in ours.transcript] == [message.content or "" for message in run.messages]
    assert [message.turn_idx for message in run.messages] == list(range(len(run.messages)))
    missed = [check.action.name for check in reward.action_checks if not check.action_match]
    assert [action.action for action in ours.missing_actions] == missed


def test_the_instruction_stands_in_place_of_the_policy(play):
    door = GoldPlayer.of([SPEED])
    play(SPEED, door)
    agent = next(request for request in door.requests if request.role == "agent")
    assert "<policy>\nFollow the rules.\n</policy>" in agent.messages[0].content
    assert "main_policy" not in agent.messages[0].content
    assert [message.speaker for message in agent.messages] == ["system", "assistant", "user"]
    assert agent.tools == agent_tools()
    customer = next(request for request in door.requests if request.role == "user")
    assert "You are John Smith" in customer.messages[0].content
    assert [message.speaker for message in customer.messages] == ["system", "user"]
    assert customer.tools == customer_tools()


def test_requests_carry_trial_and_derived_seed(play):
    door = GoldPlayer.of([SPEED], seed=0, trials=3)
    for trial in range(3):
        play(SPEED, door, trial=trial)
    seen = {(request.trial, request.sampling.seed) for request in door.requests}
    assert seen == {(trial, derive_seed(0, SPEED, trial)) for trial in range(3)}


def test_seed_0_is_a_seed(play):
    door = GoldPlayer.of([SPEED], seed=0)
    play(SPEED, door, seed=0)
    assert {request.sampling.seed for request in door.requests} == {derive_seed(0, SPEED, 0)}


def test_what_was_left_out_is_told_in_words(play):
    simulation = play(ROAMING, skip=1)
    assert simulation.reward == 0.0
    assert [action.action for action in simulation.missing_actions] == ["toggle_roaming"]
    assert simulation.missing_actions[0].who == "customer"
    assert "not met: mobile data works on the customer's phone" in simulation.failed_assertions


def test_calls_of_the_other_sides_tools_are_counted(play):
    simulation = play(SPEED, quirk="agent meddles")
    assert simulation.wrong_owner_calls == ("toggle_airplane_mode",)
    assert simulation.reward == 1.0
    assert simulation.record()["wrong_owner_calls"] == 1


@pytest.mark.parametrize(
    ("quirk", "termination"),
    [
        ("agent is empty", "agent_error"),
        ("customer is empty", "user_error"),
        ("agent babbles", "max_steps"),
        ("agent errs", "too_many_errors"),
    ],
)
def test_a_conversation_that_fails_scores_nothing(play, quirk, termination):
    simulation = play(SPEED, quirk=quirk)
    assert (simulation.outcome, simulation.reward, simulation.db_match, simulation.strict) == (
        "scored",
        0.0,
        None,
        False,
    )
    assert simulation.termination == termination
    assert ("empty message" in simulation.error) == ("empty" in quirk)


def test_a_failing_provider_is_infrastructure_and_what_was_spent_counts(play):
    simulation = play(SPEED, quirk="provider fails")
    assert (simulation.outcome, simulation.termination) == ("infrastructure", "infrastructure")
    assert (simulation.reward, simulation.db_match, simulation.strict) == (None, None, None)
    assert simulation.error == "ModelError: the provider is down"
    assert simulation.record()["calls"] == 2
    assert simulation.record()["cost_usd"] == 1.0


def test_an_unknown_model_stops_the_work(play):
    class NoProvider:
        def complete(self, request: ChatRequest):
            raise UnknownModelError(f"no provider for {request.model}")

    with pytest.raises(HoldcourseError, match=r"no provider for scripted; check models\.agent"):
        play(SPEED, NoProvider())


@pytest.mark.parametrize("quirk", ["text with calls", "same call ids"])
def test_odd_replies_count_as_their_tool_calls(play, quirk):
    plain, odd = play(ROAMING), play(ROAMING, quirk=quirk)
    assert (odd.reward, odd.strict, odd.steps) == (1.0, True, plain.steps)
    assert [turn.calls for turn in odd.transcript] == [turn.calls for turn in plain.transcript]


def test_a_conversation_that_tau2_cannot_score_gets_no_score(play, monkeypatch):
    def broken(run, task):
        raise ValueError("the replay differs")

    monkeypatch.setattr(rollout_room, "score", broken)
    simulation = play(SPEED)
    assert (simulation.outcome, simulation.reward) == ("infrastructure", None)
    assert simulation.termination == "evaluation_error"
    assert simulation.error == "ValueError: the replay differs"


def test_an_argument_that_is_no_number_is_recorded_in_words(play):
    simulation = play(SPEED, quirk="not a number")
    assert (simulation.reward, simulation.termination) == (0.0, "user_stop")
    assert simulation.transcript[2].calls[0].arguments["gb_amount"] == "nan"


def test_an_exception_inside_tau2s_environment_ends_the_conversation(play, monkeypatch):
    def broken(self, value):
        raise RuntimeError("unsupported answer")

    monkeypatch.setattr(environment_room.TelecomEnvironment, "to_json_str", broken)
    simulation = play(ROAMING)
    assert (simulation.outcome, simulation.reward, simulation.termination) == ("scored", 0.0, "agent_error")
    assert simulation.error == "RuntimeError: unsupported answer"


def test_our_own_faults_are_not_scored(play, monkeypatch):
    def broken(reply):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("holdcourse.telecom.participants._is_empty", broken)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        play(ROAMING)


def test_a_clock_that_stands_still_or_steps_back_changes_nothing(play, monkeypatch):
    expected = play(ROAMING)
    times = iter(f"2026-01-01T00:{59 - number // 3:02d}:00" for number in range(170))
    monkeypatch.setattr("tau2.data_model.message.get_now", lambda: next(times))
    monkeypatch.setattr("tau2.orchestrator.orchestrator.get_now", lambda: next(times))
    assert replace(play(ROAMING), usage=()) == replace(expected, usage=())


def test_nothing_depends_on_global_chance(play):
    random.seed(1)
    first = play(ROAMING)
    state = random.getstate()
    assert play(ROAMING) == first
    assert random.getstate() == state


def test_the_vpn_leak_would_change_a_later_simulation(play, monkeypatch):
    def reconnecting() -> GoldPlayer:
        player = GoldPlayer.of([SPEED])
        player.actions = {seed: [("user", "connect_vpn", {}), *plan] for seed, plan in player.actions.items()}
        return player

    intact = environment_room._INTACT_VPN.model_copy()
    monkeypatch.setattr(TelecomUserTools, "default_vpn_details", intact)
    play(VPN)
    assert play(SPEED, reconnecting()).reward == 1.0
    monkeypatch.setattr(environment_room, "_CustomerTools", TelecomUserTools)
    assert play(SPEED, reconnecting()).reward == 1.0
    play(VPN)
    assert play(SPEED, reconnecting()).reward == 0.0


def test_steps_are_limited(play, model):
    task = all_tasks()[ROAMING]
    short = RolloutConfig(max_steps=4, max_errors=3, infrastructure_retries=0)
    simulation = rollout_room.simulate(task, "", GoldPlayer.of([ROAMING]), model, model, short, 0, 0)
    assert simulation.termination == "max_steps"
    assert simulation.steps >= 4
