"""The door chooses a provider by the model's name, and says which it has not."""

import pickle

import pytest

from holdcourse.config.compose import compose
from holdcourse.journal import Journal
from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, ToolCall, Usage
from holdcourse.llm.door import Door, NoProviderError
from holdcourse.llm.journalled import JournalledDoor
from holdcourse.llm.ledger import line_of, total_cost

REQUEST = ChatRequest("auditor", "scripted/auditor", (ChatMessage("user", "count"),))
REPLY = ChatReply("two", (ToolCall("1", "f", {"a": [1]}),), "tool_calls", Usage(3, 5), None, 0.25, attempts=2)


class Counting:
    """Answers everything with the same reply and counts the questions."""

    def __init__(self):
        self.asked = 0

    def complete(self, request):
        self.asked += 1
        return REPLY


def test_a_model_without_provider_is_named():
    request = ChatRequest("agent", "gemini/gemini-2.5-flash", ())
    with pytest.raises(NoProviderError, match=r"gemini/gemini-2\.5-flash.*role agent.*models=simulated"):
        Door(compose("smoke").simulated).complete(request)


def test_a_simulated_model_needs_its_parameters():
    with pytest.raises(NoProviderError, match="conf/simulated/"):
        Door(None).complete(ChatRequest("agent", "simulated/agent", ()))


def test_a_misspelt_offline_model_is_refused():
    with pytest.raises(NoProviderError, match=r"no offline model 'simulated/agnet'.*simulated/agent"):
        Door(compose("smoke").simulated).complete(ChatRequest("agent", "simulated/agnet", ()))


def test_the_error_survives_the_way_between_processes():
    error = pickle.loads(pickle.dumps(NoProviderError("no provider")))
    assert str(error) == "no provider"


def test_an_answer_in_the_journal_is_not_asked_for_again(tmp_path):
    door = Counting()
    with Journal.open(tmp_path / "replies.jsonl", {}) as journal:
        first = JournalledDoor(door, journal)
        assert first.complete(REQUEST) == REPLY
    with Journal.open(tmp_path / "replies.jsonl", {}) as journal:
        second = JournalledDoor(door, journal)
        assert second.complete(REQUEST) == REPLY
    assert door.asked == 1
    assert second.lines == first.lines


def test_trials_of_one_question_are_asked_each(tmp_path):
    door = Counting()
    with Journal.open(tmp_path / "replies.jsonl", {}) as journal:
        journalled = JournalledDoor(door, journal)
        for trial in range(3):
            journalled.complete(ChatRequest("auditor", "m", (), trial=trial))
    assert door.asked == 3


def test_an_unknown_price_stays_unknown():
    assert line_of(REQUEST, REPLY).record()["cost_usd"] == "unknown"
    assert total_cost([0.5, None]) is None
    assert total_cost([0.5, 0.25]) == 0.75
    assert total_cost([]) == 0.0
