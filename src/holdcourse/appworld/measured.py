"""What was measured of a world, kept beside it: nothing but the world and our code decides it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.files import read_object, write_json


def kept(path: Path, make: Callable[[Path], None]) -> dict[str, object]:
    """What was measured of a world, measured first if it is not there or was measured by other code."""
    identity = engine_identity()
    if path.is_file():
        found = read_object(path)
        if found.get("made_by") == identity:
            return cast("dict[str, object]", found["found"])
    with tempfile.TemporaryDirectory(prefix="holdcourse-") as folder:
        made = Path(folder, path.name)
        make(made)
        measured = read_object(made)
    write_json(path, {"made_by": identity, "found": measured})
    return dict(measured)
