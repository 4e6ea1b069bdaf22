"""What the door adds to a call: cache hits a second, and the overhead of an asked call over bare litellm.

A server on this machine answers at once. Bare litellm and the door ask it in turn, one call each, so that
noise of the machine falls on both; the door's requests differ, so that each is asked, entered in the budget,
kept and written to the ledger. Then the same requests are asked again and come from the cache. Nothing is
left behind unless --output is given.

    python benchmarks/llm_door.py --calls 200
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from holdcourse.config.compose import compose
from holdcourse.config.llm import DoorSettings
from holdcourse.files import write_json
from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling
from holdcourse.llm.door import Door
from holdcourse.telecom.data import full_policy
from holdcourse.telecom.environment import agent_tools

MODEL = "openai/at-once"
PAUSE_S = 0.02
SPEAKERS = ("user", "assistant")


class AtOnce(BaseHTTPRequestHandler):
    """Answers every request with the same few words."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    reply = json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "at-once",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
            ],
            "usage": {"prompt_tokens": 9000, "completion_tokens": 2, "total_tokens": 9002},
        }
    ).encode()

    def do_POST(self) -> None:
        """Read the request and answer it."""
        self.rfile.read(int(self.headers["Content-Length"]))
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(self.reply)}\r\n\r\n"
        )
        self.wfile.write(head.encode() + self.reply)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def serve(port: Connection) -> None:
    """Serve until the process is ended."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), AtOnce)
    port.send(server.server_address[1])
    server.serve_forever()


def requests(count: int) -> list[ChatRequest]:
    """Turns as an agent has them in the middle of a conversation: a long policy, 13 tools, 20 messages."""
    start = (ChatMessage("system", full_policy()),)
    talk = tuple(ChatMessage(SPEAKERS[n % 2], f"This is what was said in turn {n}. " * 4) for n in range(19))
    return [
        ChatRequest(
            "agent",
            MODEL,
            (*start, *talk, ChatMessage("user", f"question {number}")),
            agent_tools(),
            Sampling(seed=number),
        )
        for number in range(count)
    ]


def door(folder: Path, base: str) -> Door:
    """A door to the server, its cache and journals in `folder`."""
    config = compose("smoke")
    llm = config.llm.model_copy(
        update={
            "cache": str(folder / "cache"),
            "api_bases": {"openai/": base},
            "budget": config.llm.budget.model_copy(update={"calls": 10**6}),
        }
    )
    settings = DoorSettings(llm=llm, prices=config.prices, study_folder=str(folder / "study"))
    return Door(None, settings, folder / "calls.jsonl")


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of one call: on the clock, and of the processor, which other programs do not disturb."""
    # LiteLLM finishes a call in the background; that is not to be counted to the next one.
    time.sleep(PAUSE_S)
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def both_clocks(name: str, times: list[tuple[float, float]]) -> dict[str, float]:
    """Medians of what `timed` measured."""
    return {
        f"{name}_{clock}_ms": round(statistics.median(each[place] for each in times), 2)
        for place, clock in enumerate(("wall", "cpu"))
    }


def measure(calls: int, folder: Path, base: str) -> dict[str, object]:
    """Times of each way of asking."""
    asked = requests(calls)
    ours = door(folder, base)
    ours.complete(requests(calls + 1)[-1])
    import litellm

    from holdcourse.llm.litellm_provider import LitellmProvider

    arguments = LitellmProvider(compose("smoke").llm.model_copy(update={"api_bases": {"openai/": base}}))
    bare: list[tuple[float, float]] = []
    through: list[tuple[float, float]] = []
    for request in asked:
        plain = arguments._arguments(request, 60.0, 0)
        bare.append(timed(partial(litellm.completion, **plain)))
        through.append(timed(partial(ours.complete, request)))
    again = requests(calls)
    start, start_cpu = time.perf_counter(), time.process_time()
    cached = sum(ours.complete(request).cached for request in again)
    hits_s, hits_cpu_s = time.perf_counter() - start, time.process_time() - start_cpu
    return {
        "calls": calls,
        **both_clocks("bare_litellm", bare),
        **both_clocks("door", through),
        **both_clocks("overhead", [(b[0] - a[0], b[1] - a[1]) for a, b in zip(bare, through, strict=True)]),
        "cache_hits": cached,
        "hits_a_second": round(calls / hits_s, 1),
        "hits_a_cpu_second": round(calls / hits_cpu_s, 1),
    }


def main() -> int:
    """Measure, print, and say whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--at-least", type=float, default=300.0, help="cache hits a CPU second")
    parser.add_argument("--at-most", type=float, default=5.0, help="milliseconds over bare litellm")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="wall", help="of the second bound")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    os.environ.setdefault("OPENAI_API_KEY", "not-a-real-key")
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(options.calls, Path(folder), f"http://127.0.0.1:{here.recv()}/v1")
    finally:
        server.terminate()
    print(json.dumps(figures, indent=2))
    if options.output:
        write_json(options.output, figures)
    fast = float(str(figures["hits_a_cpu_second"])) >= options.at_least
    light = float(str(figures[f"overhead_{options.clock}_ms"])) <= options.at_most
    if not (fast and light and figures["cache_hits"] == options.calls):
        print(
            f"wanted {options.at_least:g} hits a second and at most {options.at_most:g} ms", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
