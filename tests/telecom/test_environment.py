from dataclasses import asdict

import pytest
from gold_player import all_tasks

from holdcourse.telecom import environment as environment_room
from holdcourse.telecom.engine import (
    TelecomEnvironment,
    TelecomUserTools,
    ToolCall,
    get_environment,
    registry,
)
from holdcourse.telecom.environment import (
    DOMAIN,
    agent_tools,
    customer_tools,
    telecom_environment,
    tool_names,
)
from holdcourse.telecom.tasks import load_catalogue

TASKS = [task.id for task in load_catalogue()[::150]]


def databases(environment: TelecomEnvironment) -> tuple[dict, dict]:
    return environment.tools.db.model_dump(), environment.user_tools.db.model_dump()


def start(environment: TelecomEnvironment, task) -> TelecomEnvironment:
    state = task.initial_state
    environment.set_state(state.initialization_data, state.initialization_actions, [])
    return environment


def test_it_starts_as_tau2s_own_environment():
    ours, stock = telecom_environment(), get_environment()
    assert databases(ours) == databases(stock)
    assert ours.get_policy() == stock.get_policy()
    assert ours.get_domain_name() == stock.get_domain_name()


def test_tools_are_offered_as_tau2_offers_them():
    stock = get_environment()
    for ours, theirs in (
        (agent_tools(), stock.get_tools()),
        (customer_tools(), stock.get_user_tools()),
    ):
        assert [asdict(tool) for tool in ours] == [tool.openai_schema["function"] for tool in theirs]
    assert (len(agent_tools()), len(customer_tools())) == (13, 30)


def test_no_tool_has_two_owners():
    only_agents, only_customers = tool_names()
    assert (len(only_agents), len(only_customers)) == (13, 30)


@pytest.mark.parametrize("solo", [False, True])
def test_the_registered_constructor_respects_solo_mode(solo):
    environment = registry.get_env_constructor(DOMAIN)(solo_mode=solo)
    stock = get_environment(solo_mode=solo)
    assert environment.solo_mode is solo
    assert environment.get_policy() == stock.get_policy()


@pytest.mark.parametrize("task_id", TASKS)
def test_every_answer_along_a_reference_solution_is_tau2s(task_id):
    task = all_tasks()[task_id]
    ours, stock = start(telecom_environment(), task), start(get_environment(), task)
    assert databases(ours) == databases(stock)
    for number, action in enumerate(task.evaluation_criteria.actions):
        call = ToolCall(
            id=str(number), name=action.name, arguments=action.arguments, requestor=action.requestor
        )
        assert ours.get_response(call) == stock.get_response(call)
        assert databases(ours) == databases(stock)


def test_environments_share_nothing_that_a_simulation_changes():
    first, second = telecom_environment(), telecom_environment()
    before = databases(second)
    first.tools.db.lines[0].data_used_gb += 1
    first.user_tools.db.device.airplane_mode = True
    first.user_tools.db.device.active_apn_settings.mmsc_url = None
    assert databases(second) == before
    assert databases(telecom_environment()) == before


def reconnected_speed(environment: TelecomEnvironment) -> str:
    environment.user_tools.set_user_info("John Smith", "555-123-2002")
    environment.sync_tools()
    environment.user_tools.connect_vpn()
    return environment.user_tools.run_speed_test()


def test_a_broken_vpn_does_not_reach_later_simulations(monkeypatch):
    # Other tests that use τ²'s own environment have leaked already.
    intact = environment_room._INTACT_VPN.model_copy()
    monkeypatch.setattr(TelecomUserTools, "default_vpn_details", intact)
    healthy = reconnected_speed(telecom_environment())
    assert "Excellent" in healthy
    telecom_environment().user_tools.break_vpn()
    assert reconnected_speed(telecom_environment()) == healthy

    # The leak that this closes: in τ²'s own environment the next simulation's VPN is slow.
    assert reconnected_speed(get_environment()) == healthy
    get_environment().user_tools.break_vpn()
    assert reconnected_speed(get_environment()) != healthy
    assert reconnected_speed(telecom_environment()) == healthy


def test_within_a_simulation_a_broken_vpn_stays_broken():
    environment = telecom_environment()
    environment.user_tools.break_vpn()
    environment.user_tools.disconnect_vpn()
    assert "Excellent" not in reconnected_speed(environment)


def test_a_new_bill_has_the_same_id_each_time():
    answers = []
    for environment in (telecom_environment(), telecom_environment()):
        refuel = {"customer_id": "C1002", "line_id": "L1004", "gb_amount": 1.0}
        environment.get_response(ToolCall(id="1", name="refuel_data", arguments=refuel))
        customer = {"customer_id": "C1002"}
        answers.append(
            environment.get_response(ToolCall(id="2", name="get_customer_by_id", arguments=customer)).content
        )
        bill = environment.tools.db.bills[-1]
        assert bill.bill_id in answers[-1]
        assert bill.total_due > 0
    assert answers[0] == answers[1]
