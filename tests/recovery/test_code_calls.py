"""Calls as code spells them."""

from __future__ import annotations

import time

import pytest
from tests.recovery.made import DOCS

from holdcourse.recovery.code_calls import calls_in, kind


def named(code: str) -> list[tuple[str, str]]:
    return [(call.operation, call.kind) for call in calls_in(code, DOCS)]


def test_calls_come_in_the_order_in_which_they_stand() -> None:
    code = (
        "token = apis.venmo.login(username='a')\n"
        "for page in apis.venmo.show_payments():\n    print(apis.spotify.like_song(song_id=page))\n"
        "apis.supervisor.complete_task()"
    )
    assert named(code) == [
        ("venmo.login", "auth"),
        ("venmo.show_payments", "read"),
        ("spotify.like_song", "write"),
        ("supervisor.complete_task", "session"),
    ]


def test_text_is_no_call() -> None:
    code = (
        "# apis.venmo.send_payment()\nprint('apis.venmo.send_payment()')\nx = '''apis.venmo.send_payment()'''"
    )
    assert named(code) == []
    assert named(code + "\nif broken(:") == []


def test_code_that_does_not_parse_is_searched() -> None:
    assert named("if x(:\n  apis.venmo.send_payment('#')\n  apis . spotify . show_playlist()") == [
        ("venmo.send_payment", "write"),
        ("spotify.show_playlist", "read"),
    ]


@pytest.mark.parametrize(
    ("code", "operation"),
    [
        ("pay = apis.venmo\npay.send_payment()", "venmo.unknown_call"),
        ("a = apis\na.venmo.send_payment()", "apis.unknown_call"),
        ("getattr(apis.venmo, 'send' + '_payment')()", "venmo.unknown_call"),
        ("if (:\n  a = apis.venmo", "venmo.unknown_call"),
    ],
)
def test_a_use_that_hides_the_call_counts_as_a_write(code: str, operation: str) -> None:
    assert (operation, "write") in named(code)


@pytest.mark.parametrize(
    ("app", "api", "expected"),
    [
        ("venmo", "show_payments", "read"),
        ("venmo", "send_payment", "write"),
        ("other", "list_things", "read"),
        ("other", "getThing", "read"),
        ("other", "listen", "write"),
        ("other", "settle", "write"),
        ("other", "login", "auth"),
        ("supervisor", "show_profile", "session"),
    ],
)
def test_documentation_says_what_a_call_does_and_else_its_name(app: str, api: str, expected: str) -> None:
    assert kind(app, api, DOCS) == expected


@pytest.mark.parametrize("part", ["'\\", "'''\"\"\"(", "apis.venmo.x()\n", "(", "#'\n", "apis."])
def test_a_megabyte_of_code_is_read_in_time(part: str) -> None:
    began = time.monotonic()
    calls_in(part * (1_000_000 // len(part)), DOCS)
    assert time.monotonic() - began < 10
