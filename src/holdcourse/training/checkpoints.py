"""States of a training run that it can go on from: which are whole, and which are kept.

A state is whole once `complete.json` stands in its folder, which is written last and removed first, and the
files that it names are there. What a kill left half written is removed when the run goes on.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object, write_json

ADAPTER_FILES = ("adapter_config.json", "adapter_model.safetensors")
"""The files of an adapter, as PEFT names them."""

_MARK = "complete.json"
_PREFIX = "checkpoint-"


@dataclass(frozen=True)
class Checkpoints:
    """The states of one run, in a folder of its own."""

    folder: Path

    def at(self, step: int) -> Path:
        """The folder of a step's state."""
        return self.folder / f"{_PREFIX}{step}"

    def complete(self, step: int) -> None:
        """Mark a state as whole; nothing is written to it afterwards."""
        folder = self.at(step)
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != _MARK]
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
        write_json(folder / _MARK, {"step": step, "files": sizes})

    def steps(self) -> list[int]:
        """Steps with a whole state, in order."""
        return sorted(filter(self._whole, self._all()))

    def remove_partial(self) -> None:
        """Remove states that were being written when a run was killed."""
        for step in self._all() - set(self.steps()):
            self._remove(step)

    def remove_after(self, step: int) -> None:
        """Remove the states after a step, which a run will make again."""
        for later in self._all():
            if later > step:
                self._remove(later)

    def prune(self, keep: int, best: int) -> None:
        """Keep the newest `keep` states, and the newest one up to the step `best`."""
        steps = self.steps()
        wanted = {*steps[-keep:], *[step for step in steps if step <= best][-1:]}
        for step in set(steps) - wanted:
            self._remove(step)

    def up_to(self, last: int) -> int | None:
        """The newest whole state up to a step; None if there is none."""
        return max((step for step in self.steps() if step <= last), default=None)

    def _whole(self, step: int) -> bool:
        folder = self.at(step)
        try:
            files = read_object(folder / _MARK).get("files")
        except HoldcourseError:
            return False
        return isinstance(files, dict) and all(
            (folder / name).is_file() and (folder / name).stat().st_size == size
            for name, size in files.items()
        )

    def _remove(self, step: int) -> None:
        (self.at(step) / _MARK).unlink(missing_ok=True)
        shutil.rmtree(self.at(step))

    def _all(self) -> set[int]:
        names = [path.name.removeprefix(_PREFIX) for path in self.folder.glob(f"{_PREFIX}*") if path.is_dir()]
        return {int(name) for name in names if name.isdecimal()}
