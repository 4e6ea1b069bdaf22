"""A whole study of minimal size, run once, in a copy of the sources that tests may edit."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TINY = (
    "arms=[grace,hce] seeds=[0] protocol.heldout_size=3 protocol.batches=1 protocol.batch_size=2 "
    "protocol.max_transfer_expected=1 audit.checkpoints=[1] audit.repeats=1 evaluation.resamples=20 "
    "sensitivity.slopes=[0.0]"
)


@dataclass(frozen=True)
class Clone:
    """A copy of the repository's sources with its own results."""

    root: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "HOLDCOURSE_CONF": str(self.root / "conf"),
            "WANDB_MODE": "disabled",
        }

    def snakemake(
        self, *arguments: str, overrides: str = TINY, study: str = "smoke"
    ) -> subprocess.CompletedProcess:
        command = self.command(*arguments, overrides=overrides, study=study)
        return subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )

    def command(self, *arguments: str, overrides: str = TINY, study: str = "smoke") -> list[str]:
        """The command line of a run of Snakemake."""
        # Without a target the drift study would be run too, which has tests of its own.
        targets = () if any(not word.startswith("-") for word in arguments) else ("report", "tracking")
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments, *targets]
        return [*command, "--config", f"study={study}", f"overrides={overrides}"]

    def planned(self, *arguments: str) -> "Plan":
        """What a dry run would do."""
        done = self.snakemake("--dry-run", *arguments)
        text = done.stdout + done.stderr
        assert done.returncode == 0, text
        counts = re.search(r"^job +count\n[- ]+\n(.*?)^total ", text, flags=re.DOTALL | re.MULTILINE)
        rules = re.findall(r"^(\w+) +\d+$", counts[1], flags=re.MULTILINE) if counts else []
        messages = re.findall(r"^Job \d+: (.*)$", text, flags=re.MULTILINE)
        # What is recorded or drawn afterwards concerns all arms.
        named = [re.search(r"(\w+), (?:seed|slope) ", text) for text in messages if "Record" not in text]
        assert counts or "Nothing to be done" in text, text
        return Plan(frozenset(rules) - {"tracking"}, frozenset(match[1] for match in named if match))


@dataclass(frozen=True)
class Plan:
    """Rules that would run, and the arms that their jobs name."""

    rules: frozenset[str]
    arms: frozenset[str]


def copy_sources(target: Path) -> Clone:
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("src", "conf", "workflow", "profiles"):
        shutil.copytree(ROOT / name, target / name, ignore=ignored, symlinks=True)
    shutil.copy(ROOT / "Snakefile", target)
    return Clone(target)


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Clone:
    """A clone whose tiny study has run."""
    clone = copy_sources(tmp_path_factory.mktemp("clone"))
    done = clone.snakemake()
    assert done.returncode == 0, done.stderr[-6000:]
    return clone


@pytest.fixture
def edited(finished):
    """The finished clone; files edited through it are put back afterwards."""
    before: dict[Path, bytes] = {}

    def edit(name: str, old: str, new: str) -> None:
        path = finished.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {name}"
        before.setdefault(path, path.read_bytes())
        path.write_text(text.replace(old, new), encoding="utf-8")

    yield finished, edit
    for path, content in before.items():
        path.write_bytes(content)
