"""The recovery graph as data: nodes, edges, guards (drift paper §4.4 and Algorithm 1).

A walk asks `route` after each answer; the drawing in docs/ and the listing are made from the same edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from holdcourse.recovery.nodes import ESCALATE, NAMES, ROLLBACK

Place = Literal["start", "n1", "n2", "n3", "n4", "n5", "rollback", "escalate"]
PLACES: tuple[Place, ...] = get_args(Place)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a guard may look at, right after a node has answered.

    Attributes:
        step: k, the step under review.
        verdicts: w, n1's verdicts so far, True for aligned.
        streak: K, how many aligned verdicts in a row end the walk.
        wrote: whether n2 found a write in this step.
        action: n5's choice, None before it.
        answered: whether the node gave an answer in the format within its attempts.
        steps_left: steps that the walk may still inspect.
    """

    step: int
    verdicts: tuple[bool, ...]
    streak: int
    wrote: bool = False
    action: str | None = None
    answered: bool = True
    steps_left: int = 1

    @property
    def aligned(self) -> bool:
        """The verdict on the step under review."""
        return self.verdicts[-1]

    @property
    def ended(self) -> bool:
        """Whether the last K verdicts are all aligned."""
        return len(self.verdicts) >= self.streak and all(self.verdicts[-self.streak :])

    @property
    def first(self) -> bool:
        """Whether there is no step before this one."""
        return self.step <= 1

    @property
    def spent(self) -> bool:
        """Whether the walk would go on but may not."""
        return not self.first and self.steps_left <= 0


@dataclass(frozen=True, slots=True)
class Guard:
    """When an edge is taken, in words and as a test."""

    words: str
    holds: Callable[[Standing], bool]


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from one place to another. Of the edges that leave a place exactly one guard holds.

    `back` says that the step under review becomes the one before it. `safety` marks the edges that the
    paper does not have: where a node gives no usable answer, or the trajectory is too long, a human is
    called.
    """

    source: Place
    target: Place
    guard: Guard
    back: bool = False
    safety: bool = False


ALWAYS = Guard("always", lambda at: at.answered)
UNANSWERED = Guard("no answer in the format", lambda at: not at.answered)
SPENT_ALIGNED = Guard(
    "aligned, longest walk reached", lambda at: at.answered and at.aligned and not at.ended and at.spent
)
SPENT = Guard("longest walk reached", lambda at: at.answered and at.spent)
SPENT_READS = Guard("no write, longest walk reached", lambda at: at.answered and not at.wrote and at.spent)

EDGES: tuple[Edge, ...] = (
    Edge("start", "n1", ALWAYS),
    Edge("n1", "n2", Guard("is_aligned = N", lambda at: at.answered and not at.aligned)),
    Edge("n1", "n5", Guard("last K all Y", lambda at: at.answered and at.aligned and at.ended)),
    Edge(
        "n1",
        "n5",
        Guard("Y, k = 1", lambda at: at.answered and at.aligned and not at.ended and at.first),
    ),
    Edge(
        "n1",
        "n1",
        Guard("Y otherwise", lambda at: at.answered and at.aligned and not at.ended and _more(at)),
        back=True,
    ),
    Edge("n1", "escalate", SPENT_ALIGNED, safety=True),
    Edge("n2", "n3", Guard("writes found", lambda at: at.answered and at.wrote)),
    Edge(
        "n2", "n1", Guard("no write, k > 1", lambda at: at.answered and not at.wrote and _more(at)), back=True
    ),
    Edge("n2", "n5", Guard("no write, k = 1", lambda at: at.answered and not at.wrote and at.first)),
    Edge("n2", "escalate", SPENT_READS, safety=True),
    Edge("n3", "n4", ALWAYS),
    Edge("n4", "n1", Guard("k > 1", lambda at: at.answered and _more(at)), back=True),
    Edge("n4", "n5", Guard("k = 1", lambda at: at.answered and at.first)),
    Edge("n4", "escalate", SPENT, safety=True),
    Edge("n5", "rollback", Guard(ROLLBACK, lambda at: at.answered and at.action == ROLLBACK)),
    Edge("n5", "escalate", Guard(ESCALATE, lambda at: at.answered and at.action == ESCALATE)),
    *(Edge(node, "escalate", UNANSWERED, safety=True) for node in NAMES),
)


def route(place: Place, standing: Standing) -> Edge:
    """The one edge that is taken from a place.

    Raises:
        ValueError: none or several guards hold, which is a mistake in `EDGES`.
    """
    ways = [edge for edge in EDGES if edge.source == place and edge.guard.holds(standing)]
    if len(ways) != 1:
        raise ValueError(f"{len(ways)} edges lead on from {place} with {standing}; exactly one must")
    return ways[0]


def listing() -> str:
    """The graph in plain lines: nodes with their names, then edges with their guards."""
    lines = [f"{node}  {name}" for node, name in NAMES.items()]
    for edge in EDGES:
        notes = [*(["k := k - 1"] if edge.back else []), *(["safety"] if edge.safety else [])]
        noted = f"  ({', '.join(notes)})" if notes else ""
        lines.append(f"{edge.source} -> {edge.target}: {edge.guard.words}{noted}")
    return "\n".join(lines)


def _more(at: Standing) -> bool:
    return not at.first and not at.spent
