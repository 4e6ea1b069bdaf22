"""The schema behind conf/engine/: the engine's environment, and what one episode may use.

Apart from `printed_characters` and `output_characters`, which an agent sees, nothing here changes a result.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from holdcourse.config.section import Count, Section


class EngineLimits(Section):
    """How long and how large one episode, its steps and its server may be.

    `execute_s` stops code from within, `grace_s` later the process is killed from without, for code that does
    not let itself be stopped. `calls` is per execution. A text that is printed beyond `printed_characters`
    stops the code; what is longer than `output_characters` is cut. `memory_mb` is what an episode may take
    beyond the engine's own, `file_mb` the largest file it may write. `port` 0 takes a free one.
    """

    start_s: Count = 180
    open_s: Count = 60
    execute_s: Count = 60
    grace_s: Count = 5
    answer_s: Count = 60
    calls: Count = 1000
    executions: Count = 1000
    printed_characters: Count = 1_000_000
    output_characters: Count = 20_000
    memory_mb: Annotated[int, Field(ge=64)] = 1024
    file_mb: Count = 256
    port: Annotated[int, Field(ge=0, le=65535)] = 0


class EngineConfig(Section):
    """conf/engine/: where the engine is and what an episode may use.

    `environment` is the folder of its own environment (`make setup` makes .venv-appworld).
    """

    environment: str = ".venv-appworld"
    limits: EngineLimits = EngineLimits()
