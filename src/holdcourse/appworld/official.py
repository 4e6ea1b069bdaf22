"""AppWorld's own data as a world: its tasks in the form of our manifest (`world=official`).

Nothing is copied: the world is a root of its own over the user's download, so that variants and outputs
leave that download alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from holdcourse.appworld.engine_environment import official_tasks
from holdcourse.drift.kinds import kind_of
from holdcourse.drift.records import Call, call_record

SPLITS = {"evaluation": "test_normal", "pool": "train"}
"""Which dataset of AppWorld's serves as which split of ours."""

SURFACES = {
    "gmail": "mail",
    "simple_note": "note",
    "file_system": "file",
    "todoist": "todo",
    "phone": "text_message",
    "venmo": "venmo_feed",
    "splitwise": "expense",
    "spotify": "playlist",
}
"""Where a text is planted in an app that a task uses; which of the agent's steps prints it is not known."""

_SECRETS = ("token", "password", "card_number", "cvv_number", "code")
_FIELD = re.compile(r"\{(\w+)\}")


def manifest(root: Path) -> dict[str, object]:
    """The manifest of AppWorld's own data under a root.

    Raises:
        EngineError: a dataset is missing.
    """
    operations = _operations(root)
    rows = [
        _row(root, task_id, split, operations)
        for split, dataset in SPLITS.items()
        for task_id in official_tasks(root, dataset)
    ]
    version = root / "data" / "version.txt"
    return {
        "identity": f"official-{version.read_text().strip() if version.exists() else 'unknown'}",
        "seed": None,
        "appworld": version.read_text().strip() if version.exists() else None,
        "people": [],
        "tasks": rows,
        "checksums": {},
    }


def _row(
    root: Path, task_id: str, split: str, operations: Sequence[tuple[str, re.Pattern[str], str, str]]
) -> dict[str, object]:
    folder = root / "data" / "tasks" / task_id
    truth = folder / "ground_truth"
    specs = cast("Mapping[str, object]", json.loads((folder / "specs.json").read_text()))
    person = cast("Mapping[str, str]", specs.get("supervisor") or specs["main_user"])
    requests = _optional(truth / "api_calls.json") or []
    calls = [_call(request, operations) for request in cast("Sequence[Mapping[str, object]]", requests)]
    known = [call for call in calls if call is not None]
    apps = _optional(truth / "required_apps.json") or sorted(
        {call.app for call in known} - {"supervisor", "api_docs"}
    )
    scenario = task_id.split("_")[0]
    writes = any(call.kind == "write" for call in known)
    return {
        "task_id": task_id,
        # A generator of theirs is what a template is of ours.
        "template": scenario,
        "scenario": scenario,
        "split": split,
        "difficulty": cast("Mapping[str, int]", _optional(truth / "metadata.json") or {}).get(
            "difficulty", 1
        ),
        "instruction": specs["instruction"],
        "wording": 0,
        "values": {},
        "person": person["email"],
        "apps": apps,
        "reads_only": not writes if known else _optional(truth / "answer.json") is not None,
        "reference_calls": [call_record(call) for call in known],
        "surfaces": {SURFACES[app]: 0 for app in cast("Sequence[str]", apps) if app in SURFACES},
    }


def _optional(path: Path) -> object:
    return json.loads(path.read_text()) if path.exists() else None


def _operations(root: Path) -> list[tuple[str, re.Pattern[str], str, str]]:
    """Method, pattern of the path, app and name of each documented operation; fixed paths before patterns."""
    found = []
    for file in sorted((root / "data" / "api_docs" / "standard").glob("*.json")):
        for name, doc in json.loads(file.read_text()).items():
            pattern = _FIELD.sub(r"(?P<\1>[^/]+)", doc["path"])
            found.append(
                (len(_FIELD.findall(doc["path"])), doc["method"], re.compile(pattern), doc["app_name"], name)
            )
    return [entry[1:] for entry in sorted(found, key=lambda entry: entry[0])]


def _call(
    request: Mapping[str, object], operations: Sequence[tuple[str, re.Pattern[str], str, str]]
) -> Call | None:
    """A request of the solution as a call; None for one that no document names."""
    method, url = str(request["method"]).upper(), str(request["url"]).split("?")[0]
    for documented, pattern, app, api in operations:
        match = pattern.fullmatch(url) if documented == method else None
        if match:
            in_path = {
                name: int(value) if value.isdigit() else value for name, value in match.groupdict().items()
            }
            given = {**in_path, **cast("Mapping[str, object]", request.get("data") or {})}
            kept = {name: value for name, value in given.items() if not name.endswith(_SECRETS)}
            return Call(app, api, kept, kind_of(api, method, pattern.pattern), succeeded=True)
    return None
