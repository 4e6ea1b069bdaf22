"""A whole study with failures, whose providers quote the caller's key: no file holds it afterwards."""

from __future__ import annotations

import base64
import gzip
import os
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.door.conftest import KEY, SIMULATED, environment
from tests.door.study import served
from tests.servers.openai_format import key_refused
from tests.servers.scripted import Scripted
from tests.servers.simulated_models import FAULTS, SimulatedServer
from tests.workflow.conftest import TINY, Clone, copy_sources

SMALLER = "arms=[grace] evaluation.trials=2 evaluation.ks=[1,2] tracking.mode=offline"
REFERENCE = "results/smoke/shift/reference/seed0/evaluation.jsonl"
pytestmark = pytest.mark.slow
HOW = ("llm.budget.calls=1", "llm.mode=replay", "llm.call_timeout_s=7", "llm.concurrency.max=32")
"""How models are reached; nothing of it may run a finished study again."""

SPELLINGS = (
    KEY.encode(),
    quote(KEY, safe="").encode(),
    base64.b64encode(KEY.encode()),
    KEY.encode("utf-16-le"),
    KEY.replace("/", "\\/").encode(),
    KEY[-12:].encode(),
)


class KeyedClone(Clone):
    """A clone run by someone who holds the key and lets W&B write."""

    @property
    def environment(self) -> dict[str, str]:
        kept = environment(OPENAI_API_KEY=KEY, WANDB_MODE="offline")
        return {**kept, "PYTHONPATH": str(self.root / "src"), "HOLDCOURSE_CONF": str(self.root / "conf")}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """First the key is refused, then the study runs to its end among faults; both with every trace on."""
    clone = KeyedClone(copy_sources(tmp_path_factory.mktemp("keyed")).root)
    with Scripted(key_refused) as refusing:
        overrides = " ".join((TINY, SMALLER, *served(refusing.api_base)))
        refused = clone.snakemake(REFERENCE, overrides=overrides)
        assert refusing.calls > 0
        assert {asked.key for asked in refusing.asked} == {KEY}
    with SimulatedServer(SIMULATED, faults=tuple(FAULTS), every=11) as server:
        overrides = " ".join((TINY, SMALLER, *served(server.api_base)))
        finished = clone.snakemake("tables", "tracking", "--verbose", overrides=overrides)
        counts = server.counts()
        asked = served(server.api_base.replace("127.0.0.1", "localhost"), *HOW)
        again = clone.snakemake("tables", "tracking", overrides=" ".join((TINY, SMALLER, *asked)))
        assert server.counts() == counts, "another way to the same models asked them again"
    assert "Nothing to be done" in again.stdout + again.stderr, again.stderr[-3000:]
    assert finished.returncode == 0, finished.stderr[-6000:]
    return clone, refused, finished, counts


def test_a_refused_key_ends_the_job_in_one_clear_line(run):
    _, refused, _, _ = run
    assert refused.returncode != 0
    assert "OPENAI_API_KEY" in refused.stdout + refused.stderr


def test_what_the_terminal_shows_does_not_hold_the_key(run):
    _, refused, finished, _ = run
    for text in (refused.stdout, refused.stderr, finished.stdout, finished.stderr):
        assert not any(spelling.decode(errors="ignore") in text for spelling in SPELLINGS)


def test_the_run_met_every_fault_and_asked_nothing_twice(run):
    counts = run[3]
    assert set(counts.faults) == set(FAULTS)
    assert (counts.repeated, counts.strange) == ([], [])


def contents(path: Path):
    """The bytes of a file, and of what is packed into it."""
    content = path.read_bytes()
    yield content
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())


def test_no_file_holds_the_key(run):
    clone = run[0]
    read = []
    for folder, _, names in os.walk(clone.root):
        for name in names:
            path = Path(folder) / name
            if path.is_symlink() or not path.is_file():
                continue
            read.append(path.relative_to(clone.root))
            for content in contents(path):
                found = [spelling for spelling in SPELLINGS if spelling in content]
                assert not found, f"{path} holds the key"
    kinds = {path.parts[0] for path in read}
    assert {"results", ".snakemake"} <= kinds
    assert any(path.name == "cache.db" for path in read)
    assert any(path.suffix == ".wandb" for path in read), (
        "W&B wrote nothing, so that nothing was proved of it"
    )
    assert any(path.name == "calls.jsonl" for path in read)
    assert len([path for path in read if "logs" in path.parts]) > 5
