"""The graph beside one's own agent: the history in, one decision back (drift paper §3.6, plug-and-play)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdcourse.config.recovery import RecoveryConfig, named_settings
from holdcourse.llm.chat import ChatModel
from holdcourse.recovery.backbones import Backbone, ModelBackbone, Threads
from holdcourse.recovery.contexts import NO_CAUSE
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.record import Decision, Walk
from holdcourse.recovery.trajectory import Message, read_history

PlainDocs = Mapping[str, Sequence[Mapping[str, object]]]
"""`{app: [{"api", "method", "path", "parameters"}]}`; may be empty: then nothing says what can be undone."""


def recover(
    task: str,
    history: Sequence[Message],
    suspected_onset: int,
    model: ChatModel | Backbone,
    docs: PlainDocs,
    *,
    model_name: str = "recovery",
    settings: RecoveryConfig | None = None,
    cause: str = NO_CAUSE,
) -> Decision:
    """Decide what to do about an agent that may have left its task.

    Args:
        task: what its principal asked for.
        history: its messages in OpenAI's format.
        suspected_onset: k_0, the step suspected by whoever raised the alarm; a step is one assistant message.
        model: answers at the nodes; or a backbone, such as `RulesBackbone()`.
        docs: documentation of its tools by application.
        model_name: the name that requests to the model carry.
        settings: conf/recovery/paper.yaml when None.
        cause: what is taken for the cause, in words.

    Returns:
        The decision. `kept_messages(history, decision.rollback_to_step, task)` are the messages to go on
        with.

    Raises:
        HoldcourseError: the history has no steps or is not readable, or the onset is none of its steps.
        ModelError: a call to the model failed for good.
    """
    walk = diagnose(task, history, suspected_onset, model, docs, model_name, settings, cause)
    return walk.decision


def diagnose(
    task: str,
    history: Sequence[Message],
    suspected_onset: int,
    model: ChatModel | Backbone,
    docs: PlainDocs,
    model_name: str = "recovery",
    settings: RecoveryConfig | None = None,
    cause: str = NO_CAUSE,
    name: str = "history",
) -> Walk:
    """As `recover`, with the record of the whole walk; `name` is the trajectory's, in it and in errors."""
    known = docs_of(docs)
    steps = read_history(history, task, known).steps
    incident = Incident(name, task, suspected_onset, steps, known, cause)
    backbone = model if isinstance(model, Backbone) else ModelBackbone(Threads(model), model_name, model_name)
    (walk,) = backbone.walks([incident], settings or named_settings("paper"))
    return walk
