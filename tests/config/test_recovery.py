"""conf/recovery/: every choice is named, out-of-range values are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from holdcourse.config.compose import group_choices
from holdcourse.config.recovery import RecoveryConfig, named_settings
from holdcourse.errors import HoldcourseError


@pytest.mark.parametrize("name", group_choices("recovery"))
def test_every_file_of_the_group_is_usable(name: str) -> None:
    settings = named_settings(name)
    assert settings.streak == 2
    assert RecoveryConfig.model_validate(settings.model_dump()) == settings


def test_the_papers_size_is_table_5() -> None:
    assert named_settings("paper").sampling.max_tokens == 700
    assert not named_settings("paper").example


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(HoldcourseError, match="conf/recovery/ has paper, short"):
        named_settings("long")


@pytest.mark.parametrize(
    "change",
    [
        {"streak": 0},
        {"reply_attempts": 0},
        {"reply_attempts": 11},
        {"max_steps": 0},
        {"wording": "long"},
        {"k": 2},
        {"limits": {"task": 10}},
    ],
)
def test_values_out_of_range_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RecoveryConfig.model_validate({**named_settings("short").model_dump(), **change})
