"""One role's model and how it decodes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from holdcourse.config.section import Count, Section


class RoleModel(Section):
    """One role's model and its decoding."""

    model: str
    temperature: Annotated[float, Field(ge=0.0, le=2.0)]
    max_tokens: Count | None
