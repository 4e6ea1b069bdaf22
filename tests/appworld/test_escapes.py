"""Agent code that reaches out is stopped and recorded, and the server answers the next episode."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdcourse.appworld import server as server_module
from holdcourse.appworld.episode import Episode
from holdcourse.appworld.server import EngineServer
from holdcourse.config.engine import EngineLimits
from tests.appworld.engine.agent_code import ENDLESS, ESCAPES, HONEST, RUNTIME


@pytest.fixture(scope="module")
def shared(server: EngineServer, tasks: list[str]) -> Iterator[Episode]:
    """One episode for code that leaves it as it was."""
    with server.episode(tasks[0], "escapes") as episode:
        yield episode


@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES.keys())
def test_an_escape_is_refused_and_recorded(shared: Episode, code: str) -> None:
    execution = shared.execute(code)
    assert execution.refused
    assert execution.refused in execution.output
    assert execution.failed
    assert execution.calls == ()
    assert shared.execute("print(1)").output == "1\n"


@pytest.mark.parametrize("code", RUNTIME.values(), ids=RUNTIME.keys())
def test_what_passes_the_guard_finds_nothing(shared: Episode, code: str) -> None:
    execution = shared.execute(code)
    assert execution.failed or "0x" in execution.output or "class" in execution.output
    assert "environ" not in execution.output


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_honest_code_runs(shared: Episode, code: str) -> None:
    execution = shared.execute(code)
    assert execution.refused is None
    assert not execution.failed, execution.output
    assert "False" not in execution.output


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_what_does_not_end_is_stopped(episode: Episode, code: str) -> None:
    execution = episode.execute(code)
    assert execution.failed
    assert len(execution.output) < 25_000


def test_the_server_answers_the_next_episode(server: EngineServer, tasks: list[str]) -> None:
    with server.episode(tasks[0], "hung") as episode:
        assert "did not end" in str(episode.execute(ENDLESS["loop that swallows"]).refused)
    with server.episode(tasks[0], "hung") as episode:
        assert episode.execute("print(1)").output == "1\n"


def test_a_line_is_no_command_of_the_shell(shared: Episode) -> None:
    for line in ("env", "ls", "pwd", "who", "ls -la", "!id", "%env"):
        execution = shared.execute(line)
        assert execution.failed, line
        assert "PATH" not in execution.output


_MODULES = (
    "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]"
    ".close.__globals__['sys'].modules"
)
_LOADER = "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'FileLoader'][0]"
REACHES = {
    "path": f"{_LOADER}('a', {{truth!r}}).get_data({{truth!r}})",
    "listing": f"{_MODULES}['posix'].listdir('/')",
    "system": f"{_MODULES}['posix'].system('id')",
    "fork": f"{_MODULES}['posix'].fork()",
    "kill": f"{_MODULES}['posix'].kill(1, 0)",
    "socket": f"{_MODULES}['socket'].create_connection(('127.0.0.1', 1))",
    "thread": f"{_MODULES}['_thread'].start_new_thread(print, ())",
    "objects": f"{_MODULES}['gc'].get_objects()",
}


@pytest.fixture(scope="module")
def unguarded(engine_python_path: Path, world: Path) -> Iterator[EngineServer]:
    """A server without the first fence, so that the others stand alone; a key is in the environment."""
    start = (
        "from holdcourse.appworld.engine import serve, shell; shell.refusal = lambda code: None; serve.main()"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_module, "COMMAND", ("-s", "-c", start))
        patch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
        with EngineServer(
            world, engine_python_path, EngineLimits(execute_s=5, grace_s=2), warm=False
        ) as running:
            yield running


def test_the_environment_of_the_engine_holds_no_key(unguarded: EngineServer, tasks: list[str]) -> None:
    with unguarded.episode(tasks[0], "keys") as episode:
        seen = episode.execute(f"print(dict({_MODULES}['os'].environ))")
        assert not seen.failed
        held = Path(f"/proc/{episode.pid}/environ")
        assert not held.is_file() or b"sk-not" not in held.read_bytes()
    assert "sk-not" not in seen.output
    assert "APPWORLD_ROOT" in seen.output


def test_behind_the_guard_the_ground_truth_cannot_be_read(
    unguarded: EngineServer, world: Path, tasks: list[str]
) -> None:
    truth = str(world / "data" / "tasks" / tasks[0] / "ground_truth" / "answer.json")
    with unguarded.episode(tasks[0], "reaches") as episode:
        for name, code in REACHES.items():
            execution = episode.execute(f"print({code.format(truth=truth)})")
            assert execution.failed, name
            assert "not allowed" in execution.output, name
            assert str(execution.refused).startswith("stopped while it ran"), name
        for line in ("open('/etc/passwd')", "eval('1')", "import os", "requester", "builtins.open"):
            assert episode.execute(line).failed, line
        assert episode.evaluate().total > 0
