"""Undoing a drift, with an episode that answers from a script: what is called, what is left, what differs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from holdcourse.appworld.docs import Docs, Operation, Parameter
from holdcourse.appworld.episode import Episode, Execution
from holdcourse.appworld.repairing import differences, repair
from holdcourse.drift.records import Call, CallKind, Step
from holdcourse.recovery.contexts import Diagnosis

TOKEN = Parameter("access_token", "string", True)
SONG = Parameter("song_id", "integer", True)
STARS = Parameter("stars", "integer", False)
DOCS = Docs(
    [
        Operation("spotify", "like_song", "POST", "/spotify/songs/{song_id}/like", (SONG, TOKEN)),
        Operation("spotify", "unlike_song", "DELETE", "/spotify/songs/{song_id}/like", (SONG, TOKEN)),
        Operation("phone", "send_text_message", "POST", "/phone/messages", (TOKEN,)),
        Operation(
            "spotify",
            "show_song",
            "GET",
            "/spotify/songs/{song_id}",
            (SONG, TOKEN),
            {"song_id": 1, "stars": 3},
        ),
        Operation("spotify", "update_song", "PATCH", "/spotify/songs/{song_id}", (SONG, STARS, TOKEN)),
    ]
)
LIKE = Call("spotify", "like_song", {"song_id": 4}, "write", True)
TEXT = Call("phone", "send_text_message", {}, "write", True)
_CALL = re.compile(r"apis\.(\w+)\.(\w+)\((?:song_id=(\d+))?(?:, stars=(\d+))?")


@dataclass
class Scripted:
    """Carries out the calls that code names; a like is a record, a text message stays for good."""

    ran: list[str] = field(default_factory=list)
    records: dict[str, int] = field(default_factory=lambda: {"spotify.SongLike": 0, "phone.TextMessage": 0})
    broken: bool = False
    stars: dict[int, int] = field(default_factory=dict)

    def execute(self, code: str) -> Execution:
        self.ran.append(code)
        calls, responses = [], []
        for app, api, song, stars in _CALL.findall(code):
            kind: CallKind = "auth" if api == "login" else "read" if api.startswith("show") else "write"
            works = not (self.broken and api == "unlike_song")
            given = {"song_id": song, "stars": stars}
            calls.append(
                Call(app, api, {name: int(text) for name, text in given.items() if text}, kind, works)
            )
            # As the real response, it does not say which song it shows.
            responses.append({"stars": self.stars.get(int(song or 0), 3)} if api == "show_song" else {})
            if stars:
                self.stars[int(song)] = int(stars)
            change = {"like_song": 1, "unlike_song": -1}.get(api, 0)
            self.records["spotify.SongLike"] += change * works
            self.records["phone.TextMessage"] += api == "send_text_message"
        failed = any(not call.succeeded for call in calls)
        return Execution("", tuple(calls), tuple(responses), None, failed, False)

    def changes(self) -> tuple[str, ...]:
        return tuple(f"{model}:+{count}/~0/-0" for model, count in self.records.items() if count)


def step(number: int, *calls: Call) -> Step:
    code = "\n".join(
        f"apis.{call.operation}({', '.join(f'{name}={value}' for name, value in call.arguments.items())})"
        for call in calls
    )
    return Step(number, None, "", code, "", calls)


def drifted(number: int, found: Mapping[str, bool]) -> Diagnosis:
    """A drifted step with what n2 found in it, and whether n4 called it reversible."""
    return Diagnosis(
        number,
        False,
        "so",
        writes=tuple(found),
        reversible=tuple(name for name, undone in found.items() if undone),
        irreversible=tuple(name for name, undone in found.items() if not undone),
    )


def repaired(
    steps: Sequence[Step], inspected: Sequence[Diagnosis], broken: bool = False
) -> tuple[Scripted, list[str], list[str], list[str]]:
    episode = Scripted(broken=broken)
    made = repair(cast("Episode", episode), steps, inspected, DOCS)
    assert made.whole == (not made.left and not made.residue)
    return episode, [call.operation for call in made.calls], list(made.left), list(made.residue)


LOOK = step(1, Call("spotify", "show_songs", {}, "read", True))


def test_a_write_with_an_inverse_is_undone_by_it_and_nothing_else() -> None:
    episode, calls, left, residue = repaired(
        (LOOK, step(2, LIKE)), (drifted(2, {"spotify.like_song": True}),)
    )
    assert (calls, left, residue) == (["spotify.unlike_song"], [], [])
    assert episode.ran[-1] == "apis.spotify.unlike_song(song_id=4, access_token=spotify_token)"
    # The agent may have called its tokens otherwise, so the repair logs in by itself.
    assert "spotify_token = apis.spotify.login" in episode.ran[-2]


def test_what_was_found_irreversible_is_left_untouched_and_named() -> None:
    inspected = (drifted(2, {"phone.send_text_message": False}),)
    episode, calls, left, residue = repaired((LOOK, step(2, TEXT)), inspected)
    assert calls == []
    assert left == ["phone.send_text_message: found irreversible"]
    assert residue == ["phone.TextMessage: now +1/~0/-0, before none"]
    assert len(episode.ran) == 2


def test_calling_it_reversible_does_not_make_it_so() -> None:
    inspected = (drifted(2, {"phone.send_text_message": True}),)
    _, calls, left, _ = repaired((LOOK, step(2, TEXT)), inspected)
    assert calls == []
    assert left[0].startswith("phone.send_text_message: it reached another party")


def test_only_what_remains_is_left() -> None:
    inspected = (drifted(2, {"spotify.like_song": True, "phone.send_text_message": False}),)
    _, calls, left, residue = repaired((LOOK, step(2, LIKE, TEXT)), inspected)
    assert calls == ["spotify.unlike_song"]
    assert len(left) == len(residue) == 1


def test_a_write_that_the_walk_overlooked_shows_in_the_state() -> None:
    _, calls, left, residue = repaired((LOOK, step(2, LIKE)), (drifted(2, {}),))
    assert (calls, left) == ([], [])
    assert residue == ["spotify.SongLike: now +1/~0/-0, before none"]


def test_an_aligned_steps_writes_stay() -> None:
    steps = (step(1, LIKE), step(2, Call("spotify", "like_song", {"song_id": 5}, "write", True)))
    episode, calls, left, residue = repaired(steps, (drifted(2, {"spotify.like_song": True}),))
    assert (calls, left, residue) == (["spotify.unlike_song"], [], [])
    assert "song_id=5" in episode.ran[-1]
    assert episode.records["spotify.SongLike"] == 1


def test_the_last_write_is_undone_first() -> None:
    other = Call("spotify", "like_song", {"song_id": 5}, "write", True)
    found = {"spotify.like_song": True}
    episode, *_ = repaired((step(1, LIKE), step(2, other)), (drifted(2, found), drifted(1, found)))
    songs = re.findall(r"unlike_song\(song_id=(\d)", "\n".join(episode.ran))
    assert songs == ["5", "4"]


def show(song: int) -> Call:
    return Call("spotify", "show_song", {"song_id": song}, "read", True)


def rate(song: int, stars: int) -> Call:
    return Call("spotify", "update_song", {"song_id": song, "stars": stars}, "write", True)


RATED = {"spotify.update_song": True}


def test_an_old_value_comes_from_the_read_of_that_record() -> None:
    """Which record a read showed is known by what it was asked for."""
    steps = (step(1, show(4), show(5)), step(2, rate(4, 1)))
    episode, calls, left, _ = repaired(steps, (drifted(2, RATED),))
    assert (calls, left) == (["spotify.update_song"], [])
    assert "update_song(song_id=4, stars=3" in episode.ran[-1]
    other = (step(1, show(5)), step(2, rate(4, 1)))
    _, calls, left, _ = repaired(other, (drifted(2, RATED),))
    assert (calls, len(left)) == ([], 1)


def test_what_was_read_before_an_aligned_write_is_no_old_value() -> None:
    steps = (step(1, show(4)), step(2, rate(4, 5)), step(3, rate(4, 1)))
    _, calls, left, _ = repaired(steps, (drifted(3, RATED),))
    assert calls == []
    assert left == ["spotify.update_song: spotify.show_song was not read before the call"]
    # Read again after it, the value is the one to go back to.
    again = (*steps[:2], step(3, show(4)), step(4, rate(4, 1)))
    episode, calls, left, _ = repaired(again, (drifted(4, RATED),))
    assert (calls, left) == (["spotify.update_song"], [])
    assert "stars=5" in episode.ran[-1]


def test_what_was_read_before_drifted_writes_holds_for_all_of_them() -> None:
    steps = (step(1, show(4)), step(2, rate(4, 5)), step(3, rate(4, 1)))
    episode, calls, left, _ = repaired(steps, (drifted(3, RATED), drifted(2, RATED)))
    assert (len(calls), left) == (2, [])
    assert "stars=3" in episode.ran[-1]


def test_an_inverse_call_that_fails_is_told() -> None:
    inspected = (drifted(2, {"spotify.like_song": True}),)
    _, _, left, residue = repaired((LOOK, step(2, LIKE)), inspected, broken=True)
    assert left == ["spotify.unlike_song: the inverse call failed"]
    assert residue == ["spotify.SongLike: now +1/~0/-0, before none"]


def test_differences_name_the_model_and_both_sides() -> None:
    before = ("gmail.Email:+1/~0/-0", "phone.Alarm:+0/~1/-0")
    after = ("gmail.Email:+2/~0/-0", "venmo.Payment:+1/~0/-0", "phone.Alarm:+0/~1/-0")
    assert differences(before, after) == (
        "gmail.Email: now +2/~0/-0, before +1/~0/-0",
        "venmo.Payment: now +1/~0/-0, before none",
    )
    assert differences(after, after) == ()
