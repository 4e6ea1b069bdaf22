import pytest
from pydantic import JsonValue

from holdcourse.llm.chat import ModelError
from holdcourse.simulated.reading import read
from holdcourse.simulated.reflector import missing_remedies

from .conftest import Ask


def digest(
    *actions: str | tuple[str, dict[str, JsonValue]],
    intent: str = "mms_issue",
    conversation: str = "",
    wrong_owner: tuple[str, ...] = (),
) -> dict[str, JsonValue]:
    """A failure digest with these missing actions."""
    rows: list[JsonValue] = []
    for action in actions:
        name, arguments = action if isinstance(action, tuple) else (action, {})
        rows.append({"who": "customer", "action": name, "arguments": arguments})
    return {
        "task": "3f9a",
        "intent": intent,
        "conversation": conversation,
        "failed_assertions": [],
        "missing_actions": rows,
        "wrong_owner_calls": list(wrong_owner),
        "ended": "user_stop",
    }


STORAGE = ("grant_app_permission", {"app_name": "messaging", "permission": "storage"})


def lessons(
    ask: Ask, *digests: dict[str, JsonValue], seed: int = 1, **rates: float
) -> list[dict[str, JsonValue]]:
    rows = ask("reflector", {"failures": list(digests)}, seed=seed, **rates)["lessons"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


def stances(lesson: dict[str, JsonValue]) -> set[tuple[str, str]]:
    return {(s.setting, s.kind) for s in read(str(lesson["lesson"])).stances}


def test_missing_actions_name_the_remedies() -> None:
    assert missing_remedies(digest("toggle_data", STORAGE)) == {"data_switch", "app_storage"}
    assert missing_remedies(digest("reset_apn_settings", "reboot_device")) == {"apn_mms"}
    assert missing_remedies(digest("reset_apn_settings", intent="service_issue")) == {"apn"}


def test_a_missing_transfer_is_explained_by_what_the_conversation_shows() -> None:
    locked = digest("transfer_to_human_agents", conversation="The SIM card is locked with a PIN code.")
    ended = digest("transfer_to_human_agents", conversation='"status": "Suspended"')
    assert missing_remedies(locked) == {"sim_lock"}
    assert missing_remedies(ended) == {"contract_end"}
    assert missing_remedies(digest("transfer_to_human_agents")) == set()


def test_each_distinct_remedy_gets_one_lesson_with_its_failures_and_intents(ask: Ask) -> None:
    rows = lessons(
        ask, digest("toggle_data"), digest("toggle_data", "refuel_data", intent="mobile_data_issue")
    )
    assert [(row["failures"], row["intents"]) for row in rows] == [
        ([1, 2], ["mms_issue", "mobile_data_issue"]),
        ([2], ["mobile_data_issue"]),
    ]
    assert [stances(row) for row in rows] == [{("data_switch", "fix")}, {("data_usage", "fix")}]
    assert all(row["type"] == "norm" for row in rows)


def test_the_same_remedy_comes_back_in_other_words(ask: Ask) -> None:
    texts = {str(lessons(ask, digest("toggle_data"), seed=n)[0]["lesson"]) for n in range(30)}
    assert len(texts) >= 8


def test_a_wrong_lesson_forbids_or_hands_over(ask: Ask) -> None:
    kinds = {stances(lessons(ask, digest("disconnect_vpn"), seed=n, wrong=1.0)[0]).pop() for n in range(30)}
    assert kinds == {("vpn", "forbid"), ("vpn", "transfer")}


def test_an_overgeneral_lesson_does_not_check(ask: Ask) -> None:
    rows = lessons(ask, digest("toggle_roaming"), overgeneral=1.0)
    assert stances(rows[0]) == {("roaming_phone", "blind")}


def test_the_rates_are_kept(ask: Ask) -> None:
    kinds = [
        kind
        for n in range(300)
        for _, kind in stances(lessons(ask, digest("disconnect_vpn"), seed=n, wrong=0.2, overgeneral=0.3)[0])
    ]
    assert 35 < sum(kind in ("forbid", "transfer") for kind in kinds) < 85
    assert 60 < kinds.count("blind") < 120


def test_a_tool_of_the_customers_called_by_the_agent_teaches_whose_it_is(ask: Ask) -> None:
    row = lessons(ask, digest(wrong_owner=("disconnect_vpn",), intent="mobile_data_issue"))[0]
    assert stances(row) == {("vpn", "fix")}
    assert read(str(row["lesson"])).owner_stated


def test_a_setting_left_worse_than_found_teaches_to_check_first(ask: Ask) -> None:
    row = lessons(ask, digest(conversation="Customer: Mobile Data is now OFF."))[0]
    assert stances(row) == {("data_switch", "fix")}
    assert read(str(row["lesson"])).conditional
    assert lessons(ask, digest(conversation="Mobile Data is now OFF. … Mobile Data is now ON.")) == []


def test_no_failure_no_lesson(ask: Ask) -> None:
    assert lessons(ask) == []
    assert lessons(ask, digest()) == []


def test_a_digest_of_another_shape_is_refused(ask: Ask) -> None:
    with pytest.raises(ModelError, match="missing_actions"):
        ask("reflector", {"failures": [{"missing_actions": "none"}]})
