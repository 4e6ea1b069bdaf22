"""The customer's records at the operator: what the agent has looked up, and what to look up next."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.simulated.dialogue import Dialogue, record_of, records_of

JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class LookUp:
    """A call of one of the agent's own tools."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Line:
    """The line behind the customer's phone number."""

    customer_id: str
    line_id: str
    suspended: bool
    roaming_enabled: bool
    contract_end: str
    suspended_since: str

    @property
    def arguments(self) -> JsonObject:
        """Arguments that name the line in a tool call."""
        return {"customer_id": self.customer_id, "line_id": self.line_id}


def customer_of(dialogue: Dialogue) -> JsonObject:
    """The customer's record; empty before it was found."""
    found = dialogue.last_called("get_customer_by_phone")
    return record_of(found.result) if found else {}


def line_or_look_up(dialogue: Dialogue) -> Line | LookUp | None:
    """The customer's line, or the call that finds it; None when no line has the number."""
    customer = customer_of(dialogue)
    identifiers = customer.get("line_ids", [])
    tried = {str(c.arguments.get("id")): c for c in dialogue.called if c.tool == "get_details_by_id"}
    for identifier in identifiers if isinstance(identifiers, list) else []:
        if str(identifier) not in tried:
            return LookUp("get_details_by_id", {"id": identifier})
        record = record_of(tried[str(identifier)].result)
        if record.get("phone_number") == dialogue.phone_number:
            return Line(
                customer_id=str(customer.get("customer_id")),
                line_id=str(identifier),
                suspended=record.get("status") == "Suspended",
                roaming_enabled=record.get("roaming_enabled") is True,
                contract_end=_date(record.get("contract_end_date")),
                suspended_since=_date(record.get("suspension_start_date")),
            )
    return None


def overdue_or_look_up(dialogue: Dialogue, line: Line) -> tuple[str, ...] | LookUp:
    """The ids of overdue bills, or the call that lists them."""
    listed = dialogue.last_called("get_bills_for_customer")
    if listed is None:
        return LookUp("get_bills_for_customer", {"customer_id": line.customer_id})
    bills = records_of(listed.result)
    return tuple(str(bill["bill_id"]) for bill in bills if bill.get("status") == "Overdue")


def exceeded_or_look_up(dialogue: Dialogue, line: Line) -> bool | LookUp:
    """Whether the line has used up its data, or the call that tells."""
    used = dialogue.last_called("get_data_usage")
    if used is None:
        return LookUp("get_data_usage", line.arguments)
    row = record_of(used.result)
    return _number(row, "data_used_gb") >= _number(row, "data_limit_gb") + _number(row, "data_refueling_gb")


def _number(row: JsonObject, key: str) -> float:
    value = row.get(key)
    try:
        return float(value) if isinstance(value, (int, float, str)) else 0.0
    except ValueError:
        return 0.0


def _date(value: JsonValue) -> str:
    """The day of an ISO date; empty when there is none, which sorts before every day."""
    return value[:10] if isinstance(value, str) else ""
