"""How each command of the engine's side starts: the engine told its root, errors told without a traceback."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
import warnings
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NoReturn

from holdcourse.errors import HoldcourseError


def at_root(root: Path) -> None:
    """Make a folder the engine's root. Nothing of the engine's apps may have been imported before.

    Raises:
        HoldcourseError: the engine would take the path for something else.
    """
    # The engine takes any path with this word for a database in memory.
    if "memory" in str(root.resolve()):
        raise HoldcourseError(
            f"{root}: the path of a world must not contain the word 'memory'; choose another folder"
        )
    warnings.filterwarnings("ignore")
    os.environ["APPWORLD_ROOT"] = str(root.resolve())
    from appworld import update_root

    update_root(str(root.resolve()))


def told(line: str) -> None:
    """Tell of progress, on standard error."""
    print(line, file=sys.stderr, flush=True)


def without_traceback(main: Callable[[], None]) -> NoReturn:
    """Run a command and end the process: 0 when done, 1 with one message when it cannot be done."""
    try:
        main()
    except HoldcourseError as error:
        told(f"error: {error}")
        _end(1)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        _tell_full(error.filename)
    except sqlite3.OperationalError as error:
        # "database or disk is full", "disk I/O error"
        if "disk" not in str(error):
            raise
        _tell_full(None)
    except BrokenProcessPool:
        told("error: a worker was killed, perhaps for want of memory; run it again with fewer workers")
        _end(1)
    _end(0)


def _tell_full(name: str | None) -> NoReturn:
    told(f"error: no space left for {name or 'the databases'}; free some and run it again")
    _end(1)


def _end(status: int) -> NoReturn:
    """End at once: the engine leaves threads and databases behind that would keep the interpreter waiting."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
