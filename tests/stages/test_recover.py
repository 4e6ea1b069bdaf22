"""`python -m holdcourse.stages.recover trajectory=FILE`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.recovery.made import TASK
from tests.recovery.test_trajectory import REACT, code, said

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl
from holdcourse.recovery.record import walk_of
from holdcourse.stages.recover import main


def written(path: Path, rows: list[object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"trajectory={path}"


def test_a_file_of_messages_is_one_trajectory_suspected_at_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (walk,) = main([written(tmp_path / "run.jsonl", list(REACT))])
    assert (walk.incident_id, walk.suspected_onset) == ("run", 2)
    shown = capsys.readouterr().out
    assert "decision: rollback_before_drift to step 1, by n5" in shown
    assert "n2" in shown


def test_a_file_of_trajectories_has_one_a_line(tmp_path: Path) -> None:
    rows: list[object] = [
        {"id": "first", "messages": REACT, "suspected_onset": 1, "task": TASK},
        {"messages": [*REACT[:5], code("venmo.send_payment")]},
    ]
    out = tmp_path / "walks.jsonl"
    first, second = main([written(tmp_path / "runs.jsonl", rows), f"out={out}"])
    assert (first.incident_id, first.suspected_onset, first.decision.rollback_to_step) == ("first", 1, 1)
    assert (second.incident_id, second.decision.action) == ("runs-2", "escalate_human")
    assert [walk_of(json.loads(line)) for line in out.read_text().splitlines()] == [first, second]


def test_documentation_and_onset_can_be_given(tmp_path: Path) -> None:
    docs = tmp_path / "docs.json"
    # By this documentation, what looks like a payment only reads.
    docs.write_text(json.dumps({"venmo": [{"api": "pay", "method": "GET", "path": "/venmo/pay"}]}))
    history = [*REACT[:4], code("venmo.pay"), said("user", "Output:\nok"), *REACT[2:4]]
    given = [written(tmp_path / "run.jsonl", list(history)), "onset=2", f"task={TASK}"]
    assert main(given)[0].decision.action == "escalate_human"
    assert main([*given, f"docs={docs}"])[0].decision.action == "rollback_before_drift"


@pytest.mark.parametrize(
    ("text", "more", "reason"),
    [
        ("", [], "is empty"),
        ("not json\n", [], "line 1: not JSON"),
        ('{"role": "user", "content": "x"}\n{"role": \n', [], "line 2: not JSON"),
        ("[" * 100_000, [], "line 1: not JSON"),
        ("[1]\n", [], "line 1: expected a JSON object, got list"),
        ('{"role": "wizard", "content": "x"}\n', [], "role 'wizard' is unknown"),
        ('{"role": "user", "content": "x"}\n', [], "has no steps"),
        ('{"role": "assistant", "content": "x"}\n', [], "task must be given"),
        ('{"messages": 5}\n', [], "expected a list of messages"),
        ('{"messages": [], "suspected_onset": "4"}\n', [], "must be a step number"),
        ('{"messages": [], "task": 4}\n', [], '"task" must be a text'),
        (
            '{"role": "assistant", "content": "x"}\n',
            ["task=t", "onset=2"],
            "suspected onset 2 is none of its steps 1 to 1",
        ),
        ('{"role": "assistant", "content": "x"}\n', ["task=t", "onset=soon"], "onset=soon is no step number"),
        (
            '{"role": "assistant", "content": "x"}\n',
            ["task=t", "recovery=none"],
            "conf/recovery/ has paper, short",
        ),
        (
            '{"role": "assistant", "content": "x"}\n',
            ["task=t", "recovery.streek=3"],
            "recovery.streak",
        ),
        ('{"role": "assistant", "content": "x"}\n', ["oops"], "'oops' is no key=value"),
        (
            '{"role": "assistant", "content": "x"}\n',
            ["docs=missing.json"],
            "missing.json does not exist; docs= takes a file",
        ),
    ],
)
def test_what_cannot_be_read_is_one_clear_message(
    tmp_path: Path, text: str, more: list[str], reason: str
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HoldcourseError) as refused:
        main([f"trajectory={path}", *more])
    assert reason in str(refused.value)


def test_missing_and_foreign_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match="does not exist"):
        main([f"trajectory={tmp_path / 'none.jsonl'}"])
    (tmp_path / "latin.jsonl").write_bytes(b'{"role": "user", "content": "\xe9"}\n')
    with pytest.raises(HoldcourseError, match="UTF-8"):
        main([f"trajectory={tmp_path / 'latin.jsonl'}"])
    with pytest.raises(HoldcourseError, match="trajectory=FILE is missing"):
        main([])


def test_what_the_agent_met_cannot_write_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "\x1b[2J[red]boo[/red] "
    main([written(tmp_path / "run.jsonl", [said("user", hostile + TASK), *REACT[2:]])])
    shown = capsys.readouterr().out
    assert "\x1b[2J" not in shown
    assert "[red]boo[/red]" in shown


def test_half_a_surrogate_pair_does_no_harm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "half.jsonl"
    file.write_text(
        '{"role": "user", "content": "like it \\ud800 now"}\n'
        '{"role": "assistant", "content": "print(1) # \\udc00"}\n'
        '{"role": "user", "content": "\\ud83d\\ude00 done"}\n'
    )
    (walk,) = main([f"trajectory={file}", f"out={tmp_path / 'walk.jsonl'}"])
    assert walk.decision.action == "rollback_before_drift"
    assert "like it ? now" in capsys.readouterr().out
    (row,) = read_jsonl(tmp_path / "walk.jsonl")
    assert row["incident_id"] == "half"


def test_the_command_prints_errors_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "holdcourse.stages.recover"]
    failed = subprocess.run(
        [*command, f"trajectory={tmp_path / 'none'}"], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 2
    assert failed.stderr.startswith("error: ")
    assert "Traceback" not in failed.stderr
    helped = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True)
    assert "trajectory=FILE" in helped.stdout


def test_settings_can_be_overridden(tmp_path: Path) -> None:
    history = [*REACT[:4], *REACT[2:4]]
    given = written(tmp_path / "run.jsonl", list(history))
    assert main([given])[0].route == "n1@2 n1@1 n5"
    assert main([given, "recovery.streak=1"])[0].route == "n1@2 n5"


def test_a_simulated_model_can_be_asked(tmp_path: Path) -> None:
    (walk,) = main([written(tmp_path / "run.jsonl", list(REACT)), "model=simulated/recovery"])
    assert walk.backbone == "simulated/recovery"
    assert walk.decision.by == "n5"


def test_an_id_cannot_write_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    messages = [said("user", TASK), said("assistant", "print(1)")]
    row = {"id": "[/bold]\x1b[31mx\ndecision: go", "messages": messages}
    main([written(tmp_path / "one.jsonl", [row])])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert not any(line.startswith("decision: go") for line in printed.splitlines())


@pytest.mark.parametrize("read", ["trajectory", "docs"])
def test_what_is_read_is_never_overwritten(tmp_path: Path, read: str) -> None:
    given = written(tmp_path / "run.jsonl", list(REACT))
    docs = tmp_path / "docs.json"
    docs.write_text("{}")
    target = {"trajectory": tmp_path / "run.jsonl", "docs": docs}[read]
    before = target.read_bytes()
    with pytest.raises(HoldcourseError, match=f"is the file that {read}= reads"):
        main([given, f"docs={docs}", f"out={tmp_path}/../{tmp_path.name}/{target.name}"])
    assert target.read_bytes() == before
