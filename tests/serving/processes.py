"""Looking at processes from outside."""

import time
from collections.abc import Callable
from pathlib import Path


def is_alive(process: int) -> bool:
    """Whether a process runs; a dead one that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Whether a condition comes true within some time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def starts(record: Path) -> list[int]:
    """Process ids of all starts so far."""
    return sorted(int(path.name) for path in record.iterdir() if path.name.isdigit())


def all_gone(record: Path) -> bool:
    """Whether no started server runs any more."""
    return not any(is_alive(process) for process in starts(record))
