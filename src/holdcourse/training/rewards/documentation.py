"""An extra component for n4: are the inverses it claims documented (drift paper §6, future work; ours)."""

from __future__ import annotations

from typing import cast

from holdcourse.training.mentions import api_names
from holdcourse.training.prompt_rows import PromptRow, documented_inverses
from holdcourse.training.rewards.reading import Reading, mean
from holdcourse.training.rewards.sanity import entries


def documentation(reading: Reading, row: PromptRow) -> float | None:
    """Share of n4's claims that the documentation in its prompt bears out; None at other nodes.

    A claim is an operation put under `write_reversible`, borne out when the documentation has an inverse of
    it, or the name of an API in the reasoning that is none of the writes asked about, borne out when the
    documentation lists it. An answer that claims nothing is right (1) where no inverse exists and wrong (0)
    where one does.
    """
    if row.node != "n4":
        return None
    if reading.value is None:
        return 0.0
    inverses = documented_inverses(row)
    known = {str(name) for name in cast("list[object]", row.evidence["documented"])}
    known |= {name.partition(".")[2] for name in known}
    asked = {*inverses, *(name.partition(".")[2] for name in inverses)}
    claims = [
        inverses.get(operation) is not None
        for operation in entries(reading.value.get("write_reversible")) or ()
    ]
    named = set(api_names(reading.reasoning or "")) - asked
    claims += [name in known for name in sorted(named)]
    if not claims:
        return float(all(inverse is None for inverse in inverses.values()))
    return mean(map(float, claims))
