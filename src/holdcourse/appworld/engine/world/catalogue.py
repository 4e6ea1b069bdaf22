"""The music and the goods that all people share."""

from __future__ import annotations

from datetime import datetime
from random import Random

from holdcourse.appworld.engine.world import words
from holdcourse.appworld.engine.world.records import Album, Artist, Product, Song

_SONGS_PER_ALBUM = 4


def artists(rng: Random) -> tuple[Artist, ...]:
    """Twelve artists with two albums of four songs each; all names and titles are unique."""
    titles = [f"{first} {last}" for first in words.SONG_FIRST for last in words.SONG_LAST]
    rng.shuffle(titles)
    lasts = rng.sample(words.ARTIST_LAST, len(words.ARTIST_LAST))
    made = []
    for place, (first, last) in enumerate(zip(words.ARTIST_FIRST, lasts, strict=True)):
        name = f"The {first} {last}"
        genre = words.GENRES[place % len(words.GENRES)]
        albums = tuple(
            _album(f"{words.ALBUM_WORDS[place]} {end}", name, genre, titles, rng) for end in words.ALBUM_ENDS
        )
        made.append(Artist(name, genre, albums))
    return tuple(made)


def _album(title: str, artist: str, genre: str, titles: list[str], rng: Random) -> Album:
    released = datetime(rng.randint(2008, 2024), rng.randint(1, 12), rng.randint(1, 28))
    songs = tuple(
        Song(titles.pop(), artist, title, genre, rng.randint(120, 420), released, rng.randint(10, 990))
        for _ in range(_SONGS_PER_ALBUM)
    )
    return Album(title, artist, genre, released, songs)


def products(rng: Random) -> tuple[Product, ...]:
    """Each kind of product from each maker, at a price of its own."""
    return tuple(
        Product(
            name=f"{make} {kind}",
            kind=kind,
            seller=rng.choice(words.SELLERS),
            price=rng.randint(low, high) + rng.choice((0.0, 0.25, 0.5, 0.75)),
            delivery_days=rng.randint(1, 7),
            color=rng.choice(words.COLORS),
            rating=rng.randint(20, 50) / 10,
        )
        for kind, (low, high) in words.PRODUCT_KINDS.items()
        for make in words.PRODUCT_MAKES
    )
