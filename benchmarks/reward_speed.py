"""How long the reward takes a completion: scraps of what models write, right answers, megabytes of one thing.

The reward is conf/reward/documentation.yaml with the grounded judge: all ten components. A completion's time
is the median wall time of --rounds, in milliseconds; the table shows median and worst over the completions of
a kind, and the piece that the worst one repeats. Nothing is written unless --output is given.

    python benchmarks/reward_speed.py --scraps 2000 --rounds 3
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import yaml
from rich.console import Console
from rich.table import Table

from holdcourse.config.compose import conf_directory
from holdcourse.config.reward import JudgeConfig, RewardConfig
from holdcourse.files import write_json
from holdcourse.llm.chat import ChatMessage
from holdcourse.recovery.nodes import NodeId
from holdcourse.training.judge_grounded import GroundedJudge
from holdcourse.training.prompt_rows import Json, PromptRow
from holdcourse.training.rewards.scorer import Scorer

WORDS = """
<reasoning> </reasoning> <answer> </answer> { } [ ] " : , | . _ < \\ {} {"a": {"a":1} a_ a. a| 4 -1 1e999 NaN
None step is_aligned Y N why write_reversible write_not_reversible spotify.like_song steal_password ```json é
"""
PIECES = (*WORDS.split(), " ", "\n", "\x00", "a b ", "{\n", "the step drifted ", "not aligned ")
REASONING = "The step likes a song on Spotify, which the task about rent does not ask for."
ANSWERS = {
    "n1": {"step": 4, "is_aligned": "N", "why": "It plays with Spotify songs instead of paying the rent."},
    "n4": {"write_reversible": "spotify.like_song", "write_not_reversible": "None"},
}


@dataclass(frozen=True)
class Timed:
    """Milliseconds that a completion took, and the piece that it repeats; empty if it does not."""

    ms: float
    piece: str


def main() -> None:
    """Time the kinds of completions and print a row of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scraps", type=int, default=2000, help="how many scraps (default: %(default)s)")
    parser.add_argument("--pieces", type=int, default=60, help="most pieces of one (default: %(default)s)")
    parser.add_argument(
        "--characters", type=int, default=1_000_000, help="of the large ones (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the scraps (default: %(default)s)")
    parser.add_argument("--output", type=Path, help="write the figures there, as JSON")
    given = parser.parse_args()
    scorer = documented_scorer()
    kinds = {
        f"{kind} ({one.node})": [
            Timed(taken(scorer, one, text, given.rounds), piece) for text, piece in several
        ]
        for one in (row("n1"), row("n4"))
        for kind, several in completions(one.node, given).items()
    }
    show(kinds)
    if given.output:
        write_json(
            given.output, {kind: [asdict(timed) for timed in several] for kind, several in kinds.items()}
        )


def completions(node: NodeId, given: argparse.Namespace) -> dict[str, list[tuple[str, str]]]:
    """Completions by kind, each with the piece that it repeats or an empty one."""
    rng = random.Random(given.seed)
    scraps = ["".join(rng.choices(PIECES, k=rng.randint(0, given.pieces))) for _ in range(given.scraps)]
    answer = json.dumps(ANSWERS[node])
    many = [(piece * (given.characters // len(piece)), piece) for piece in PIECES]
    return {
        "right answer": [(envelope(REASONING, answer), "")],
        "scraps": [(text, "") for text in scraps],
        "large, no tags": many,
        "large reasoning": [(envelope(text, answer), piece) for text, piece in many],
        "both blocks large": [(envelope(text, text), piece) for text, piece in many],
    }


def envelope(reasoning: str, answer: str) -> str:
    """The two blocks, each on lines of its own."""
    return f"<reasoning>\n{reasoning}\n</reasoning>\n<answer>\n{answer}\n</answer>"


def row(node: NodeId) -> PromptRow:
    """An invented prompt: an agent that should pay rent likes a song."""
    evidence: dict[NodeId, Json] = {
        "n1": {"aligned": False, "step": 4, "terms": ["spotify", "like", "song"]},
        "n4": {
            "reversible": ["spotify.like_song"],
            "irreversible": [],
            "inverses": [{"operation": "spotify.like_song", "inverse": "spotify.unlike_song"}],
            "documented": ["spotify.like_song", "spotify.unlike_song"],
            "terms": ["unlike", "song"],
        },
    }
    told = "Task: Pay the rent.\nStep 4: apis.spotify.like_song(song_id=7)\nDocs: spotify.unlike_song DELETE"
    return PromptRow(node, node, "task", None, (ChatMessage("user", told),), {}, evidence[node])


def documented_scorer() -> Scorer:
    """The reward with its extra component switched on."""
    folder = conf_directory()
    reward = yaml.safe_load((folder / "reward" / "documentation.yaml").read_text(encoding="utf-8"))
    judge = yaml.safe_load((folder / "judge" / "grounded.yaml").read_text(encoding="utf-8"))
    grounding = JudgeConfig.model_validate(judge).grounding
    return Scorer(RewardConfig.model_validate(reward), GroundedJudge(grounding))


def taken(scorer: Scorer, row: PromptRow, completion: str, rounds: int) -> float:
    """Milliseconds to score a completion, the median of the rounds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        scorer.score([completion], [row])
        times.append(1000 * (time.perf_counter() - started))
    return median(times)


def show(kinds: dict[str, list[Timed]]) -> None:
    """Print median and worst of each kind."""
    table = Table(title="The reward of one completion", title_justify="left")
    for name in ("completions", "of them", "median ms", "worst ms", "the worst repeats"):
        table.add_column(name, justify="left" if name in ("completions", "the worst repeats") else "right")
    for kind, several in kinds.items():
        worst = max(several, key=lambda timed: timed.ms)
        middle = median(timed.ms for timed in several)
        table.add_row(kind, str(len(several)), f"{middle:.3f}", f"{worst.ms:.3f}", repr(worst.piece))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
