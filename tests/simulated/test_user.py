import pytest

from holdcourse.llm.chat import ChatMessage, ChatReply, ModelError
from holdcourse.simulated.user import OUT_OF_SCOPE, PATIENCE, STOP, TRANSFER

from .conftest import provider
from .talk import GREETING, call, conversation, tools

PHONE = tools("check_status_bar", "toggle_roaming", "run_speed_test", "can_send_mms", "reseat_sim_card")
GUIDELINES = "You play a customer. For example: ask whether you can send an MMS message.\n"
DATA = (
    f"{GUIDELINES}<scenario>\nReason for call:\n\tYou mobile data is not working properly. You want "
    f"to fix it.\n"
    "Known info:\n\tYou are John Smith with phone number 555-123-2002. You are currently abroad in France.\n"
    "Task instructions:\n\tYou are willing to refuel 2.0 GB of data if necessary.\n</scenario>"
)
SERVICE = (
    f"{GUIDELINES}Reason for call:\n\tYour phone has been showing 'No Service'.\nKnown info:\n\tYou are John."
)
PICTURES = (
    f"{GUIDELINES}Reason for call:\n\tYou are unable to send MMS messages.\nKnown info:\n\tYou are John."
)


def answer(system: str, *turns: ChatMessage) -> ChatReply:
    greeting = ChatMessage("user", GREETING)
    return provider(1.0).complete(conversation("user", system, (greeting, *turns), PHONE))


def told(system: str, text: str) -> ChatReply:
    return answer(system, ChatMessage("assistant", "Hello."), ChatMessage("user", text))


def seen(system: str, tool: str, output: str) -> str:
    turns = (ChatMessage("assistant", "Hello."), ChatMessage("user", "Do it."), call(tool))
    return answer(system, *turns, ChatMessage("tool", output, (), "c1")).content or ""


def test_it_opens_with_its_reason_and_what_it_knows_in_the_first_person() -> None:
    assert answer(DATA).content == (
        "Hello. My mobile data is not working properly. I want to fix it. "
        "I am John Smith with phone number 555-123-2002. I am currently abroad in France."
    )


def test_it_does_what_it_is_asked_with_its_tools() -> None:
    reply = told(DATA, "Please turn Data Roaming on.")
    assert reply.content is None
    assert [(c.name, c.arguments) for c in reply.tool_calls] == [("toggle_roaming", {})]


def test_it_says_so_when_it_has_no_such_tool() -> None:
    assert "no way to do that" in (told(DATA, "Please disconnect your VPN.").content or "")


def test_it_does_one_thing_at_a_time() -> None:
    assert "one thing at a time" in (
        told(DATA, "Reseat your SIM card and toggle Data Roaming.").content or ""
    )


def test_it_reports_what_the_tool_shows() -> None:
    assert "Data Roaming is now ON." in seen(DATA, "toggle_roaming", "Data Roaming is now ON.")


@pytest.mark.parametrize(
    ("system", "tool", "output", "solved"),
    [
        (SERVICE, "check_status_bar", "Status Bar: 📶⁴ Excellent | 5G", True),
        (SERVICE, "reseat_sim_card", "Done.\nStatus Bar: 📶³ Good | 5G", True),
        (SERVICE, "check_status_bar", "Status Bar: 📵 No Signal", False),
        (DATA, "run_speed_test", "Speed Test Result: 220.00 Mbps (Excellent). Very fast.", True),
        (DATA, "run_speed_test", "Speed Test Result: 40.00 Mbps (Good).", False),
        (PICTURES, "can_send_mms", "Your messaging app can send MMS messages.", True),
        (PICTURES, "can_send_mms", "Your messaging app cannot send MMS messages.", False),
    ],
)
def test_it_stops_when_a_tool_shows_its_own_goal_and_not_before(
    system: str, tool: str, output: str, solved: bool
) -> None:
    assert (STOP in seen(system, tool, output)) is solved


def test_the_agents_word_that_all_is_well_does_not_stop_it() -> None:
    assert STOP not in (told(SERVICE, "Your service is back, everything is fine now.").content or "")


def test_it_goes_when_it_is_transferred() -> None:
    assert told(DATA, "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.").content == TRANSFER


def test_it_answers_from_the_scenario() -> None:
    assert "2.0 GB" in (told(DATA, "How many gigabytes would you like to add?").content or "")
    assert "do not want to buy" in (told(SERVICE, "How much data would you like?").content or "")
    assert "555-123-2002" in (told(DATA, "What is your phone number?").content or "")


def test_its_patience_ends() -> None:
    turns = [ChatMessage("assistant", "Hello.")]
    for _ in range(PATIENCE + 1):
        turns.append(ChatMessage("user", "Hm."))
        reply = answer(DATA, *turns)
        turns.append(ChatMessage("assistant", reply.content))
    assert reply.content == OUT_OF_SCOPE


def test_a_prompt_without_a_reason_is_refused() -> None:
    with pytest.raises(ModelError, match="Reason for call"):
        answer("Play a customer.")
