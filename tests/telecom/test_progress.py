import io
import threading

from holdcourse.telecom import progress as progress_room
from holdcourse.telecom.progress import Progress


def test_away_from_a_terminal_the_end_is_told_on_stderr(capsys):
    with Progress("simulations", total=5, done=2) as progress:
        for _ in range(3):
            progress.advance()
    out, err = capsys.readouterr()
    first, last = err.splitlines()
    assert out == ""
    assert first == "simulations: 2 of 5 were done before"
    assert last.startswith("simulations: 5 of 5 done, ")


def test_now_and_then_a_line_says_what_is_left(capsys, monkeypatch):
    clock = iter([0.0, 5.0, 20.0, 20.0, 20.0])
    monkeypatch.setattr(progress_room.time, "monotonic", lambda: next(clock))
    progress = Progress("simulations", total=101, done=0)
    progress.advance()
    assert capsys.readouterr().err == ""
    progress.advance()
    assert capsys.readouterr().err == "simulations: 2 of 101 done, 0.1 a second, 16 min 30 s left\n"


def test_on_a_terminal_a_bar_is_drawn_without_a_thread(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, before = Terminal(), threading.active_count()
    monkeypatch.setattr(progress_room.sys, "stderr", terminal)
    with Progress("simulations", total=3, done=1) as progress:
        assert threading.active_count() == before
        progress.advance()
        progress.advance()
    assert "3/3" in terminal.getvalue()
