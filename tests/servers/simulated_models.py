"""The simulated language model served over HTTP by a process of its own, which counts what it is asked.

A request counts as asked when it comes and as answered when its answer has been made; the two differ by
what a fault or the gate kept back. The gate holds every request after the n-th answer, so that a client can
be killed at a moment when all it was ever given has reached it.

    with SimulatedServer(config) as server:
        ...  # models named openai/simulated/…, api_base = server.api_base
        server.counts()
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from holdcourse.config.schema import SimulatedConfig
from holdcourse.llm.chat import ChatReply
from holdcourse.simulated.provider import SimulatedProvider
from tests.servers.asked_back import NotOursError, ReadBack
from tests.servers.loopback import Answer, Asked, Loopback
from tests.servers.openai_format import completion, error, tool_call

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = "simulated/reference"
HELD_S = 60.0


@dataclass(frozen=True)
class Counts:
    """What the server has seen so far.

    `answered` holds the number of answers by request digest; `strange` the requests that it could not read
    back; `held` how many wait at the gate now; `peak` the most that were ever under way at once; `faults` the
    faults it has sent, by kind; `roles` the answers by role.
    """

    asked: int
    answered: dict[str, int]
    strange: list[str]
    held: int
    peak: int
    faults: dict[str, int]
    roles: dict[str, int]

    @property
    def repeated(self) -> list[str]:
        """Digests of requests that were answered more than once."""
        return [digest for digest, number in self.answered.items() if number > 1]


class Served:
    """Answers requests as the simulated model does; thread-safe."""

    def __init__(self, config: SimulatedConfig, faults: Sequence[str], every: int, delay_s: float) -> None:
        """`faults` meet, in turn, the first asking of one in `every` requests, chosen by digest."""
        self._agent = SimulatedProvider(config, config.curve)
        self._reference = SimulatedProvider(config, config.reference_curve)
        self._faults, self._every, self._delay_s = tuple(faults), every, delay_s
        self._read_back = ReadBack()
        self._lock = threading.Lock()
        self._gate = threading.Condition(self._lock)
        self._hold_after: int | None = None
        self._asked = self._under_way = self._held = self._peak = self._given = self._drops = 0
        self._answered: Counter[str] = Counter()
        self._sent: Counter[str] = Counter()
        self._roles: Counter[str] = Counter()
        self._seen: set[str] = set()
        self._strange: list[str] = []

    def __call__(self, asked: Asked) -> Answer:
        if asked.path.startswith("/control/"):
            return self._control(asked)
        if asked.path != "/v1/chat/completions":
            return error(404, f"no such path {asked.path}")
        with self._lock:
            self._asked += 1
            self._under_way += 1
            self._peak = max(self._peak, self._under_way)
        try:
            return self._complete(asked)
        finally:
            with self._lock:
                self._under_way -= 1

    def _complete(self, asked: Asked) -> Answer:
        try:
            request = self._read_back(asked)
        except (NotOursError, KeyError, TypeError, ValueError) as problem:
            with self._lock:
                self._strange.append(f"{type(problem).__name__}: {problem}")
            return error(400, f"cannot be read back: {problem}")
        fault = self._fault(request.digest)
        if fault is not None:
            return fault_answer(fault, asked)
        if not self._let_through():
            return Answer(cut_after=0)
        time.sleep(self._delay_s)
        provider = self._reference if request.model == REFERENCE else self._agent
        reply = provider.complete(request)
        with self._lock:
            self._answered[request.digest] += 1
            self._roles[request.role] += 1
        return _as_answer(reply, request.model)

    def _let_through(self) -> bool:
        """Wait at the gate; False when what is held there is dropped instead."""
        with self._gate:
            drops = self._drops
            while self._hold_after is not None and self._given >= self._hold_after:
                self._held += 1
                try:
                    if not self._gate.wait(HELD_S) or self._drops != drops:
                        return False
                finally:
                    self._held -= 1
            # A place is taken before the answer is made, so that the gate lets exactly n answers out.
            self._given += 1
            return True

    def _fault(self, digest: str) -> str | None:
        if not self._faults or int(digest[:8], 16) % self._every:
            return None
        with self._lock:
            if digest in self._seen:
                return None
            self._seen.add(digest)
            kind = self._faults[int(digest[8:16], 16) % len(self._faults)]
            self._sent[kind] += 1
            return kind

    def _control(self, asked: Asked) -> Answer:
        with self._gate:
            if asked.path == "/control/hold":
                after = asked.json["after"]
                self._hold_after = None if after is None else self._given + after
                self._gate.notify_all()
            elif asked.path == "/control/drop":
                self._hold_after = None
                self._drops += 1
                self._gate.notify_all()
            elif asked.path == "/control/forget":
                self._answered.clear()
                self._roles.clear()
                self._sent.clear()
                self._asked = self._peak = 0
            return Answer(body=json.dumps(asdict(self._counts())).encode())

    def _counts(self) -> Counts:
        return Counts(
            self._asked,
            dict(self._answered),
            self._strange[:20],
            self._held,
            self._peak,
            dict(self._sent),
            dict(self._roles),
        )


FAULTS = {
    "rate_limited": lambda key: error(429, f"slow down, {key}", headers={"Retry-After": "0.05"}),
    "rate_limited_bare": lambda key: error(429, f"slow down, {key}"),
    "server_error": lambda key: error(500, f"internal error while serving {key}", kind="server_error"),
    "unavailable": lambda key: error(503, f"overloaded, {key}", kind="server_error"),
    "cut": lambda key: Answer(cut_after=0),
    "cut_half_way": lambda key: completion("never whole", cut_after=40),
    "malformed": lambda key: Answer(body=b'{"id": "1", "choices": ['),
}
"""Faults that pass; each text quotes the caller's key, as vendors and proxies do."""


