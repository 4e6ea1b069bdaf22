"""The prompts of the evolution roles: jinja2 templates in prompts/, data given in quoted blocks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from holdcourse.llm.chat import ChatMessage, Role
from holdcourse.llm.replies import json_block, quote_block
from holdcourse.llm.templates import prompt_templates

PROMPTS = Path(__file__).parent / "prompts"


def render(role: Role, blocks: Mapping[str, JsonValue]) -> tuple[ChatMessage, ChatMessage]:
    """The system and the user message of a role.

    Args:
        role: its templates are prompts/{role}.system.j2 and prompts/{role}.user.j2.
        blocks: tag to content; a string is given as it is, anything else as JSON.

    Raises:
        jinja2.UndefinedError: the template names a block that is not given.
    """
    quoted = {
        tag: quote_block(tag, content) if isinstance(content, str) else json_block(tag, content)
        for tag, content in blocks.items()
    }
    system = prompt_templates(PROMPTS).get_template(f"{role}.system.j2").render()
    user = prompt_templates(PROMPTS).get_template(f"{role}.user.j2").render(quoted)
    return ChatMessage("system", system), ChatMessage("user", user)
