"""Which calls agent code made: an own log, since restoring a state cuts the engine's short.

The engine's requester is watched, so that a call counts by what the app answered, however the code went on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Protocol, cast

from holdcourse.appworld.engine.loading import Operations
from holdcourse.drift.kinds import kind_of
from holdcourse.drift.records import Call, call_record

SECRET = frozenset(
    {
        "access_token",
        "password",
        "new_password",
        "token",
        "card_number",
        "cvv_number",
        "verification_code",
        "password_reset_code",
    }
)
"""Arguments that never enter a record."""


class Response(Protocol):
    """What an app answered."""

    status_code: int

    def json(self) -> object:
        """Its body."""


class Requester(Protocol):
    """The part of the engine's requester that is watched."""

    _request: Callable[..., Response]


class CallLog:
    """The calls of the code that is being executed, in order, with what was answered."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self.calls: list[dict[str, object]] = []
        self.responses: list[object] = []

    def clear(self) -> None:
        """Begin anew."""
        self.calls = []
        self.responses = []

    def watch(self, requester: Requester) -> None:
        """Write down what goes through a requester from now on."""
        inner = requester._request

        def request(_app_name: str, _api_name: str, **given: object) -> Response:
            if given.get("track", True) is False:
                return inner(_app_name=_app_name, _api_name=_api_name, **given)
            arguments = {
                name: value
                for name, value in given.items()
                if name not in ("client", "raise_on_failure", "track") and name not in SECRET
            }
            at = self._begin(_app_name, _api_name, arguments)
            try:
                response = inner(_app_name=_app_name, _api_name=_api_name, **given)
            except Exception as error:
                self.responses[at] = {"message": str(error)}
                raise
            self.calls[at]["succeeded"] = response.status_code == 200
            try:
                self.responses[at] = response.json()
            except ValueError:
                self.responses[at] = None
            return response

        requester._request = request

    def _begin(self, app: str, api: str, arguments: Mapping[str, object]) -> int:
        documented = self._operations.get((app, api))
        plain = cast("dict[str, object]", json.loads(json.dumps(arguments, default=str)))
        # An unknown operation fails; what it would have done to the world is nothing, which is to read it.
        kind = kind_of(api, *documented) if documented else "read"
        self.calls.append(call_record(Call(app, api, plain, kind, succeeded=False)))
        self.responses.append(None)
        return len(self.calls) - 1
