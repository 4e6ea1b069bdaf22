"""The paper's judge: a frozen, stronger model scores content by a rubric a node (§4.6, Appendix B)."""

from __future__ import annotations

import hashlib
import logging
import math
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Literal

from holdcourse.config.role_model import RoleModel
from holdcourse.llm.chat import ChatMessage, ChatModel, ChatReply, ChatRequest, ModelError, Sampling
from holdcourse.llm.replies import ReplyError, parse_object, quote_block
from holdcourse.llm.templates import prompt_templates
from holdcourse.recovery.nodes import NAMES, NODES
from holdcourse.training.judge_cache import JudgeCache, key_of
from holdcourse.training.prompt_rows import PromptRow

log = logging.getLogger(__name__)

PROMPTS = Path(__file__).parent / "prompts"

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_NUMBER = re.compile(r"[01](?:\.[0-9]{1,6})?|\.[0-9]{1,6}")
_COMPLETION_CHARACTERS = 8000
"""A completion of 700 tokens is shorter; of a longer one the judge sees this much and is told so."""


Missing = Literal["no number", "not reached"]
"""Why a completion has no score."""


class LlmJudge:
    """Asks a model for a score in [0, 1].

    Args:
        door: where the model is asked.
        model: the judge's model and decoding.
        attempts: times a reply that is no number is asked for, the first included.
        workers: calls in flight at once.
        known: scores given before.

    `missing` counts why completions have no score.
    """

    def __init__(
        self, door: ChatModel, model: RoleModel, attempts: int, workers: int, known: JudgeCache
    ) -> None:
        self._door = door
        self._model = model
        self._attempts = attempts
        self._workers = workers
        self._known = known
        self.missing: Counter[Missing] = Counter()

    @property
    def name(self) -> str:
        """What tables and cards call it."""
        return llm_name(self._model)

    @property
    def unreached(self) -> int:
        """Scores asked for so far that are missing because the model could not be reached."""
        return self.missing["not reached"]

    def scores(self, questions: Sequence[tuple[PromptRow, str]]) -> list[float | None]:
        """A score for each (prompt, completion); None where the model gave no number or could not be reached.

        Questions already answered, and the same question twice, are asked once; the rest in parallel.

        Raises:
            HoldcourseError: the job must stop: budget, replay, keys.
        """
        unknown = {
            key_of(row, completion): (row, completion)
            for row, completion in questions
            if self._known.find(row, completion) is None
        }
        with ThreadPoolExecutor(self._workers) as pool:
            said = pool.map(lambda question: self._ask(*question), unknown.values())
            for (row, completion), score in zip(unknown.values(), said, strict=True):
                if isinstance(score, float):
                    self._known.keep(row, completion, score)
                else:
                    self.missing[score] += 1
        return [self._known.find(row, completion) for row, completion in questions]

    def _ask(self, row: PromptRow, completion: str) -> float | Missing:
        request = ChatRequest(
            role="judge",
            model=self._model.model,
            messages=judge_messages(row, completion),
            sampling=Sampling(self._model.temperature, self._model.max_tokens),
        )
        for _ in range(self._attempts):
            try:
                reply = self._door.complete(request)
            except ModelError as error:
                log.warning("the judge could not be asked about %s: %s", row.id, error)
                return "not reached"
            score = score_of(reply)
            if score is not None:
                return score
            request = _again(request, reply)
        return "no number"


def llm_name(model: RoleModel) -> str:
    """What tables and cards call the judge that a model is."""
    return f"llm ({model.model})"


def score_of(reply: ChatReply) -> float | None:
    """The score that a reply gives: a number from 0 to 1, alone or as `score` of a JSON object; else None.

    What a reasoning model thinks aloud first, in <think> tags, is passed over. Scores out of range are no
    scores.
    """
    text = _THOUGHT.sub("", reply.content or "").strip()
    if reply.stop_reason != "stop" or not text:
        return None
    if _NUMBER.fullmatch(text):
        value: object = float(text)
    else:
        try:
            value = parse_object(text).get("score")
        except ReplyError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def judge_messages(row: PromptRow, completion: str) -> tuple[ChatMessage, ...]:
    """What the judge is asked: the node's rubric, the prompt and the completion, both quoted as data."""
    shown = completion.encode(errors="replace").decode()
    if len(shown) > _COMPLETION_CHARACTERS:
        shown = f"{shown[:_COMPLETION_CHARACTERS]}\n[{len(shown) - _COMPLETION_CHARACTERS} characters more]"
    system = (
        prompt_templates(PROMPTS).get_template("judge.system.j2").render(node=row.node, name=NAMES[row.node])
    )
    user = (
        prompt_templates(PROMPTS)
        .get_template("judge.user.j2")
        .render(prompt=quote_block("prompt", row.prompt), completion=quote_block("completion", shown))
    )
    return ChatMessage("system", system), ChatMessage("user", user)


def rubrics_digest() -> str:
    """Digest of all rubrics, as 16 hexadecimal digits: a reworded rubric makes another judge."""
    texts = [
        prompt_templates(PROMPTS).get_template("judge.system.j2").render(node=node, name=NAMES[node])
        for node in NODES
    ]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _again(request: ChatRequest, reply: ChatReply) -> ChatRequest:
    said = (reply.content or "").encode(errors="replace").decode().strip() or "(no text)"
    told = 'That is no score. Reply with {"score": x} and nothing else, x a number from 0 to 1.'
    turns = (ChatMessage("assistant", said), ChatMessage("user", told))
    return replace(request, messages=(*request.messages, *turns))
