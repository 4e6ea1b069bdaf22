"""What an episode answers: calls, differences, evaluations, checkpoints, on the engine itself."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdcourse.appworld.engine_environment import EngineError
from holdcourse.appworld.episode import Episode
from holdcourse.appworld.server import EngineServer

LOGIN = """profile = apis.supervisor.show_profile()
passwords = {one["account_name"]: one["password"] for one in apis.supervisor.show_account_passwords()}
token = apis.simple_note.login(username=profile["email"], password=passwords["simple_note"])["access_token"]
"""
WRITE = "note = apis.simple_note.create_note(title={title!r}, content='x', access_token=token)"


@pytest.fixture
def logged_in(episode: Episode) -> Episode:
    """An episode that has logged in to the notes."""
    assert not episode.execute(LOGIN).failed
    return episode


def test_the_task_is_told(episode: Episode, tasks: list[str]) -> None:
    task = episode.task
    assert task.task_id == tasks[0]
    assert task.instruction
    assert "@" in task.supervisor.email
    assert task.supervisor.first_name
    assert task.datetime[:2] == "20"


def test_calls_are_told_with_kinds_and_without_secrets(episode: Episode) -> None:
    execution = episode.execute(LOGIN + WRITE.format(title="Told"))
    assert [call.operation for call in execution.calls] == [
        "supervisor.show_profile",
        "supervisor.show_account_passwords",
        "simple_note.login",
        "simple_note.create_note",
    ]
    assert [call.kind for call in execution.calls] == ["read", "read", "auth", "write"]
    assert all(call.succeeded for call in execution.calls)
    assert dict(execution.calls[2].arguments) == {"username": episode.task.supervisor.email}
    assert dict(execution.calls[3].arguments) == {"title": "Told", "content": "x"}
    assert isinstance(execution.responses[3], dict)
    assert "note_id" in execution.responses[3]


def test_a_call_that_fails_is_told_as_failed(logged_in: Episode) -> None:
    execution = logged_in.execute("apis.simple_note.show_note(note_id=987654, access_token=token)")
    assert execution.failed
    assert [call.succeeded for call in execution.calls] == [False]
    quiet = logged_in.execute(
        "x = apis.simple_note.show_note(note_id=987654, access_token=token, raise_on_failure=False)"
    )
    assert not quiet.failed
    assert [call.succeeded for call in quiet.calls] == [False]


def test_a_call_before_an_error_is_told(logged_in: Episode) -> None:
    execution = logged_in.execute("x = apis.simple_note.search_notes(access_token=token)\n1 / 0")
    assert execution.failed
    assert [call.operation for call in execution.calls] == ["simple_note.search_notes"]


def test_reading_changes_nothing_and_writing_shows(logged_in: Episode) -> None:
    assert logged_in.changes() == ()
    logged_in.execute("apis.simple_note.search_notes(access_token=token)")
    assert logged_in.changes() == ()
    logged_in.execute(WRITE.format(title="Shown"))
    assert logged_in.changes() == ("simple_note.Note:+1/~0/-0",)
    logged_in.execute("apis.simple_note.delete_note(note_id=note['note_id'], access_token=token)")
    assert logged_in.changes() == ()


def test_closing_the_task_is_no_change(episode: Episode) -> None:
    assert not episode.execute("print(1)").completed
    assert episode.execute("apis.supervisor.complete_task()").completed
    assert episode.changes() == ()


def test_a_checkpoint_brings_the_databases_back_and_keeps_the_names(logged_in: Episode) -> None:
    logged_in.execute(WRITE.format(title="Before"))
    kept = logged_in.save()
    logged_in.execute("x = 7\n" + WRITE.format(title="After"))
    assert logged_in.changes() == ("simple_note.Note:+2/~0/-0",)
    logged_in.load(kept)
    assert logged_in.changes() == ("simple_note.Note:+1/~0/-0",)
    assert logged_in.execute("print(x)").output == "7\n"
    found = logged_in.execute(
        "print([n['title'] for n in apis.simple_note.search_notes(access_token=token)])"
    )
    assert "Before" in found.output
    assert "After" not in found.output
    # The log goes on, and the doors stay closed.
    assert [call.operation for call in found.calls] == ["simple_note.search_notes"]
    assert logged_in.execute("requester").refused
    logged_in.load(kept)
    assert logged_in.execute(WRITE.format(title="Again")).calls[0].succeeded
    assert logged_in.evaluate().total > 0


def test_a_checkpoint_is_loaded_in_another_episode_of_the_task(
    server: EngineServer, tasks: list[str], logged_in: Episode
) -> None:
    logged_in.execute(WRITE.format(title="Kept"))
    kept = logged_in.save()
    with server.episode(tasks[0], "another") as other:
        other.load(kept)
        assert other.changes() == ("simple_note.Note:+1/~0/-0",)
        assert "NameError" in other.execute("print(note)").output
    with server.episode(tasks[1], "other-task") as other:
        with pytest.raises(EngineError, match="cannot be loaded in an episode of"):
            other.load(kept)
        assert other.changes() == ()


def test_an_evaluation_is_of_the_state_as_it_is(
    server: EngineServer, world: Path, tasks: list[str], logged_in: Episode
) -> None:
    before = logged_in.evaluate()
    assert not before.success
    assert before.passes + len(before.failures) == before.total
    assert logged_in.evaluate() == before
    assert logged_in.execute("print(1)").output == "1\n"


def test_the_clock_of_the_world_stands_still(episode: Episode) -> None:
    now = "print(datetime.datetime.now().isoformat()[:10], DateTime.now().isoformat()[:10])"
    day = episode.task.datetime[:10]
    assert episode.execute(now).output == f"{day} {day}\n"
    episode.load(episode.save())
    assert episode.execute(now).output == f"{day} {day}\n"


def test_a_long_output_is_cut(episode: Episode) -> None:
    execution = episode.execute("print('a' * 30_000)")
    assert not execution.failed
    assert execution.output.endswith("\n[cut: 30001 characters in all]")
    assert len(execution.output) < 20_100


def test_too_many_calls_of_one_step_are_stopped(episode: Episode) -> None:
    execution = episode.execute("for _ in range(200):\n    apis.supervisor.show_profile()")
    assert execution.failed
    assert sum(call.succeeded for call in execution.calls) <= 100


def test_what_an_agent_overwrites_is_its_own(episode: Episode) -> None:
    episode.execute("json = print = None\nimport math\nmath.floor = 3")
    assert episode.execute("import math\nprint = str\nx = math.floor").failed is False
    assert not episode.execute("y = apis.supervisor.show_profile()['email']").failed
    assert episode.evaluate().total > 0


def test_the_same_code_gives_the_same_output(server: EngineServer, tasks: list[str]) -> None:
    code = (
        LOGIN + "print(random.random(), {'b', 'a', 'c'}, apis.simple_note.search_notes(access_token=token))"
    )
    outputs = []
    for number in range(2):
        with server.episode(tasks[0], f"same{number}") as episode:
            outputs.append(episode.execute(code).output)
    assert outputs[0] == outputs[1]


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Path]:
    """Where the engine's own records stay."""
    yield tmp_path / "outputs"
    shutil.rmtree(tmp_path / "outputs", ignore_errors=True)


@pytest.mark.slow
def test_the_engines_own_records_are_kept_where_they_are_asked_for(
    engine_python_path: Path, world: Path, tasks: list[str], recorded: Path
) -> None:
    for _ in range(2):  # a second server takes the folder over
        server = EngineServer(world, engine_python_path, outputs=recorded, warm=False)
        with server, server.episode(tasks[0], "kept") as episode:
            episode.execute("print(1)")
    own = recorded / "experiments" / "outputs" / "kept" / "tasks" / tasks[0]
    assert (own / "dbs" / "gmail.jsonl").is_file()
    assert (own / "logs" / "environment_io.md").is_file()
    assert (recorded / "data").is_symlink()
