"""All our templates. A template's place decides the ids of its tasks, so that new ones go to the end."""

from __future__ import annotations

from holdcourse.appworld.engine.template import Template
from holdcourse.appworld.engine.templates import (
    across,
    amazon,
    bills,
    files,
    gmail,
    notes,
    phone,
    splitwise,
    spotify,
    todo,
    venmo,
)

ALL: tuple[Template, ...] = (
    *spotify.TEMPLATES,
    *notes.TEMPLATES,
    *phone.TEMPLATES,
    *todo.TEMPLATES,
    *gmail.TEMPLATES,
    *venmo.TEMPLATES,
    *files.TEMPLATES,
    *splitwise.TEMPLATES,
    *amazon.TEMPLATES,
    *across.TEMPLATES,
    *bills.TEMPLATES,
)
