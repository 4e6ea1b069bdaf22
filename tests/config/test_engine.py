from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from holdcourse.config.engine import EngineConfig, EngineLimits


def test_the_file_says_what_the_schema_takes_by_itself() -> None:
    text = (Path(__file__).parents[2] / "conf" / "engine" / "default.yaml").read_text()
    assert EngineConfig.model_validate(yaml.safe_load(text)) == EngineConfig()


@pytest.mark.parametrize("wrong", [{"execute_s": 0}, {"port": 70_000}, {"memory_mb": 1}, {"executes": 1}])
def test_a_bound_that_bounds_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        EngineLimits.model_validate(wrong)
