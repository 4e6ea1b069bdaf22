from dataclasses import dataclass

import pytest

from holdcourse.appworld.engine.call_log import CallLog

OPERATIONS = {
    ("venmo", "create_transaction"): ("POST", "/venmo/transactions"),
    ("venmo", "login"): ("POST", "/venmo/auth/token"),
    ("supervisor", "complete_task"): ("POST", "/supervisor/message"),
    ("venmo", "show_friends"): ("GET", "/venmo/friends"),
}


@dataclass
class Answer:
    status_code: int
    body: object

    def json(self) -> object:
        if self.body is None:
            raise ValueError("no body")
        return self.body


class Requester:
    """Answers with a status, or fails, as the engine's does."""

    def __init__(self, status: int = 200, error: Exception | None = None, body: object = "yes") -> None:
        self.status, self.error, self.body = status, error, body

    def _request(self, _app_name: str, _api_name: str, **given: object) -> Answer:
        if self.error is not None:
            raise self.error
        return Answer(self.status, self.body)


def watched(requester: Requester) -> tuple[CallLog, Requester]:
    log = CallLog(OPERATIONS)
    log.watch(requester)
    return log, requester


def test_a_call_is_written_down_with_its_kind_and_answer() -> None:
    log, requester = watched(Requester())
    requester._request("venmo", "create_transaction", amount=12)
    assert log.calls == [
        {
            "app": "venmo",
            "api": "create_transaction",
            "arguments": {"amount": 12},
            "kind": "write",
            "succeeded": True,
        }
    ]
    assert log.responses == ["yes"]


@pytest.mark.parametrize(
    ("app", "api", "kind"),
    [
        ("venmo", "login", "auth"),
        ("supervisor", "complete_task", "session"),
        ("venmo", "show_friends", "read"),
        ("venmo", "made_up", "read"),
    ],
)
def test_kinds(app: str, api: str, kind: str) -> None:
    log, requester = watched(Requester())
    requester._request(app, api)
    assert [call["kind"] for call in log.calls] == [kind]


def test_secrets_enter_no_record() -> None:
    log, requester = watched(Requester())
    requester._request(
        "venmo", "login", username="a", password="b", access_token="c", card_number=4, cvv_number=1
    )
    assert log.calls[0]["arguments"] == {"username": "a"}


def test_a_refused_call_did_not_succeed_even_if_it_raises_nothing() -> None:
    log, requester = watched(Requester(status=422, body={"message": "no"}))
    requester._request("venmo", "create_transaction", raise_on_failure=False)
    assert log.calls[0]["succeeded"] is False
    assert log.calls[0]["arguments"] == {}
    assert log.responses == [{"message": "no"}]


def test_a_call_that_raises_is_written_down_too() -> None:
    log, requester = watched(Requester(error=RuntimeError("401")))
    with pytest.raises(RuntimeError, match="401"):
        requester._request("venmo", "show_friends")
    assert log.calls[0]["succeeded"] is False
    assert log.responses == [{"message": "401"}]


def test_the_engines_own_calls_do_not_count() -> None:
    log, requester = watched(Requester())
    requester._request("supervisor", "show_active_task", track=False)
    assert log.calls == []


def test_an_answer_without_a_body_and_an_argument_that_is_no_json() -> None:
    log, requester = watched(Requester(body=None))
    requester._request("venmo", "show_friends", when=complex(1, 2))
    assert log.responses == [None]
    assert log.calls[0]["arguments"] == {"when": "(1+2j)"}
    log.clear()
    assert (log.calls, log.responses) == ([], [])
