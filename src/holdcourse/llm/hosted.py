"""The way of one call to a model that is not simulated: cache, budget, limits, provider, ledger.

An answer that the cache holds costs nothing and waits for nobody. Else one caller asks, within the budget of
the study and the limits of the model, as often as `conf/llm/` allows; what comes back is kept unless it is a
refusal or was cut off, and every call leaves a line in the ledger of calls.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from holdcourse.config.llm import DoorSettings
from holdcourse.llm.budget import Budget, Charge, Mean
from holdcourse.llm.cache import CacheEntry, ReplyCache
from holdcourse.llm.call_log import ANSWERED, CUT_OFF, EMPTY, REFUSED, CallLog
from holdcourse.llm.chat import ChatReply, ChatRequest, ToolCall, Usage
from holdcourse.llm.deadline import remaining_s
from holdcourse.llm.failures import CallError, MalformedReplyError, ReplayMissError, TimedOutError
from holdcourse.llm.ledger import LedgerLine, line_of
from holdcourse.llm.limiter import Limiter, Slot
from holdcourse.llm.prices import cost_of, estimated_prompt_tokens
from holdcourse.llm.provider import Answer, Provider
from holdcourse.llm.redaction import redact, secret_names
from holdcourse.llm.retries import FailedTryError, with_retries

USUAL_COMPLETION_TOKENS = 256
"""What an answer is taken to have before the study has measured its own mean."""

_FOREVER_S = 10 * 365 * 86400.0
_FIRST_WORDS = 160


@dataclass
class _Course:
    """What one call has taken so far: tries, and the tokens of all its answers."""

    tries: int = 0
    answers: int = 0
    usage: Usage = field(default_factory=lambda: Usage(0, 0))

    def add(self, usage: Usage) -> None:
        self.answers += 1
        self.usage = Usage(
            self.usage.prompt_tokens + usage.prompt_tokens,
            self.usage.completion_tokens + usage.completion_tokens,
            self.usage.cached_prompt_tokens + usage.cached_prompt_tokens,
        )


class HostedDoor:
    """Answers requests for models that are not simulated. Threads may share one.

    Args:
        settings: conf/llm/, conf/prices/ and the study's folder.
        calls: the ledger of calls of this unit of work; None keeps none.
        provider: makes or finds the provider of a model.
    """

    def __init__(
        self, settings: DoorSettings, calls: Path | None, provider: Callable[[str], Provider]
    ) -> None:
        self._llm = settings.llm
        self._prices = settings.prices
        self._provider = provider
        journal = Path(settings.study_folder) / "journal"
        self._cache = ReplyCache(Path(self._llm.cache)) if self._llm.cache is not None else None
        self._limits = (journal if self._llm.cache is None else Path(self._llm.cache)) / "limits"
        self._budget = Budget(journal / "budget.json", self._llm.budget)
        self._calls = CallLog(calls) if calls is not None else None
        self._limiters: dict[str, Limiter] = {}

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request.

        Raises:
            CallError: it failed for good; its kind says how.
            ReplayMissError: replay, and the cache does not hold the answer.
            BudgetReachedError: the study has spent what it may.
            HoldcourseError: the job must stop for another reason: no key, no such model, no cache.
        """
        if self._cache is None:
            return self._asked(request)
        kept = self._kept(request, self._cache)
        if kept is not None:
            return kept
        if self._llm.mode == "replay":
            raise ReplayMissError(_miss(request, self._llm.cache))
        with self._cache.single_flight(request.digest, remaining_s(_FOREVER_S)):
            return self._kept(request, self._cache) or self._asked(request)

    def _kept(self, request: ChatRequest, cache: ReplyCache) -> ChatReply | None:
        entry = cache.get(request.digest)
        if entry is None:
            return None
        reply = entry.reply.reply(cost_of(self._prices, request.model, entry.reply.usage))
        self._enter(line_of(request, reply), _outcome(reply))
        return reply

    def _asked(self, request: ChatRequest) -> ChatReply:
        estimate = self._budget.reserve(request.role, request.model, partial(self._estimate, request))
        course, started = _Course(), time.monotonic()
        lost = False
        try:
            answer = self._usable(request, course)
        except CallError as error:
            # A call that timed out was most likely answered to nobody, and paid for.
            lost = isinstance(error, TimedOutError) and course.tries > 0
            self._enter(self._failed(request, course, started, lost), error.kind)
            raise
        finally:
            # On every way out; after a kill the estimate stays.
            spent = estimate if lost and not course.answers else self._charge(request, course)
            self._budget.settle(request.role, request.model, estimate, spent)
        reply = _redacted(
            ChatReply(
                content=answer.content,
                tool_calls=answer.tool_calls,
                stop_reason=answer.stop_reason,
                usage=course.usage,
                cost_usd=cost_of(self._prices, request.model, course.usage),
                latency_s=round(time.monotonic() - started, 3),
                attempts=course.tries,
            )
        )
        outcome = _outcome(reply)
        if self._cache is not None and outcome in (ANSWERED, EMPTY):
            self._cache.put(CacheEntry.of(request, reply))
        self._enter(line_of(request, reply), outcome)
        return reply

    def _usable(self, request: ChatRequest, course: _Course) -> Answer:
        """Ask until an answer is neither empty nor malformed; the last empty one is handed back."""
        provider = self._provider(request.model)
        answer: Answer | None = None
        for repeat in range(self._llm.retries.answer_attempts):
            one_try = partial(self._tried, request, provider, repeat, course)
            answer = with_retries(self._llm.retries, one_try)
            course.add(answer.usage)
            if not answer.malformed and not answer.empty:
                break
        if answer is None or answer.malformed:
            problem = answer.malformed if answer is not None else "it was never asked"
            raise MalformedReplyError(f"{request.model} (role {request.role}): {problem}")
        return answer

    def _tried(self, request: ChatRequest, provider: Provider, repeat: int, course: _Course) -> Answer:
        limiter = self._limiter(request.model)
        with self._slot(limiter, request) as slot:
            course.tries += 1
            try:
                answer = provider.ask(request, remaining_s(self._llm.call_timeout_s), repeat)
            except FailedTryError as failed:
                if failed.error.kind == "rate_limited":
                    asked = failed.retry_after_s or 0.0
                    limiter.refused(slot, min(asked, self._llm.retries.longest_retry_after_s))
                raise
            limiter.answered(slot)
        return answer

    @contextmanager
    def _slot(self, limiter: Limiter, request: ChatRequest) -> Iterator[Slot]:
        wait_s = remaining_s(_FOREVER_S)
        try:
            manager = limiter.slot(time.monotonic() + wait_s)
            slot = manager.__enter__()
        except TimeoutError:
            raise TimedOutError(
                f"{request.model} (role {request.role}) had no free place within {wait_s:.0f} s"
            ) from None
        try:
            yield slot
        finally:
            manager.__exit__(None, None, None)

    def _limiter(self, model: str) -> Limiter:
        if model not in self._limiters:
            self._limiters[model] = Limiter(self._limits, model, self._llm.concurrency)
        return self._limiters[model]

    def _estimate(self, request: ChatRequest, mean: Mean | None) -> Charge:
        prompt = estimated_prompt_tokens(request)
        completion = USUAL_COMPLETION_TOKENS if mean is None else round(mean.completion_tokens)
        if request.sampling.max_tokens is not None:
            completion = min(completion, request.sampling.max_tokens)
        dollars = cost_of(self._prices, request.model, Usage(prompt, completion))
        return Charge(1, prompt, completion, dollars)

    def _charge(self, request: ChatRequest, course: _Course) -> Charge | None:
        if not course.answers:
            return None
        usage = course.usage
        dollars = cost_of(self._prices, request.model, usage)
        return Charge(course.answers, usage.prompt_tokens, usage.completion_tokens, dollars)

    def _failed(self, request: ChatRequest, course: _Course, started: float, lost: bool) -> LedgerLine:
        # Nothing was paid for a call that nobody answered; what one that timed out cost, nobody says.
        cost = cost_of(self._prices, request.model, course.usage) if course.answers else 0.0
        cost = None if lost else cost
        return LedgerLine(
            role=request.role,
            model=request.model,
            calls=1,
            prompt_tokens=course.usage.prompt_tokens,
            completion_tokens=course.usage.completion_tokens,
            cost_usd=cost,
            latency_s=round(time.monotonic() - started, 3),
            attempts=course.tries,
            cached=0,
            subject=request.digest[:16],
        )

    def _enter(self, line: LedgerLine, outcome: str) -> None:
        if self._calls is not None:
            self._calls.append(line, outcome)


