"""The schema behind conf/world/: the world in which the drift study's agents act."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from holdcourse.config.section import Count, NonNegative, Section


class WorldConfig(Section):
    """conf/world/: our own world, invented from a seed, or AppWorld's own data.

    Attributes:
        source: "own" or "official".
        seed: decides the people, what they have, and which values the tasks have.
        people: how many there are; eight of them ask nothing, the others share the tasks.
        evaluation: evaluation tasks of difficulty 1, 2 and 3.
        pool: tasks of the training pool.
        root: the folder above AppWorld's own `data`; null takes $APPWORLD_ROOT. Official only.
    """

    source: Literal["own", "official"]
    seed: NonNegative = 7
    people: Annotated[int, Field(ge=10, le=40)] = 30
    evaluation: tuple[Count, Count, Count] = (14, 13, 13)
    pool: Count = 120
    root: str | None = None
