"""The whole invented world, made from a seed: plain data, no engine."""

from __future__ import annotations

from random import Random

from holdcourse.appworld.engine.world.belongings import with_music, with_papers, with_purchases
from holdcourse.appworld.engine.world.catalogue import artists, products
from holdcourse.appworld.engine.world.dealings import among_companions, with_dealings
from holdcourse.appworld.engine.world.people import people
from holdcourse.appworld.engine.world.records import World
from holdcourse.appworld.engine.world.times import NOW
from holdcourse.appworld.engine.world.words import SELLERS


def world(seed: int, count: int) -> World:
    """Invent a world.

    Args:
        seed: decides everything; each part has a stream of its own, so that a change in one leaves the
            others alone.
        count: number of people.

    Raises:
        HoldcourseError: there are too few or too many people to invent.
    """

    def stream(part: str) -> Random:
        return Random(f"{seed}:{part}")  # noqa: S311  # invents data, keeps no secret

    music, goods = artists(stream("music")), products(stream("goods"))
    strangers = people(count, stream("people"))
    companions = among_companions(
        [person for person in strangers if person.split == "companion"], stream("companions")
    )
    settled = []
    for person in strangers:
        if person.split == "companion":
            continue
        rng = stream(f"person:{person.email}")
        known = with_papers(with_dealings(person, companions, rng), rng)
        settled.append(with_purchases(with_music(known, music, rng), goods, rng))
    settled += companions
    return World(seed, NOW, tuple(settled), music, goods, SELLERS)
