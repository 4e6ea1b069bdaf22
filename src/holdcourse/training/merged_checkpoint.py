"""A trained policy as one plain checkpoint: base and adapter merged, in the user's cache, by its content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from holdcourse.training.base_model import BaseModel
from holdcourse.training.cache_folder import file_sha256, kept
from holdcourse.training.checkpoints import ADAPTER_FILES

_FORMAT = 1
"""Raised whenever merging would write other weights."""


def merged_name(base: BaseModel, adapter: Path) -> str:
    """What the merged checkpoint is called: the base's short name and a digest of base and adapter.

    Whoever asks a model by this name gets these weights, so that answers may be kept under it.
    """
    parts = [
        base.identity,
        base.version,
        *(file_sha256(adapter / name) for name in ADAPTER_FILES),
        str(_FORMAT),
    ]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{base.identity.rpartition('/')[2].lower()}-trained-{digest[:16]}"


def merged_checkpoint(base: BaseModel, adapter: Path) -> Path:
    """The folder of the merged checkpoint, made unless it is there. `local/FOLDER` asks it in process.

    Raises:
        HoldcourseError: the base cannot be had, or the adapter does not fit it.
    """
    # torch takes seconds to import.
    from holdcourse.training.intrinsic import Policy

    def make(folder: Path) -> None:
        policy = Policy.load(base, adapter, "bfloat16")
        policy.model.save_pretrained(folder)
        policy.tokenizer.save_pretrained(folder)

    return kept(merged_name(base, adapter), make)
