"""What a person has to themselves: music, notes, projects, files, alarms, orders."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from holdcourse.appworld.engine.world import words
from holdcourse.appworld.engine.world.records import (
    Alarm,
    Artist,
    File,
    Note,
    Order,
    OrderLine,
    Person,
    Playlist,
    Product,
    Project,
    Todo,
)
from holdcourse.appworld.engine.world.times import NOW, day, moment


def with_music(person: Person, artists: tuple[Artist, ...], rng: Random) -> Person:
    """Add a library, likes, followed artists, playlists and a queue."""
    albums = [album for artist in artists for album in artist.albums]
    songs = [song for album in albums for song in album.songs]
    titles = rng.sample(words.PLAYLISTS, 5)
    playlists = tuple(
        Playlist(title, rng.random() < 0.5, tuple(rng.sample(songs, rng.randint(5, 6)))) for title in titles
    )
    return replace(
        person,
        library_songs=tuple(rng.sample(songs, 12)),
        liked_songs=tuple(rng.sample(songs, 8)),
        library_albums=tuple(rng.sample(albums, 3)),
        followed_artists=tuple(rng.sample(artists, 3)),
        playlists=playlists,
        queue=tuple(rng.sample(songs, 4)),
    )


def with_papers(person: Person, rng: Random) -> Person:
    """Add notes, projects, files and alarms."""
    return replace(
        person,
        notes=_notes(person, rng),
        projects=_projects(rng),
        files=_files(person, rng),
        alarms=_alarms(rng),
    )


def _notes(person: Person, rng: Random) -> tuple[Note, ...]:
    friends = [contact.first_name for contact in person.contacts]
    dish = rng.choice(words.DISHES)
    exercises = rng.sample(words.EXERCISES, 3)
    contents = {
        "Groceries": (_listed(rng.sample(words.GROCERIES, 6)), ("home", "lists")),
        "Packing list": (_listed(rng.sample(words.PACKING, 5)), ("travel", "lists")),
        "Books to read": (_listed(rng.sample(words.BOOKS, 4)), ("reading", "lists")),
        "Gift ideas": (
            "\n".join(f"{friend}: {rng.choice(words.GIFTS)}" for friend in friends[:4]),
            ("people",),
        ),
        "Monthly budget": (
            "\n".join(f"{item}: {rng.randrange(40, 900, 5)}" for item in rng.sample(words.BUDGET, 4)),
            ("money",),
        ),
        "Workout plan": (
            "\n".join(
                f"{name}: {do}"
                for name, do in zip(("Monday", "Wednesday", "Saturday"), exercises, strict=True)
            ),
            ("health",),
        ),
        f"Recipe {dish}": (_listed(rng.sample(words.GROCERIES, 4)), ("cooking",)),
        "House rules": (
            f"Quiet after ten. Bins go out on {rng.choice(('Monday', 'Tuesday'))} evening.",
            ("home",),
        ),
    }
    chosen = rng.sample(list(contents), 6)
    pinned = rng.choice(chosen)
    return tuple(Note(title, *contents[title], title == pinned, moment(rng)) for title in chosen)


def _listed(items: list[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _projects(rng: Random) -> tuple[Project, ...]:
    projects = []
    for name in rng.sample(list(words.PROJECTS), 3):
        titles = rng.sample(words.PROJECTS[name], rng.randint(4, 5))
        projects.append(Project(name, tuple(_todo(title, rng) for title in titles)))
    return tuple(projects)


def _todo(title: str, rng: Random) -> Todo:
    due = datetime(NOW.year, NOW.month, NOW.day) + timedelta(days=rng.randint(-12, 25))
    return Todo(
        title=title,
        description=f"Takes about {rng.randrange(10, 90, 5)} minutes.",
        due=due if rng.random() < 0.8 else None,
        priority=rng.choice(("low", "medium", "high")),
        done=rng.random() < 0.3,
        labels=(rng.choice(words.LABELS),) if rng.random() < 0.4 else (),
    )


def _files(person: Person, rng: Random) -> tuple[File, ...]:
    files = []
    for kind, provider in words.BILLS.items():
        for month, name in enumerate(words.MONTHS, start=1):
            amount = rng.randrange(1800, 9900) / 100
            content = (
                f"provider: {provider}\nmonth: {name} 2025\namount: {amount:.2f}\ndue: {day(rng, month)}"
            )
            files.append(File(f"~/bills/{kind}/2025-{month:02d}.txt", content, datetime(2025, month, 27, 9)))
    for name in rng.sample(list(words.DOCUMENTS), 3):
        content = words.DOCUMENTS[name].format(
            name=person.name,
            amount=rng.randrange(120, 1500, 10),
            number=rng.randint(3, 99),
            month=rng.randint(1, 9),
            place=rng.choice(words.PLACES),
        )
        files.append(File(f"~/documents/{name}", content, moment(rng)))
    for place in rng.sample(words.PLACES, 3):
        files.append(
            File(f"~/photos/{place.lower()}.txt", f"{rng.randint(4, 90)} pictures of {place}", moment(rng))
        )
    return tuple(files)


def _alarms(rng: Random) -> tuple[Alarm, ...]:
    chosen = sorted(rng.sample(words.ALARMS, 4))
    return tuple(
        Alarm(time, label, days, rng.random() < 0.7, rng.choice((0, 5, 10))) for time, label, days in chosen
    )


def with_purchases(person: Person, products: tuple[Product, ...], rng: Random) -> Person:
    """Add past orders, a cart and a wish list; what is in the cart or on the list was never ordered."""
    chosen = rng.sample(products, 11)
    orders = []
    for start in (0, 2, 4)[: rng.randint(2, 3)]:
        lines = tuple(OrderLine(product, rng.randint(1, 3)) for product in chosen[start : start + 2])
        orders.append(
            Order(
                lines, moment(rng, last_month=5), rng.choice(("Home", "Work")), rng.choice(person.cards).name
            )
        )
    return replace(
        person,
        orders=tuple(sorted(orders, key=lambda order: order.placed)),
        cart=tuple(OrderLine(product, rng.randint(1, 2)) for product in chosen[6:8]),
        wish_list=tuple(chosen[8:11]),
    )
