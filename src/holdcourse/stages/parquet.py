"""Writing a data frame as a parquet file, whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from holdcourse.files import write_bytes


def write_parquet(path: Path, frame: pd.DataFrame) -> None:
    """Write a frame without its index."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    write_bytes(path, buffer.getvalue())
