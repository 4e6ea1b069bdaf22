"""How models are reached, for tests of the stages around the door."""

from holdcourse.config.compose import compose
from holdcourse.config.llm import DoorSettings
from holdcourse.stages.reaching import door_settings


def settings(*overrides: str, study: str = "smoke") -> DoorSettings:
    """The settings that a study's configuration gives."""
    return door_settings(compose(study, overrides))
