"""The base of all configuration groups and the ranges that their numbers have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1)]
NonNegative = Annotated[int, Field(ge=0, le=2**31 - 1)]
Seconds = Annotated[float, Field(gt=0.0)]
Dollars = Annotated[float, Field(ge=0.0)]


class Section(BaseModel):
    """Base of all configuration groups: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, allow_inf_nan=False)
