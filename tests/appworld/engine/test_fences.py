"""The fences at run time, each alone, in a process of its own: none of them can be taken down again."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from holdcourse.appworld.engine.enclosure import enclose


def run(code: str, *words: str) -> str:
    """What a program prints; it is not to fail."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def landlock() -> bool:
    """Whether this kernel can enclose a process: tried in a child, for it cannot be undone."""
    if not hasattr(os, "fork"):
        return False
    child = os.fork()
    if child == 0:
        os._exit(0 if enclose(["/"], ["/"]) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


needs_landlock = pytest.mark.skipif(not landlock(), reason="the kernel has no Landlock")

ENCLOSED = """
import socket, sys
from pathlib import Path
from holdcourse.appworld.engine.enclosure import enclose

root = Path(sys.argv[1])
assert enclose([sys.prefix, sys.base_prefix, str(root / "read")], [str(root / "own")])
"""


@needs_landlock
def test_an_enclosed_process_reads_and_writes_what_it_was_given_and_no_more(tmp_path: Path) -> None:
    for name in ("read", "own", "truth"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    out = run(
        ENCLOSED
        + textwrap.dedent("""
        print((root / "read" / "file").read_text())
        (root / "own" / "new").mkdir()
        (root / "own" / "file").write_text("x")
        for act in (
            lambda: (root / "truth" / "file").read_text(),
            lambda: list((root / "truth").iterdir()),
            lambda: (root / "read" / "file").write_text("x"),
            lambda: (root / "read" / "new").mkdir(),
            lambda: Path("/etc/passwd").read_text(),
            lambda: Path("/proc/1/environ").read_bytes(),
            lambda: (root / "own" / "file").rename(root / "truth" / "file"),
        ):
            try:
                act()
            except OSError as error:
                print(type(error).__name__)
            else:
                print("done")
        """),
        str(tmp_path),
    )
    assert out.split()[0] == "read"
    assert len(out.split()) == 8
    assert "done" not in out


@needs_landlock
def test_an_enclosed_process_is_not_undone_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "truth").write_text("secret")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link").symlink_to(tmp_path / "truth")
    out = run(
        ENCLOSED
        + "\ntry:\n    print((root / 'own' / 'link').read_text())\nexcept OSError:\n    print('no')\n",
        str(tmp_path),
    )
    assert out == "no\n"


def test_a_file_that_is_not_there_is_no_obstacle(tmp_path: Path) -> None:
    run(
        """
        import sys
        from holdcourse.appworld.engine.enclosure import enclose
        enclose(["/", sys.argv[1] + "/missing"], [])
        """,
        str(tmp_path),
    )


def test_memory_is_bounded_while_agent_code_runs_and_not_for_the_engine() -> None:
    out = run(
        """
        from holdcourse.appworld.engine.enclosure import limit

        memory = limit(64, 10)
        if memory is None:
            print("MemoryError True")
            raise SystemExit(0)
        try:
            with memory.bounded():
                bytearray(200 * 1024 * 1024)
        except MemoryError:
            print("MemoryError")
        print(len(bytearray(200 * 1024 * 1024)) > 0)
        """
    )
    assert out.split() == ["MemoryError", "True"]


def test_the_size_of_a_file_is_bounded(tmp_path: Path) -> None:
    out = run(
        """
        import sys
        from pathlib import Path
        from holdcourse.appworld.engine.enclosure import limit

        limit(4096, 1)
        try:
            Path(sys.argv[1], "large").write_bytes(bytes(2 * 1024 * 1024))
        except OSError as error:
            print(error.strerror)
        """,
        str(tmp_path),
    )
    assert out == "File too large\n"


def test_a_process_does_not_outlive_a_parent_that_is_gone_already() -> None:
    out = run(
        """
        import os
        from holdcourse.appworld.engine.enclosure import die_with_parent

        child = os.fork()
        if child == 0:
            die_with_parent(os.getppid() + 1)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert out == "1\n"


WATCHED = """
import os, posix, subprocess, socket, sys, threading, _thread, gc, shutil, signal, sqlite3, tempfile, ctypes
from holdcourse.appworld.engine.watch import StoppedError, Watch

watch = Watch([sys.prefix, sys.base_prefix])
"""

ACTS = [
    "open(sys.argv[1])",
    "open(sys.argv[1], 'w')",
    "open(sys.prefix + '/new', 'w')",
    "open(sys.prefix + '/../x')",
    "open(3)",
    "os.open(sys.argv[1], os.O_RDONLY)",
    "os.open(sys.prefix + '/new', os.O_CREAT | os.O_WRONLY)",
    "os.listdir('/')",
    "os.scandir('/')",
    "posix.system('true')",
    "os.fork()",
    "os.kill(os.getppid(), 0)",
    "os.remove(sys.argv[1])",
    "os.rename(sys.argv[1], 'x')",
    "os.mkdir('x')",
    "os.putenv('A', 'b')",
    "os.chdir('/')",
    "subprocess.run(['true'])",
    "socket.socket()",
    "socket.getaddrinfo('localhost', 1)",
    "threading.Thread(target=print).start()",
    "_thread.start_new_thread(print, ())",
    "gc.get_objects()",
    "shutil.rmtree(sys.argv[1])",
    "sqlite3.connect(':memory:')",
    "tempfile.mkdtemp(dir=sys.prefix)",
    "ctypes.CDLL(None)",
    "sys.settrace(print)",
]


def test_what_the_interpreter_reports_is_stopped_and_recorded(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for act in ACTS:
        out = run(
            WATCHED
            + textwrap.dedent(f"""
            with watch.on():
                try:
                    {act}
                except StoppedError as error:
                    stopped = str(error)
                else:
                    stopped = None
            print(stopped)
            print(watch.stopped)
            """),
            str(tmp_path / "file"),
        )
        stopped, recorded = out.splitlines()
        assert stopped.endswith("is not allowed"), act
        assert recorded != "[]", act
        assert (tmp_path / "file").exists()


def test_the_engines_own_work_is_let_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    out = run(
        WATCHED
        + textwrap.dedent("""
        with watch.on():
            with watch.off():
                print(open(sys.argv[1]).read())
                thread = threading.Thread(target=print, args=("thread",))
                thread.start()
                thread.join()
            import wave
            open(os.__file__).close()
        print(open(sys.argv[1]).read(), watch.stopped)
        """),
        str(tmp_path / "file"),
    )
    assert sorted(out.split()) == sorted(["text", "thread", "text", "[]"])
