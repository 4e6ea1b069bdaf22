"""A server lives exactly as long as somebody uses it, however the users, the server or its keeper end."""

import http.client
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.serving.processes import all_gone, is_alive, starts, wait_until

from holdcourse.serving.plan import ServerPlan, ServingError
from holdcourse.serving.state import read_state
from holdcourse.serving.use import served

JOB = Path(__file__).with_name("one_job.py")


def answers(url: str) -> bool:
    host, _, rest = url.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(rest.partition("/")[0]), timeout=3)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def keeper_of(plan: ServerPlan) -> int:
    state = read_state(plan.folder)
    assert state is not None
    return state.keeper


def status_of(plan: ServerPlan) -> str:
    state = read_state(plan.folder)
    return "" if state is None else state.status


class Job:
    """A job in a process of its own that uses a plan's server."""

    def __init__(self, plan: ServerPlan, folder: Path, name: str) -> None:
        (folder / "plan").write_text(plan.to_json())
        self._told, self._stop = folder / f"{name}.url", folder / f"{name}.stop"
        self.process = subprocess.Popen(
            [sys.executable, str(JOB), str(folder / "plan"), str(self._told), str(self._stop)]
        )

    def url(self) -> str:
        assert wait_until(lambda: self._told.exists() and self._told.read_text() != "")
        return self._told.read_text()

    def end(self) -> int:
        self._stop.touch()
        return self.process.wait(timeout=20)


def test_a_server_runs_as_long_as_it_is_used(plan, record):
    with served(plan()) as url:
        assert url.endswith("/v1")
        assert answers(url)
    assert wait_until(lambda: all_gone(record))
    assert len(starts(record)) == 1


def test_it_is_stopped_when_the_job_fails(plan, record):
    with pytest.raises(ZeroDivisionError), served(plan()):
        raise ZeroDivisionError
    assert wait_until(lambda: all_gone(record))


def test_jobs_on_one_machine_share_a_server_until_the_last_has_left(plan, record, tmp_path):
    jobs = [Job(plan(), tmp_path, name) for name in ("first", "second", "third")]
    urls = {job.url() for job in jobs}
    assert len(urls) == 1
    assert len(starts(record)) == 1
    assert [job.end() for job in jobs[:2]] == [0, 0]
    assert answers(urls.pop())
    assert jobs[2].end() == 0
    assert wait_until(lambda: all_gone(record))


def test_a_killed_job_uses_it_no_more(plan, record, tmp_path):
    job = Job(plan(), tmp_path, "killed")
    job.url()
    job.process.kill()
    job.process.wait()
    assert wait_until(lambda: all_gone(record))


def test_a_killed_keeper_takes_the_server_with_it(plan, record):
    made = plan()

    def kill_keeper() -> None:
        with served(made):
            os.kill(keeper_of(made), signal.SIGKILL)
            assert wait_until(lambda: all_gone(record))

    with pytest.raises(ServingError, match="died while it was used"):
        kill_keeper()


def test_what_the_server_started_ends_with_it(plan, record):
    with served(plan("--with-child")):
        child = int((record / "child").read_text())
        assert is_alive(child)
    assert wait_until(lambda: not is_alive(child))


def test_a_server_that_ignores_the_request_to_end_is_killed(plan, record):
    with served(plan("--deaf", stop_timeout_s=0.2)):
        pass
    assert wait_until(lambda: all_gone(record))


def test_an_unused_server_waits_for_the_next_job(plan, record):
    made = plan(linger_s=30.0)
    with served(made) as first:
        pass
    with served(made) as second:
        assert second == first
    assert len(starts(record)) == 1
    os.kill(keeper_of(made), signal.SIGTERM)
    assert wait_until(lambda: all_gone(record))


def test_a_new_server_is_started_after_the_old_one_was_stopped(plan, record):
    for _ in range(2):
        with served(plan()) as url:
            assert answers(url)
        assert wait_until(lambda: all_gone(record))
    assert len(starts(record)) == 2


def test_a_server_that_dies_is_started_again(plan, record):
    made = plan(restarts=1)
    with served(made):
        os.kill(starts(record)[0], signal.SIGKILL)
        assert wait_until(lambda: len(starts(record)) == 2)
        assert wait_until(lambda: status_of(made) == "ready")
    assert wait_until(lambda: all_gone(record))


def test_a_job_whose_server_died_for_good_fails_and_says_so(plan, record):
    made = plan()

    def kill_server() -> None:
        with served(made):
            os.kill(starts(record)[0], signal.SIGKILL)
            assert wait_until(lambda: status_of(made) == "failed")

    with pytest.raises(ServingError, match="died while it was used: it ended with status -9"):
        kill_server()


def test_the_end_of_the_log_is_told_when_a_server_does_not_start(plan):
    made = plan("--end-at-once")
    told = r"status 3 before it was ready(.|\n)*no weights here"
    with pytest.raises(ServingError, match=told), served(made):
        pytest.fail("there is no server")


def test_a_server_has_a_limited_time_to_become_ready(plan, record):
    made = plan("--ready-after=60", start_timeout_s=0.8)
    with pytest.raises(ServingError, match=r"not ready within 0\.8 s \(/health answers 503\)"), served(made):
        pytest.fail("it is not ready")
    assert all_gone(record)


def test_a_server_of_another_model_is_not_taken_for_ready(plan):
    made = plan("--name=other", start_timeout_s=0.8)
    with pytest.raises(ServingError, match="lists other, not small"), served(made):
        pytest.fail("it serves another model")


def test_a_server_is_given_no_provider_key(plan, record, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "a key")
    monkeypatch.setenv("HF_TOKEN", "for weights")
    with served(plan()):
        names = (record / str(starts(record)[0])).read_text()
    assert "GEMINI_API_KEY" not in names
    assert "PYTHONPATH" not in names
    assert "HF_TOKEN" in names


def test_a_server_without_a_list_of_models_is_asked_for_none(plan):
    with served(plan("--name=other", models_path=None)) as url:
        assert answers(url)
