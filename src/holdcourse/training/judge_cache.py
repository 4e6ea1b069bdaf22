"""What a judge has said, by prompt, node and completion: nothing is asked twice (drift paper §5.2)."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from holdcourse.journal import Journal
from holdcourse.llm.chat import canonical_json
from holdcourse.training.prompt_rows import PromptRow


class JudgeCache:
    """Scores by (q, ν, o); kept in a journal where a path is given, so that a resumed run finds them.

    A missing score is not kept: it is asked for again next time.

    Args:
        identity: what the scores depend on beside the question: model, decoding, rubrics.
        path: the journal; None keeps scores in memory only.

    Raises:
        JournalError: the journal is in use, damaged, or of another identity.
    """

    def __init__(self, identity: str, path: Path | None = None) -> None:
        self._open = ExitStack()
        self._journal = self._open.enter_context(Journal.open(path, {"judge": identity})) if path else None
        self._scores: dict[str, float] = {}
        if self._journal is not None:
            self._scores = {key: float(str(record["score"])) for key, record in self._journal.done.items()}

    def find(self, row: PromptRow, completion: str) -> float | None:
        """The score of a completion, if it is known."""
        return self._scores.get(key_of(row, completion))

    def keep(self, row: PromptRow, completion: str, score: float) -> None:
        """Remember a score."""
        key = key_of(row, completion)
        if key not in self._scores:
            self._scores[key] = score
            if self._journal is not None:
                self._journal.append(key, {"score": score})

    def __len__(self) -> int:
        return len(self._scores)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()


def key_of(row: PromptRow, completion: str) -> str:
    """Digest of (q, ν, o), as hexadecimal."""
    text = canonical_json([row.node, row.prompt, completion])
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
