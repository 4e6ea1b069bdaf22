"""Format components: are the four tags there, once each, in the right order and form (drift paper §4.6)."""

from __future__ import annotations

from holdcourse.config.reward import TagThresholds
from holdcourse.recovery.envelope import TAGS
from holdcourse.training.rewards.reading import Reading

_GAPS = ("\n", "\n\n")
_ENDS = ("", "\n")


def xml_count(reading: Reading, thresholds: TagThresholds) -> float:
    """r_xml-count: a quarter for each of the four tags that stands exactly once, less what follows </answer>.

    max(0, n/4 - penalty * c), with n tags that stand once and c characters after the first </answer>, one
    line break at the very end not counted. A tag repeated, inside a JSON string too, earns no quarter; a
    second answer is text after the first.
    Source: drift paper §4.6; the quarters are ours, penalty is conf/reward/'s `tags.penalty` (ours).
    """
    once = sum(count == 1 for count in reading.counts)
    end = reading.text.find(TAGS[3])
    after = 0 if end < 0 else len(reading.text) - end - len(TAGS[3]) - reading.text.endswith("\n")
    return max(0.0, once / 4 - thresholds.penalty * max(0, after))


def strict(reading: Reading) -> float:
    r"""r_strict: 1 when the whole output is the envelope, tags in order, each on its own line; else 0.

    `<reasoning>\n…\n</reasoning>\n<answer>\n…\n</answer>`, with one empty line allowed between the blocks and
    one line break at the end. Neither block may be blank, no tag repeated.
    Source: drift paper §4.6 and Listing 1; the two allowances are ours.
    """
    pieces = _pieces(reading)
    if pieces is None:
        return 0.0
    before, reasoning, between, answer, after = pieces
    framed = all(block.startswith("\n") and block.endswith("\n") for block in (reasoning, answer))
    return float(framed and before == "" and between in _GAPS and after in _ENDS)


def soft(reading: Reading, thresholds: TagThresholds) -> float:
    """r_soft: `tags.soft` when each tag stands once, the two pairs in order and no block blank; else 0.

    The smaller bonus is the component's value, 0.5 (ours), not its weight, which is 1 like the others'.
    Source: drift paper §4.6.
    """
    return thresholds.soft if _pieces(reading) is not None else 0.0


def _pieces(reading: Reading) -> tuple[str, str, str, str, str] | None:
    """Text before, in, between, in and after the blocks; None if the tags are not once each and in order."""
    if reading.counts != (1, 1, 1, 1):
        return None
    pieces: list[str] = []
    rest = reading.text
    for tag in TAGS:
        piece, found, rest = rest.partition(tag)
        if not found:
            return None
        pieces.append(piece)
    before, reasoning, between, answer = pieces
    if not reasoning.strip() or not answer.strip():
        return None
    return before, reasoning, between, answer, rest
