"""What the tests of training share: a tiny policy, made once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from holdcourse.training.base_model import BaseModel


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> BaseModel:
    """A checkpoint of a random policy; skipped without the packages of training."""
    pytest.importorskip("trl", reason="training needs the extra `training`")
    import torch
    from tests.training.tiny_policy import make

    torch.set_num_threads(1)
    folder: Path = tmp_path_factory.mktemp("tiny")
    return make(folder)
