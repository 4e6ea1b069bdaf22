"""A policy in this process that answers many requests at once: the recovery graph's small model.

All requests of a call are answered as one batch. An answer depends, but for rounding, on its own request
alone, so what was asked before is not asked again: walks from several suspicions of one run, or over several
attacks on one incident, meet the same steps. A journal keeps answers over a kill. The door's cache and ledger
are not in the way, since nothing is spent and nothing leaves the machine.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from holdcourse.journal import Journal
from holdcourse.llm.chat import ChatReply, ChatRequest, Usage
from holdcourse.training.intrinsic import Policy
from holdcourse.training.merged_sampler import completion_seed
from holdcourse.training.prompt_length import chat_tokens
from holdcourse.training.shared_prompt import WORTH_SHARING, sample

log = logging.getLogger(__name__)

USUAL_MAX_TOKENS = 700
"""Table 5's completion length, for a request that sets none."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """All that an answer depends on."""

    prompt: tuple[int, ...]
    temperature: float
    limit: int
    seed: int

    @property
    def key(self) -> str:
        """What a journal calls it."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


class PolicyBatch:
    """Answers requests by a loaded policy, at most `rows` at a time.

    A request that was answered before gets the same reply, with the tokens and seconds that it took then.

    Args:
        policy: who answers.
        rows: requests answered at once.
        kept: takes each reply when it is there, and holds those of a run before that was killed.
    """

    def __init__(self, policy: Policy, rows: int = 16, kept: Journal | None = None) -> None:
        self._policy = policy
        self._rows = rows
        self._kept = kept
        self._known: dict[str, ChatReply] = {}
        if kept is not None:
            self._known = {key: _reply(record) for key, record in kept.done.items()}

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        """One reply a request, in order; those of like decoding are answered together."""
        started = time.perf_counter()
        asked = [self._asked(request) for request in requests]
        keys = [one.key for one in asked]
        alike: dict[tuple[float, int], list[_Asked]] = defaultdict(list)
        for key, one in dict(zip(keys, asked, strict=True)).items():
            if key not in self._known:
                alike[one.temperature, one.limit].append(one)
        for (temperature, limit), new in alike.items():
            for together in _by_beginning(new):
                for start in range(0, len(together), self._rows):
                    self._batch(together[start : start + self._rows], temperature, limit)
        new_ones, seconds = sum(map(len, alike.values())), time.perf_counter() - started
        log.info("%d requests, %d of them new, in %.0f s", len(requests), new_ones, seconds)
        return [self._known[key] for key in keys]

    def _batch(self, batch: Sequence[_Asked], temperature: float, limit: int) -> None:
        started = time.perf_counter()
        groups = sample(
            self._policy.model,
            [one.prompt for one in batch],
            [[one.seed] for one in batch],
            max_tokens=limit,
            temperature=temperature,
            ends=self._policy.ends,
        )
        seconds = time.perf_counter() - started
        for one, (sampled,) in zip(batch, groups, strict=True):
            record: dict[str, JsonValue] = {
                "content": self._policy.tokenizer.decode(sampled.tokens, skip_special_tokens=True),
                "finished": sampled.finished,
                "prompt_tokens": len(one.prompt),
                "completion_tokens": len(sampled.tokens),
                "seconds": seconds / len(batch),
            }
            if self._kept is not None:
                self._kept.append(one.key, record)
            self._known[one.key] = _reply(record)

    def _asked(self, request: ChatRequest) -> _Asked:
        sampling = request.sampling
        # Without chance in it, an answer is the same for every seed.
        seed = completion_seed(sampling.seed, request.trial) if sampling.temperature else 0
        return _Asked(
            tuple(chat_tokens(request.messages, self._policy.tokenizer)),
            sampling.temperature,
            sampling.max_tokens or USUAL_MAX_TOKENS,
            seed,
        )


def _reply(record: Mapping[str, JsonValue]) -> ChatReply:
    return ChatReply(
        content=cast("str", record["content"]),
        tool_calls=(),
        stop_reason="stop" if record["finished"] else "length",
        usage=Usage(cast("int", record["prompt_tokens"]), cast("int", record["completion_tokens"])),
        cost_usd=0.0,
        latency_s=cast("float", record["seconds"]),
    )


def _by_beginning(asked: Sequence[_Asked]) -> list[list[_Asked]]:
    """Prompts that begin alike together, the short ones first; those that begin like no other in one list."""
    found: dict[tuple[int, ...], list[_Asked]] = defaultdict(list)
    for one in sorted(asked, key=lambda one: len(one.prompt)):
        found[one.prompt[:WORTH_SHARING]].append(one)
    single = [alike[0] for alike in found.values() if len(alike) == 1]
    return [*(alike for alike in found.values() if len(alike) > 1), single]
