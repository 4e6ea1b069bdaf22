"""The server under trouble: each gives a clear outcome, and the next episode is served."""

import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from holdcourse.appworld.engine_environment import EngineError
from holdcourse.appworld.server import EngineServer
from holdcourse.config.engine import EngineLimits

CLIENT = """
import sys, time
from pathlib import Path
from holdcourse.appworld.server import EngineServer

with EngineServer(Path(sys.argv[1]), Path(sys.argv[2]), warm=False) as server:
    with server.episode(sys.argv[3], "killed") as episode:
        print(server.pid, episode.pid, flush=True)
        episode.execute("while True:\\n    pass")
"""


def holds(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether a condition comes to hold in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_an_episode_whose_process_is_killed_is_lost_and_the_next_is_served(
    server: EngineServer, tasks: list[str]
) -> None:
    with server.episode(tasks[0], "killed") as episode:
        episode.execute("x = 1")
        os.kill(episode.pid, signal.SIGKILL)
        with pytest.raises(EngineError, match=r"is over: .*(ended unexpectedly|broke)"):
            episode.execute("print(x)")
        with pytest.raises(EngineError, match="open another"):
            episode.changes()
    with server.episode(tasks[0], "killed") as episode:
        assert episode.execute("print(1)").output == "1\n"


@pytest.mark.slow
def test_a_killed_server_is_started_again(engine_python_path: Path, world: Path, tasks: list[str]) -> None:
    with EngineServer(world, engine_python_path, warm=False) as server:
        first = server.pid
        with server.episode(tasks[0], "lost") as episode:
            inside = episode.pid
            os.kill(first, signal.SIGKILL)
            # The kernel ends the episode with its server.
            assert holds(lambda: not psutil.pid_exists(inside))
            with pytest.raises(EngineError, match="is over"):
                episode.execute("print(1)")
        with server.episode(tasks[0], "found") as episode:
            assert episode.execute("print(1)").output == "1\n"
        assert server.pid != first


def test_a_hang_of_the_engine_itself_ends_in_time(server: EngineServer, tasks: list[str]) -> None:
    with server.episode(tasks[0], "stopped") as episode:
        os.kill(episode.pid, signal.SIGSTOP)
        execution = episode.execute("print(1)")
        assert execution.refused == "stopped while it ran: it did not end within 4 s"
        assert execution.failed
        pid = episode.pid
        assert holds(lambda: not psutil.pid_exists(pid))
        # What was written to disk before can still be judged.
        assert episode.evaluate().total > 0


def test_a_port_that_is_taken_is_named(engine_python_path: Path, world: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = EngineServer(world, engine_python_path, EngineLimits(port=port))
        with pytest.raises(EngineError, match=rf"port {port} cannot be listened on .*port=0"), server:
            pass
    assert server.pid == 0


def test_a_full_disk_loses_the_episode_and_is_named(server: EngineServer, tasks: list[str]) -> None:
    with server.episode(tasks[0], "full") as episode:
        _, hard = resource.prlimit(episode.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(episode.pid, resource.RLIMIT_FSIZE, (100, hard))
        with pytest.raises(EngineError, match="cannot read or write its files"):
            episode.execute("print(1)")
    with server.episode(tasks[0], "full") as episode:
        assert episode.execute("print(1)").output == "1\n"


@pytest.mark.slow
def test_no_process_and_no_file_is_left_after_the_client_is_killed(
    engine_python_path: Path, world: Path, tasks: list[str], tmp_path: Path
) -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(world), str(engine_python_path), tasks[0]],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert client.stdout is not None
    pids = [int(word) for word in client.stdout.readline().split()]
    assert len(pids) == 2
    client.kill()
    client.wait()
    client.stdout.close()
    assert holds(lambda: not any(psutil.pid_exists(pid) for pid in pids))
    assert holds(lambda: list(tmp_path.iterdir()) == [])


@pytest.mark.slow
def test_no_process_and_no_file_is_left_after_an_error(
    engine_python_path: Path, world: Path, tasks: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    server = EngineServer(world, engine_python_path, warm=False)
    pids = []

    def fail() -> None:
        with server, server.episode(tasks[0], "error") as episode:
            pids.extend([server.pid, episode.pid])
            raise RuntimeError("of the client")

    with pytest.raises(RuntimeError, match="of the client"):
        fail()
    assert holds(lambda: not any(psutil.pid_exists(pid) for pid in pids))
    assert list(tmp_path.iterdir()) == []


def test_a_stranger_on_the_port_is_not_answered(server: EngineServer) -> None:
    with socket.create_connection(("127.0.0.1", server._port), timeout=10) as stranger:
        stranger.sendall(b'{"secret":"guessed","do":"open","task_id":"a","experiment":"b"}\n')
        assert stranger.recv(100) == b""


def test_episodes_of_one_task_are_told_apart_by_their_experiment(
    server: EngineServer, tasks: list[str]
) -> None:
    with server.episode(tasks[0], "one") as one:
        with pytest.raises(EngineError, match="name another"), server.episode(tasks[0], "one"):
            pass
        with server.episode(tasks[0], "two") as two:
            one.execute("x = 1")
            assert "NameError" in two.execute("print(x)").output
            assert one.execute("print(x)").output == "1\n"


@pytest.mark.parametrize("experiment", ["", "..", "a/b", "../up", "a" * 101, "-x"])
def test_a_name_that_is_a_path_is_refused(server: EngineServer, tasks: list[str], experiment: str) -> None:
    with pytest.raises(EngineError, match="experiment"), server.episode(tasks[0], experiment):
        pass


@pytest.mark.parametrize("task_id", ["nope_1", "../tasks/x", "", "."])
def test_a_task_that_is_not_there_is_named(server: EngineServer, task_id: str) -> None:
    with pytest.raises(EngineError, match="has no task"), server.episode(task_id, "missing"):
        pass


def test_threads_share_a_server(server: EngineServer, tasks: list[str]) -> None:
    outputs: dict[int, str] = {}

    def work(number: int) -> None:
        with server.episode(tasks[0], f"thread{number}") as episode:
            outputs[number] = episode.execute(f"print({number})").output

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {number: f"{number}\n" for number in range(4)}


def test_a_program_that_is_no_engine_is_named(world: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="make setup"), EngineServer(world, tmp_path / "python"):
        pass
    other = EngineServer(world, Path(sys.executable))
    with pytest.raises(EngineError, match=r"(ended before it was ready|cannot be loaded)"), other:
        pass


def test_a_folder_whose_path_the_engine_misreads_is_refused(engine_python_path: Path, tmp_path: Path) -> None:
    root = tmp_path / "in-memory"
    (root / "data" / "tasks").mkdir(parents=True)
    with pytest.raises(EngineError, match="the word 'memory'"), EngineServer(root, engine_python_path):
        pass


def test_a_folder_without_a_world_is_named(engine_python_path: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="holds no world"), EngineServer(tmp_path, engine_python_path):
        pass


@pytest.mark.slow
def test_nothing_is_written_into_the_home_folder(
    engine_python_path: Path, world: Path, tasks: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with (
        EngineServer(world, engine_python_path, warm=False) as server,
        server.episode(tasks[0], "home") as episode,
    ):
        assert episode.execute("print(1)").output == "1\n"
        assert episode.evaluate().total > 0
    assert list(tmp_path.iterdir()) == []
