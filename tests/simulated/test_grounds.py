"""A ground is no mark: neither that it is there nor how it is worded tells a sound lesson from a bad one."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations

import pytest

from holdcourse.simulated.grounds import GROUNDS
from holdcourse.simulated.judgement import states
from holdcourse.simulated.lexicon import SETTING
from holdcourse.simulated.reading import read

from .conftest import Ask
from .test_reading import frames_with_stances
from .test_reflector import digest, lessons

KINDS = ("sound", "wrong", "broad")
GROUNDS_OF = {kind: [text for g in GROUNDS.values() for text in getattr(g, kind)] for kind in KINDS}
SEEDS = 600


def grounded_of(ask: Ask, action: str, **rates: float) -> int:
    """In how many of so many batches the one lesson has a ground."""
    rows = [lessons(ask, digest(action), seed=n, **rates)[0] for n in range(SEEDS)]
    return sum(bool(row["because"]) for row in rows)


@pytest.mark.parametrize("action", ["disconnect_vpn", "resume_line"])
def test_sound_wrong_and_overgeneral_lessons_have_grounds_equally_often(ask: Ask, action: str) -> None:
    counts = [
        grounded_of(ask, action),
        grounded_of(ask, action, wrong=1.0),
        grounded_of(ask, action, overgeneral=1.0),
    ]
    # Two grounds and none are equally likely; four standard deviations of 600 such coins are 46.
    assert [count for count in counts if abs(count - SEEDS * 2 / 3) > 46] == []


def test_within_one_batch_of_lessons_a_ground_is_independent_of_soundness(ask: Ask) -> None:
    tally: Counter[tuple[bool, bool]] = Counter()
    actions = ("disconnect_vpn", "toggle_data", "refuel_data", "toggle_wifi_calling")
    for seed in range(300):
        for row in lessons(ask, digest(*actions), seed=seed, wrong=0.25, overgeneral=0.25):
            sound = {s.kind for s in read(str(row["lesson"])).stances} == {"fix"}
            tally[sound, bool(row["because"])] += 1
    # Each cell of the table is as full as its margins say, to within four standard deviations.
    total = sum(tally.values())
    assert total == 1200
    for sound in (True, False):
        lessons_of_kind = tally[sound, True] + tally[sound, False]
        assert abs(lessons_of_kind - 600) < 100
        expected = lessons_of_kind * 2 / 3
        assert abs(tally[sound, True] - expected) < 4 * (lessons_of_kind * 2 / 9) ** 0.5


def test_every_setting_has_as_many_grounds_of_each_kind_and_none_serves_two() -> None:
    assert set(GROUNDS) == set(SETTING)
    assert {len(getattr(g, kind)) for g in GROUNDS.values() for kind in KINDS} == {2}
    everything = [text for texts in GROUNDS_OF.values() for text in texts]
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize("kind", KINDS)
def test_a_ground_is_one_sentence_on_its_setting_that_asks_for_nothing(kind: str) -> None:
    for name, grounds in GROUNDS.items():
        for text in getattr(grounds, kind):
            reading = read(text)
            assert len(re.findall(r"[.!?:;]", text)) == 1
            assert text.endswith(".")
            assert reading.topics == {name}
            assert not reading.stances
            assert not reading.conditional
            assert not reading.owner_stated


def test_no_ground_passes_for_another_on_its_setting() -> None:
    # Else a wrong ground would be taken for given where the sound one stands, or be judged its duplicate.
    for grounds in GROUNDS.values():
        texts = (*grounds.sound, *grounds.wrong, *grounds.broad)
        alike = [(a, b) for a, b in permutations(texts, 2) if states(read(a), read(b))]
        assert alike == []


@pytest.mark.parametrize("kind", KINDS)
def test_neither_length_nor_a_recurring_word_marks_a_kind(kind: str) -> None:
    lengths = [len(text.split()) for text in GROUNDS_OF[kind]]
    assert 6 <= min(lengths) <= max(lengths) <= 14
    assert 9 < sum(lengths) / len(lengths) < 11
    words = Counter(word for text in GROUNDS_OF[kind] for word in read(text).words)
    assert max(words.values()) <= len(lengths) / 3


def test_a_lesson_says_the_same_with_its_ground_as_without() -> None:
    kinds = {"fix": "sound", "forbid": "wrong", "blind": "broad"}
    changed = []
    for name, stance, text in frames_with_stances():
        alone = read(text)
        # Handing over is the sound lesson where a human alone can help, and a wrong one elsewhere.
        kind = kinds.get(stance) or ("wrong" if SETTING[name].steps else "sound")
        for ground in getattr(GROUNDS[name], kind):
            both = read(f"{text} {ground}")
            if (both.stances, both.conditional, both.owner_stated, both.topics) != (
                alone.stances,
                alone.conditional,
                alone.owner_stated,
                alone.topics,
            ):
                changed.append((text, ground))
    assert changed == []
