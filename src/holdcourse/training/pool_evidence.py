"""What the grounded judge checks an answer against, by node, as plain JSON beside each prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from holdcourse.drift.records import Step
from holdcourse.recovery.answers import (
    Answer,
    ClassifyAnswer,
    DecideAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
)
from holdcourse.recovery.contexts import (
    ClassifyContext,
    Context,
    DecideContext,
    DetectContext,
    RiskContext,
    SearchContext,
)
from holdcourse.training.judge_text import FUNCTION_WORDS
from holdcourse.training.mentions import words_of

_IDENTIFIER = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")
_EVERYWHERE = frozenset({"apis", "print", "access", "token", "show", "get"})
"""Words of any step's code or any call: they are specific of none."""


def evidence_of(
    context: Context,
    answer: Answer,
    shown: str,
    steps: Sequence[Step],
    inverses: Mapping[str, str | None],
) -> dict[str, JsonValue]:
    """What is true of the case, and the terms that a text about it can name.

    n1: `aligned`, `step`. n2: `writes`, `reads`. n3: `operations` asked about, `apps`. n4: `operations`,
    `reversible`, `irreversible`, `inverses` (each `operation` and its documented `inverse` or null),
    `documented` (all operations of these apps). n5: `action`, `target`.
    All: `terms`, lower-case words that the prompt shows, of the step's calls (n1), the operations (n2, n3),
    the inverses and the writes without one (n4), the drifted operations and the number of the earliest
    drifted step or, without one, of the suspected onset (n5).

    Args:
        context: what the node is told.
        answer: its right answer.
        shown: the prompt's data as the model sees it, cut to its limits.
        steps: the trajectory.
        inverses: documented inverse of each write.
    """
    told = set(words_of(shown))

    def terms(named: Iterable[str]) -> list[JsonValue]:
        words = dict.fromkeys(word for name in named for word in words_of(name) if word in told)
        return [word for word in words if word not in FUNCTION_WORDS and word not in _EVERYWHERE]

    match context, answer:
        case ClassifyContext(), ClassifyAnswer():
            step = steps[context.step.number - 1]
            calls = [call.operation for call in step.calls if call.kind != "session"]
            named = calls or _IDENTIFIER.findall(step.code)
            return {"aligned": answer.aligned, "step": answer.step, "terms": terms(named)}
        case DetectContext(), DetectAnswer():
            named = [*answer.writes, *answer.reads]
            return {"writes": list(answer.writes), "reads": list(answer.reads), "terms": terms(named)}
        case SearchContext(), SearchAnswer():
            asked: list[JsonValue] = list(context.writes)
            return {"operations": asked, "apps": list(answer.apps), "terms": terms(context.writes)}
        case RiskContext(), RiskAnswer():
            known = {write: inverses.get(write) for write in context.writes}
            pairs: list[JsonValue] = [{"operation": write, "inverse": known[write]} for write in known]
            listed: list[JsonValue] = [call.operation for calls in context.docs.values() for call in calls]
            return {
                "operations": list(context.writes),
                "reversible": list(answer.reversible),
                "irreversible": list(answer.irreversible),
                "inverses": pairs,
                "documented": listed,
                "terms": terms(inverse or write for write, inverse in known.items()),
            }
        case DecideContext(), DecideAnswer():
            rows = [row for row in context.inspected if not row.aligned]
            named = [operation for row in rows for operation in (*row.writes, *row.reads)]
            earliest = [str(min((row.step for row in rows), default=context.onset))]
            return {"action": answer.action, "target": answer.target, "terms": terms([*named, *earliest])}
    raise ValueError(f"{type(answer).__name__} answers no {type(context).__name__}")
