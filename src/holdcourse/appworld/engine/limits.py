"""What one episode may use, as the engine's side reads it; `holdcourse.config.engine` has the meanings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import cast


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one episode: seconds, calls, characters, megabytes."""

    execute_s: int
    calls: int
    executions: int
    printed_characters: int
    output_characters: int
    memory_mb: int
    file_mb: int

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Limits:
        """The limits that the client sent."""
        return cls(**{field.name: int(cast("int", given[field.name])) for field in fields(cls)})
