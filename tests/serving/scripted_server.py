"""A server that behaves as its arguments say; what a keeper keeps in the tests. Loopback only."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--name", default="small")
    parser.add_argument(
        "--record", type=Path, help="folder in which each start leaves a file named by its pid"
    )
    parser.add_argument("--ready-after", type=float, default=0.0)
    parser.add_argument("--end-at-once", action="store_true")
    parser.add_argument("--deaf", action="store_true", help="ignore SIGTERM")
    parser.add_argument("--with-child", action="store_true", help="start a process of its own")
    given = parser.parse_args()
    if given.record:
        (given.record / str(os.getpid())).write_text(json.dumps(sorted(os.environ)))
    if given.end_at_once:
        print("no weights here", flush=True)
        sys.exit(3)
    if given.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if given.with_child:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        (given.record / "child").write_text(str(child.pid))
    ready_at = time.monotonic() + given.ready_after

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ready = time.monotonic() >= ready_at
            body = json.dumps({"data": [{"id": given.name}]}).encode()
            self.send_response(200 if ready else 503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    ThreadingHTTPServer(("127.0.0.1", given.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