def fault_answer(kind: str, asked: Asked) -> Answer:
    """The answer that a fault is."""
    return FAULTS[kind](asked.key)


def _as_answer(reply: ChatReply, model: str) -> Answer:
    return completion(
        reply.content,
        tool_calls=[tool_call(call.name, call.arguments, call.id) for call in reply.tool_calls],
        finish_reason=reply.stop_reason,
        tokens=(reply.usage.prompt_tokens, reply.usage.completion_tokens),
        model=model,
    )


class SimulatedServer:
    """Runs `Served` in a process of its own while the context is open."""

    def __init__(
        self,
        config: SimulatedConfig,
        *,
        faults: Sequence[str] = (),
        every: int = 1,
        delay_s: float = 0.0,
    ) -> None:
        options = {
            "config": config.model_dump(mode="json"),
            "faults": list(faults),
            "every": every,
            "delay_s": delay_s,
        }
        self._command = [sys.executable, "-m", "tests.servers.simulated_models", json.dumps(options)]
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.strip().isdigit(), f"the server did not start: {line!r}"
        self.port = int(line)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server; it ends by itself too when this process does."""
        if self._process is not None:
            self._process.communicate(timeout=20)
            self._process = None

    def counts(self) -> Counts:
        return self._control("counts", {})

    def hold(self, after: int | None) -> None:
        """Hold what comes after so many more answers; None lets everything through."""
        self._control("hold", {"after": after})

    def drop(self) -> None:
        """Break off the requests that are held, unanswered, and hold no more."""
        self._control("drop", {})

    def forget(self) -> None:
        """Begin to count afresh."""
        self._control("forget", {})

    def wait_until_held(
        self, at_least: int = 1, limit_s: float = 120.0, client: subprocess.Popen[bytes] | None = None
    ) -> Counts:
        """Wait until requests are held and no more come: then every answer given has been taken."""
        end = time.monotonic() + limit_s
        before = None
        while time.monotonic() < end and (client is None or client.poll() is None):
            counts = self.counts()
            still = (counts.asked, counts.held)
            if counts.held >= at_least and still == before:
                return counts
            before = still
            time.sleep(0.3)
        raise AssertionError(f"nothing is held after {limit_s:g} s, or at the client's end: {self.counts()}")

    def _control(self, name: str, value: dict) -> Counts:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/control/{name}", json.dumps(value).encode()
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            return Counts(**json.loads(response.read()))


def main() -> None:
    """Serve until standard input ends; the port goes to standard output."""
    options = json.loads(sys.argv[1])
    config = SimulatedConfig.model_validate(options["config"])
    served = Served(config, options["faults"], options["every"], options["delay_s"])
    with Loopback(served) as loopback:
        print(loopback.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
