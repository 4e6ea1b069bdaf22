"""llama.cpp's OpenAI-compatible server, by xllamacpp, as a program: it runs until it is told to stop.

This file is run by the Python of another environment (conf/serving/llamacpp.yaml), which has xllamacpp and
not holdcourse: it imports nothing of ours.

    .venv-serving/bin/python llamacpp.py --weights FILE.gguf --name NAME --port 8000
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
from pathlib import Path


def weights_file(named: str) -> Path:
    """The GGUF file that `named` stands for: a path, or `package:NAME` for the one that a package ships."""
    if not named.startswith("package:"):
        return Path(named)
    package = named.removeprefix("package:")
    # Found, not imported: the package may want dependencies that serving its weights does not.
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.gguf"))
    if len(files) != 1:
        sys.exit(f"--weights {named}: found {len(files)} .gguf files in package {package}, expected one")
    return files[0]


def main() -> None:
    """Serve one model on one address until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--context", type=int, default=8192, help="tokens of context for each request")
    parser.add_argument("--parallel", type=int, default=2, help="requests answered at once")
    given = parser.parse_args()
    weights = weights_file(given.weights)
    if not weights.is_file():
        sys.exit(f"--weights {given.weights}: there is no such file")

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.model_alias = {given.name}
    params.hostnames = [given.host]
    params.port = given.port
    params.ui = False
    params.cors_origins = ""
    params.n_parallel = given.parallel
    params.n_ctx = given.context * given.parallel
    params.cpuparams.n_threads = given.threads
    params.cpuparams_batch.n_threads = given.threads
    stop = {signal.SIGTERM, signal.SIGINT}
    # Blocked before the server makes its threads, so that they leave the signals to this one.
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    server = xllamacpp.Server(params)
    print(f"serving {given.name} at {server.listening_address}", flush=True)
    signal.sigwait(stop)


if __name__ == "__main__":
    main()
