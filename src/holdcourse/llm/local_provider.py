"""A Hugging Face checkpoint in this process: `local/PATH_OR_ID@REVISION`.

Requests that come at the same time are answered as one batch. Needs the extra `models` (PyTorch and
transformers), which are imported when such a model is first asked.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDoneError
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from holdcourse.llm.chat import ChatRequest, Usage
from holdcourse.llm.failures import (
    ContextLengthError,
    NoProviderError,
    ServerError,
    TimedOutError,
)
from holdcourse.llm.local_format import read_answer, rendered
from holdcourse.llm.provider import Answer
from holdcourse.llm.redaction import redact
from holdcourse.llm.retries import FailedTryError

if TYPE_CHECKING:
    from holdcourse.llm.local_model import LocalModel

PREFIX = "local/"
BATCH = 16
GATHER_S = 0.02
USUAL_MAX_TOKENS = 1024


@dataclass
class Waiting:
    """A request in the queue: its prompt, its limits, and where its answer goes."""

    request: ChatRequest
    ends_at: float
    seed: int
    answer: Future[Answer] = field(default_factory=Future)


class LocalProvider:
    """Asks checkpoints in this process, each loaded once and served by one thread."""

    def __init__(self) -> None:
        self._queues: dict[str, SimpleQueue[Waiting]] = {}
        self._loading = threading.Lock()

    def ask(self, request: ChatRequest, timeout_s: float, repeat: int) -> Answer:
        """Ask once; see `Provider.ask`. Loading the checkpoint does not count to the time limit."""
        with self._loading:
            if request.model not in self._queues:
                self._queues[request.model] = _serving(request.model)
        waiting = Waiting(request, time.monotonic() + timeout_s, (request.sampling.seed or 0) + repeat)
        self._queues[request.model].put(waiting)
        try:
            return waiting.answer.result(timeout_s + 60.0)
        except NotDoneError:
            raise FailedTryError(_timed_out(request, timeout_s), again=False) from None


def checkpoint_of(model: str) -> tuple[str, str | None]:
    """Path or id, and revision, that a model's name stands for."""
    name = model.removeprefix(PREFIX)
    place, at, revision = name.rpartition("@")
    return (place, revision) if at and "/" not in revision else (name, None)


def _serving(model: str) -> SimpleQueue[Waiting]:
    try:
        from holdcourse.llm.local_model import LocalModel
    except ImportError as error:
        raise NoProviderError(
            f"model {model} runs in this process and needs PyTorch and transformers ({error}); install "
            "them with "
            "`pip install holdcourse[models]`, or serve the model and name its server in llm.api_bases"
        ) from error
    place, revision = checkpoint_of(model)
    try:
        loaded = LocalModel.load(place, revision)
    except (OSError, ValueError, KeyError) as error:
        raise NoProviderError(
            f"model {model}: {place!r} is no checkpoint that transformers can load "
            f"({redact(str(error))}); give a "
            "folder, or the id of a model on the hub, and @REVISION for a revision"
        ) from error
    queue: SimpleQueue[Waiting] = SimpleQueue()
    threading.Thread(target=_serve, args=(loaded, queue), daemon=True, name=model).start()
    return queue


def _serve(model: LocalModel, queue: SimpleQueue[Waiting]) -> None:
    while True:
        _answer(model, _gathered(queue))


def _gathered(queue: SimpleQueue[Waiting]) -> list[Waiting]:
    """The next request, and those that come right after it."""
    batch = [queue.get()]
    until = time.monotonic() + GATHER_S
    while len(batch) < BATCH:
        try:
            batch.append(queue.get(timeout=max(0.0, until - time.monotonic())))
        except Empty:
            break
    return batch


def _answer(model: LocalModel, batch: list[Waiting]) -> None:
    prompts: list[list[int]] = []
    fitting: list[Waiting] = []
    for waiting in batch:
        request = waiting.request
        prompt = model.tokens(rendered(request, model.tokenizer))
        if len(prompt) >= model.context:
            error = ContextLengthError(
                f"{request.model} (role {request.role}): the prompt has {len(prompt)} tokens, the model "
                "takes "
                f"{model.context}"
            )
            waiting.answer.set_exception(FailedTryError(error, again=False))
        else:
            fitting.append(waiting)
            prompts.append(prompt)
    if not fitting:
        return
    try:
        completions = model.generate(
            prompts,
            limits=[waiting.request.sampling.max_tokens or USUAL_MAX_TOKENS for waiting in fitting],
            temperatures=[waiting.request.sampling.temperature for waiting in fitting],
            seeds=[waiting.seed for waiting in fitting],
            ends_at=[waiting.ends_at for waiting in fitting],
        )
    except Exception as error:
        if len(fitting) > 1:
            # Most likely too little memory for all at once.
            for waiting in fitting:
                _answer(model, [waiting])
            return
        request = fitting[0].request
        failure = ServerError(f"{request.model} (role {request.role}): {redact(str(error))}")
        fitting[0].answer.set_exception(FailedTryError(failure, again=False))
        return
    for waiting, prompt, completion in zip(fitting, prompts, completions, strict=True):
        if completion.timed_out:
            failed = FailedTryError(_timed_out(waiting.request, None), again=False)
            waiting.answer.set_exception(failed)
            continue
        usage = Usage(len(prompt), len(completion.tokens))
        text = model.text(completion.tokens)
        waiting.answer.set_result(read_answer(waiting.request, text, completion.finished, usage))


def _timed_out(request: ChatRequest, limit_s: float | None) -> TimedOutError:
    limit = "its time limit" if limit_s is None else f"{limit_s:g} s"
    return TimedOutError(f"{request.model} (role {request.role}) did not answer within {limit}")
