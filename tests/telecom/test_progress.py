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
    assert capsys.readouterr().err == "simulations: 2 of 101 done, 6.0 a minute, 16 min 30 s left\n"


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


def line_after(costs, monkeypatch, total=4, seconds=2.0):
    """The line of a job that began at 0 s, after items of the given costs."""
    monkeypatch.setattr(progress_room.time, "monotonic", lambda: 0.0)
    progress = Progress("simulations", total=total, done=0)
    for cost in costs:
        progress.advance(cost)
    monkeypatch.setattr(progress_room.time, "monotonic", lambda: seconds)
    return progress.line()


def test_money_is_told_with_what_the_rest_will_cost(monkeypatch):
    line = line_after([0.50, 1.00], monkeypatch)
    assert line == "2 of 4 done, 1.0 a second, $1.50 spent, about $1.50 to go, 2 s left"


def test_what_is_done_has_nothing_to_go(monkeypatch):
    assert line_after([0.25] * 4, monkeypatch) == "4 of 4 done, 2.0 a second, $1.00 spent"


def test_an_unknown_price_is_never_a_sum(monkeypatch):
    assert "cost unknown (at least $0.50)" in line_after([0.50, None], monkeypatch)
    assert "cost unknown" in line_after([None], monkeypatch)
    assert "$" not in line_after([None], monkeypatch)


def test_where_all_is_free_no_money_is_told(monkeypatch):
    assert "$" not in line_after([0.0, 0.0], monkeypatch)
