"""A policy in this process that answers many requests at once: the recovery graph's small model.

All requests of a call are answered as one batch. An answer depends, but for rounding, on its own request
alone; the door's cache and ledger are not in the way, since nothing is spent and nothing leaves the machine.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

from holdcourse.llm.chat import ChatReply, ChatRequest, Usage
from holdcourse.training.intrinsic import Policy
from holdcourse.training.merged_sampler import completion_seed
from holdcourse.training.prompt_length import chat_tokens
from holdcourse.training.shared_prompt import sample

USUAL_MAX_TOKENS = 700
"""Table 5's completion length, for a request that sets none."""


class PolicyBatch:
    """Answers requests by a loaded policy, at most `rows` at a time."""

    def __init__(self, policy: Policy, rows: int = 16) -> None:
        self._policy = policy
        self._rows = rows

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        """One reply a request, in order; those of like decoding are answered together."""
        prompts = [self._tokens(request) for request in requests]
        alike: dict[tuple[float, int], list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            sampling = request.sampling
            alike[sampling.temperature, sampling.max_tokens or USUAL_MAX_TOKENS].append(place)
        replies: dict[int, ChatReply] = {}
        for (temperature, limit), places in alike.items():
            ordered = sorted(places, key=lambda place: (len(prompts[place]), place))
            for start in range(0, len(ordered), self._rows):
                batch = ordered[start : start + self._rows]
                replies |= self._batch(requests, prompts, batch, temperature, limit)
        return [replies[place] for place in range(len(requests))]

    def _batch(
        self,
        requests: Sequence[ChatRequest],
        prompts: Sequence[Sequence[int]],
        places: Sequence[int],
        temperature: float,
        limit: int,
    ) -> dict[int, ChatReply]:
        started = time.perf_counter()
        groups = sample(
            self._policy.model,
            [prompts[place] for place in places],
            [[completion_seed(requests[place].sampling.seed, requests[place].trial)] for place in places],
            max_tokens=limit,
            temperature=temperature,
            ends=self._policy.ends,
        )
        seconds = time.perf_counter() - started
        return {
            place: ChatReply(
                content=self._policy.tokenizer.decode(one.tokens, skip_special_tokens=True),
                tool_calls=(),
                stop_reason="stop" if one.finished else "length",
                usage=Usage(len(prompts[place]), len(one.tokens)),
                cost_usd=0.0,
                latency_s=seconds / len(places),
            )
            for place, (one,) in zip(places, groups, strict=True)
        }

    def _tokens(self, request: ChatRequest) -> list[int]:
        return chat_tokens(request.messages, self._policy.tokenizer)
