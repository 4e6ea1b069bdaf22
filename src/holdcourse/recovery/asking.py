"""How a model is asked for a node's answer: read strictly, asked again with the reason, at last given up."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, Sampling
from holdcourse.llm.ledger import total_cost
from holdcourse.llm.replies import ReplyError
from holdcourse.recovery.answers import Answer, ClassifyAnswer, DecideAnswer, parse_answer
from holdcourse.recovery.contexts import ClassifyContext, Context, DecideContext
from holdcourse.recovery.envelope import Envelope, read_strict
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.quoting import cut, neutral
from holdcourse.recovery.record import Walk
from holdcourse.recovery.rendering import prompt, prompt_digest
from holdcourse.recovery.walk import Given, walk

Asking = Generator[ChatRequest, ChatReply, Given]
Talking = Generator[ChatRequest, ChatReply, Walk]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which model is asked, by name; `seed` and `trial` go into each request."""

    model: str
    seed: int | None = None
    trial: int = 0


def talk(incident: Incident, settings: RecoveryConfig, backbone: str, asked: Asked) -> Talking:
    """One walk in which a model answers; yields requests, wants replies, returns the record."""
    walking = walk(incident, settings, backbone)
    context = next(walking)
    while True:
        given = yield from ask(context, settings, asked)
        try:
            context = walking.send(given)
        except StopIteration as end:
            finished: Walk = end.value
            return finished


def ask(context: Context, settings: RecoveryConfig, asked: Asked) -> Asking:
    """One node; asked again, with what was wrong, until an answer can be acted on or attempts run out."""
    messages = prompt(context, settings)
    sampling = Sampling(settings.sampling.temperature, settings.sampling.max_tokens, asked.seed)
    request = ChatRequest("recovery", asked.model, messages, sampling=sampling, trial=asked.trial)
    digest = prompt_digest(messages)
    replies: list[ChatReply] = []
    refused: list[str] = []
    answer: Answer | None = None
    reasoning = ""
    while answer is None and len(replies) < settings.reply_attempts:
        reply = yield request
        replies.append(reply)
        try:
            envelope, answer = _read(context, reply)
            reasoning = envelope.reasoning
        except ReplyError as error:
            refused.append(error.reason)
            # Always to the first prompt: a history of bad replies would only grow.
            request = _again(request, messages, reply, error.reason, settings.limits.refused)
    return Given(
        answer=answer,
        prompt_digest=digest,
        reasoning=reasoning,
        attempts=len(replies),
        refused=tuple(refused),
        prompt_tokens=sum(reply.usage.prompt_tokens for reply in replies),
        completion_tokens=sum(reply.usage.completion_tokens for reply in replies),
        cost_usd=total_cost(reply.cost_usd for reply in replies),
        seconds=sum(reply.latency_s for reply in replies),
    )


def check(context: Context, answer: Answer) -> None:
    """Whether an answer can be about what was asked.

    Raises:
        ReplyError: a verdict on another step, or a rollback to a step that does not exist.
    """
    match context, answer:
        case ClassifyContext(), ClassifyAnswer() if answer.step != context.step.number:
            raise ReplyError(f'"step" is {answer.step}, but step {context.step.number} was asked about')
        case DecideContext(), DecideAnswer() if (answer.target or 0) > context.last_step:
            raise ReplyError(f'"rollback_to_step" is {answer.target}; the last step is {context.last_step}')


def _read(context: Context, reply: ChatReply) -> tuple[Envelope, Answer]:
    if reply.stop_reason == "length":
        raise ReplyError("the reply was cut off before its end; answer more briefly")
    if reply.stop_reason == "refusal":
        raise ReplyError("the reply was a refusal")
    envelope = read_strict(reply.content or "")
    answer = parse_answer(context.node, envelope.answer)
    check(context, answer)
    return envelope, answer


def _again(
    request: ChatRequest, first: tuple[ChatMessage, ...], reply: ChatReply, reason: str, limit: int
) -> ChatRequest:
    said = cut((reply.content or "").encode(errors="replace").decode().strip(), limit) or "(no text)"
    # The reason may quote the reply, and the reply may quote the agent's world.
    correction = (
        f"That reply cannot be used: {cut(neutral(reason), limit)}. Answer again, with exactly one "
        "<reasoning> and then one <answer> in the form asked for, and nothing else."
    )
    turns = (ChatMessage("assistant", said), ChatMessage("user", correction))
    return replace(request, messages=(*first, *turns))
