"""τ²'s telecom environment, built cheaply and without state shared between simulations.

Databases are parsed once and copied for each environment; policy texts and tool descriptions are read once.
Three faults of τ²'s own environment are mended, nothing else differs from it:

- `TelecomUserTools.default_vpn_details` is an object of the class, which `break_vpn` changes for every later
  simulation of the process;
- a charge to a customer without a draft bill opens one under a random id;
- the evaluator plays the reference solution without telling the phone what the network changed (a refuelled
  line, allowed roaming), so that even a perfect run of most tasks counts as ending in another state. That
  touches `db_match` only, never the reward, since no telecom task is rewarded by its databases.
"""

from __future__ import annotations

import hashlib
from functools import cache

from pydantic import JsonValue

from holdcourse.llm.chat import ToolSpec
from holdcourse.telecom.data import full_policy
from holdcourse.telecom.engine import (
    TELECOM_DB_PATH,
    TELECOM_USER_DB_PATH,
    TelecomDB,
    TelecomEnvironment,
    TelecomTools,
    TelecomUserDB,
    TelecomUserTools,
    Tool,
    get_environment,
    registry,
)

DOMAIN = "holdcourse-telecom"
"""The name under which τ²'s registry, and so its evaluator, finds `telecom_environment`."""

_INTACT_VPN = TelecomUserTools.default_vpn_details.model_copy(deep=True)


class _AgentTools(TelecomTools):  # type: ignore[misc]  # τ² is untyped
    def _apply_one_time_charge(self, customer_id: str, amount: float, description: str) -> None:
        bills_before = len(self.db.bills)
        super()._apply_one_time_charge(customer_id, amount, description)
        for bill in self.db.bills[bills_before:]:
            drawn = hashlib.sha256(f"draft bill of {customer_id}".encode()).hexdigest()[:8]
            customer = self.get_customer_by_id(customer_id)
            customer.bill_ids[customer.bill_ids.index(bill.bill_id)] = f"B{drawn}"
            bill.bill_id = f"B{drawn}"


class _CustomerTools(TelecomUserTools):  # type: ignore[misc]  # τ² is untyped
    def __init__(self, db: TelecomUserDB) -> None:
        super().__init__(db)
        self.default_vpn_details = _INTACT_VPN.model_copy(deep=True)


class _SyncedEnvironment(TelecomEnvironment):  # type: ignore[misc]  # τ² is untyped
    def make_tool_call(self, tool_name: str, requestor: str = "assistant", **arguments: object) -> object:
        answer = super().make_tool_call(tool_name, requestor=requestor, **arguments)
        self.sync_tools()
        return answer


def telecom_environment(solo_mode: bool = False) -> TelecomEnvironment:
    """A fresh telecom environment; the constructor that τ²'s evaluator is given.

    Args:
        solo_mode: as in τ²: the agent works alone, with both sides' tools.
    """
    db, user_db = _parsed_databases()
    environment = _SyncedEnvironment(
        domain_name="telecom",
        policy=_solo_policy() if solo_mode else full_policy(),
        tools=_AgentTools(TelecomDB.model_validate(db)),
        user_tools=_CustomerTools(TelecomUserDB.model_validate(user_db)),
    )
    if solo_mode:
        environment.set_solo_mode(True)
    return environment


@cache
def agent_tools() -> tuple[ToolSpec, ...]:
    """The 13 tools of the agent, as offered to a model."""
    return tuple(_spec(tool) for tool in telecom_environment().get_tools())


@cache
def customer_tools() -> tuple[ToolSpec, ...]:
    """The 30 tools of the customer, as offered to a model."""
    return tuple(_spec(tool) for tool in telecom_environment().get_user_tools())


@cache
def tool_names() -> tuple[frozenset[str], frozenset[str]]:
    """Names of the tools that only the agent owns, and of those that only the customer owns."""
    agent = frozenset(tool.name for tool in agent_tools())
    customer = frozenset(tool.name for tool in customer_tools())
    return agent - customer, customer - agent


@cache
def _parsed_databases() -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    # Validating plain data anew is the fastest deep copy of a pydantic model (0.06 ms against 0.43 ms).
    return TelecomDB.load(TELECOM_DB_PATH).model_dump(), TelecomUserDB.load(TELECOM_USER_DB_PATH).model_dump()


@cache
def _solo_policy() -> str:
    return str(get_environment(solo_mode=True).get_policy())


def _spec(tool: Tool) -> ToolSpec:
    function = tool.openai_schema["function"]
    return ToolSpec(function["name"], function["description"], function["parameters"])


if DOMAIN not in registry.get_domains():
    registry.register_domain(telecom_environment, DOMAIN)
