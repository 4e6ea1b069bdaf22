"""AppWorld's licence: nothing protected by it stands in the repository in plain text."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 40
"""Characters from which a sentence of the documentation is nobody's by chance."""


@pytest.fixture(scope="module")
def tracked() -> dict[str, str]:
    """Every text file that git knows or would add, by name."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    texts = {}
    for name in filter(None, listed):
        path = ROOT / name
        if path.is_file() and path.suffix not in (".png", ".svg", ".pdf"):
            texts[name] = path.read_text(encoding="utf-8", errors="replace")
    assert texts
    return texts


def sentences(value: object) -> Iterator[str]:
    """All long texts in a documentation file."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "canary_string":
                yield from sentences(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from sentences(inner)
    elif isinstance(value, str) and len(value) >= LONG_ENOUGH and " " in value:
        yield value


def test_the_canary_stands_nowhere(tracked: dict[str, str], world: Path) -> None:
    entry = next(iter(json.loads((world / "data/api_docs/standard/venmo.json").read_text()).values()))
    canary = entry["canary_string"]
    assert len(canary) > LONG_ENOUGH
    assert [name for name, text in tracked.items() if canary in text] == []
    # Nor its telling part, a long identifier, alone.
    identifier = max(canary.replace(":", " ").split(), key=len)
    assert [name for name, text in tracked.items() if identifier in text] == []


def test_no_sentence_of_the_documentation_stands_anywhere(tracked: dict[str, str], world: Path) -> None:
    documented = {
        sentence
        for path in (world / "data/api_docs/standard").glob("*.json")
        for sentence in sentences(json.loads(path.read_text()))
    }
    assert len(documented) > 400
    everything = "\n".join(tracked.values())
    assert [sentence for sentence in documented if sentence in everything] == []


def test_no_database_and_no_world_is_tracked(tracked: dict[str, str]) -> None:
    kept = ("tests/", "conf/", "docs/", "notebooks/")
    suspicious = [name for name in tracked if name.endswith((".db", ".sqlite", ".bundle"))]
    suspicious += [name for name in tracked if name.endswith(".jsonl") and not name.startswith(kept)]
    assert suspicious == []
