"""An extra component for n4: are the inverses it claims documented (drift paper §6, future work; ours)."""

from __future__ import annotations

from typing import cast

from holdcourse.recovery.nodes import KEYS
from holdcourse.training.mentions import api_names
from holdcourse.training.prompt_rows import PromptRow, documented_inverses
from holdcourse.training.rewards.reading import Reading, mean
from holdcourse.training.rewards.sanity import entries

_CHARACTERS = 20_000
"""Of a reasoning, what comes after so many characters is not looked at, nor is it by the grounded judge."""


def documentation(reading: Reading, row: PromptRow) -> float | None:
    """Share of n4's claims that the documentation in its prompt bears out; None at other nodes.

    A claim is an operation put under `write_reversible`, borne out when the documentation has an inverse of
    it that needs no value from before the write (Definition 2), or the name of an API in the reasoning that
    is none of the writes asked about, borne out when the documentation lists it. An answer that claims
    nothing is right (1) where no such inverse exists and wrong (0) where one does.
    """
    if row.node != "n4":
        return None
    if reading.value is None:
        return 0.0
    reversible = {str(name) for name in cast("list[object]", row.evidence["reversible"])}
    known = {str(name) for name in cast("list[object]", row.evidence["documented"])}
    # Apps and the answer's own keys are spelled like APIs and claim nothing.
    passed_over = set(KEYS[row.node]) | {name.partition(".")[0] for name in known}
    known |= {name.partition(".")[2] for name in known}
    operations = documented_inverses(row)
    passed_over |= {*operations, *(name.partition(".")[2] for name in operations)}
    claims = [operation in reversible for operation in entries(reading.value.get("write_reversible")) or ()]
    named = set(api_names((reading.reasoning or "")[:_CHARACTERS])) - passed_over
    claims += [name in known for name in sorted(named)]
    if not claims:
        return float(not reversible)
    return mean(map(float, claims))
