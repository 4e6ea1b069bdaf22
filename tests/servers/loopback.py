"""A small HTTP server on 127.0.0.1: bounded, threaded, able to misbehave on purpose."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

MAX_BODY_BYTES = 8_000_000
MAX_CONNECTIONS = 256
MAX_DELAY_S = 60.0
IDLE_S = 120.0


@dataclass(frozen=True)
class Asked:
    """One request as it came; header names are lower case, `number` counts from 0."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    number: int

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        """The bearer key that came with the request, or nothing."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass(frozen=True)
class Answer:
    """What goes back.

    `delay_s` waits before the first byte; `drip_s` sends the body byte by byte with such a pause between two,
    which no client's limit on a single read notices; `cut_after` sends so many bytes of the body and then
    resets the connection (0: not even the head is sent).
    """

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    cut_after: int | None = None


class Loopback:
    """Serves `answer` on a free port of the loopback interface while the context is open."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._number = 0
        self.stopping = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def respond(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        with self._lock:
            number = self._number
            self._number += 1
        return self._answer(Asked(method, path, headers, body, number))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, loopback: Loopback) -> None:
        self.loopback = loopback
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request, client_address):
        self._places.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request, client_address):
        """A client that went away is what some tests are about; anything else is a fault of the test."""
        import sys

        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without these two a small answer waits 40 ms for the client's acknowledgement of its head.
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = IDLE_S
    server: _Server

    def do_GET(self):
        self._respond(b"")

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        if size > MAX_BODY_BYTES:
            self.send_error(413)
            return
        self._respond(self.rfile.read(size))

    def _respond(self, body: bytes) -> None:
        loopback = self.server.loopback
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = loopback.respond(self.command, self.path, headers, body)
        if answer.delay_s and loopback.stopping.wait(min(answer.delay_s, MAX_DELAY_S)):
            self._reset()
            return
        if answer.cut_after == 0:
            self._reset()
            return
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if answer.drip_s:
            self._drip(answer)
            return
        self.wfile.write(answer.body[: answer.cut_after])
        self.wfile.flush()
        if answer.cut_after is not None:
            self._reset()

    def _drip(self, answer: Answer) -> None:
        end = time.monotonic() + MAX_DELAY_S
        for byte in answer.body:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.loopback.stopping.wait(answer.drip_s) or time.monotonic() > end:
                self._reset()
                return

    def _reset(self) -> None:
        """Close with a TCP reset, so that the client sees a broken connection and not an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""