def _outcome(reply: ChatReply) -> str:
    if reply.stop_reason == "refusal":
        return REFUSED
    if reply.stop_reason == "length":
        return CUT_OFF
    return ANSWERED if reply.tool_calls or (reply.content or "").strip() else EMPTY


def _redacted(reply: ChatReply) -> ChatReply:
    """The reply without keys, should a server send one back."""
    if not secret_names():
        return reply
    content = None if reply.content is None else redact(reply.content)
    return replace(
        reply, content=content, tool_calls=tuple(_redacted_call(call) for call in reply.tool_calls)
    )


def _redacted_call(call: ToolCall) -> ToolCall:
    text = json.dumps(call.arguments, ensure_ascii=False)
    clean = redact(text)
    return call if clean == text else replace(call, arguments=json.loads(clean))


def _miss(request: ChatRequest, cache: str | None) -> str:
    last = request.messages[-1].content or "" if request.messages else ""
    words = " ".join(redact(last).split())
    shown = words if len(words) <= _FIRST_WORDS else words[:_FIRST_WORDS] + " …"
    return (
        f"replay: the cache {cache} does not hold the answer of role {request.role}, model {request.model}, "
        f"trial {request.trial}, request {request.digest}, whose last message begins: {shown!r}. Import "
        "the cache "
        "that the study was run with, check that code and conf/ are the ones it was run with, or ask "
        "live with "
        "llm.mode=live"
    )
