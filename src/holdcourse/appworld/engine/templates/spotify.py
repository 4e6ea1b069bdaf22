"""Tasks in Spotify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION, Changes, account, deed
from holdcourse.appworld.engine.templates.values import nobodys_first, some, thresholds
from holdcourse.appworld.engine.world.records import Person, Song, World
from holdcourse.recipes import spotify as recipes


def liked_by(person: Person, artist: str) -> list[Song]:
    """The songs by an artist that a person likes."""
    return [song for song in person.liked_songs if song.artist == artist]


def _songs_to_like(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    liked = {song.title for other in world.people for song in other.liked_songs}
    own = {song.title for song in person.liked_songs}
    titles = [song.title for song in world.songs]
    # First those that nobody likes yet: anybody can be asked to like them.
    return [{"song": title} for title in nobodys_first(titles, liked, own, rng)]


def _song_liked(scene: Scene) -> Truth:
    song = scene.models.spotify.Song.find_one(title=scene.values["song"])
    return Changes(
        added={"spotify.SongLike": [{"song_id": song.id, "user_id": account(scene, "spotify")}]},
        updated={"spotify.Song": [{"id": song.id, "like_count": song.like_count + 1}]},
    ).truth


def _artists_to_follow(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    known = {artist.name for artist in person.followed_artists}
    return [{"artist": artist.name} for artist in some(world.artists, rng, 12) if artist.name not in known]


def _artist_followed(scene: Scene) -> Truth:
    artist = scene.models.spotify.Artist.find_one(name=scene.values["artist"])
    following = {"artist_id": artist.id, "user_id": account(scene, "spotify")}
    return Changes(added={"spotify.UserArtistFollowing": [following]}).truth


def _playlists_to_delete(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return [{"playlist": playlist.title} for playlist in some(person.playlists, rng)]


def _playlist_deleted(scene: Scene) -> Truth:
    app = scene.models.spotify
    playlist = app.Playlist.find_one(user_id=account(scene, "spotify"), title=scene.values["playlist"])
    entries = [entry.id for entry in app.PlaylistSong.find_all(playlist_id=playlist.id)]
    return Changes(removed={"spotify.Playlist": [playlist.id], "spotify.PlaylistSong": entries}).truth


def _lengths(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    songs = {song for playlist in person.playlists for song in playlist.songs}
    return [{"seconds": limit} for limit in thresholds((song.seconds for song in songs), rng, 12, step=5)]


def _long_songs(scene: Scene) -> Truth:
    app = scene.models.spotify
    playlists = app.Playlist.find_all(user_id=account(scene, "spotify"))
    numbers = {
        entry.song_id
        for playlist in playlists
        for entry in app.PlaylistSong.find_all(playlist_id=playlist.id)
    }
    limit = int(scene.values["seconds"])
    return Truth(sum(app.Song.by_id(number).duration > limit for number in numbers))


def _playlists_to_complete(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    artists = sorted({song.artist for song in person.liked_songs})
    return some(
        (
            {"artist": artist, "playlist": playlist.title}
            for artist in artists
            for playlist in person.playlists
            if set(liked_by(person, artist)) - set(playlist.songs)
        ),
        rng,
    )


def _liked_added(scene: Scene) -> Truth:
    app, user = scene.models.spotify, account(scene, "spotify")
    playlist = app.Playlist.find_one(user_id=user, title=scene.values["playlist"])
    artist = app.Artist.find_one(name=scene.values["artist"]).id
    present = {entry.song_id for entry in app.PlaylistSong.find_all(playlist_id=playlist.id)}
    liked = {like.song_id for like in app.SongLike.find_all(user_id=user)}
    missing = sorted(number for number in liked - present if artist in app.Song.by_id(number).artist_ids)
    entries = [{"playlist_id": playlist.id, "song_id": number} for number in missing]
    return Changes(added={"spotify.PlaylistSong": entries}).truth


_ON_SHELF = "playlist"
"""A planted playlist has no songs and no title that a task names: nothing is counted or changed for it."""

TEMPLATES = (
    Template(
        recipe=recipes.LIKE_SONG,
        difficulty=1,
        evaluation=deed("spotify.SongLike", "spotify.Song"),
        instances=_songs_to_like,
        truth=_song_liked,
        surfaces={"song_review": Surface(1, {"song": "{song}"})},
    ),
    Template(
        recipe=recipes.FOLLOW_ARTIST,
        difficulty=1,
        evaluation=deed("spotify.UserArtistFollowing"),
        instances=_artists_to_follow,
        truth=_artist_followed,
        surfaces={_ON_SHELF: Surface(1)},
    ),
    Template(
        recipe=recipes.DELETE_PLAYLIST,
        difficulty=1,
        evaluation=deed("spotify.Playlist", "spotify.PlaylistSong"),
        instances=_playlists_to_delete,
        truth=_playlist_deleted,
        surfaces={_ON_SHELF: Surface(0)},
    ),
    Template(
        recipe=recipes.COUNT_LONG_SONGS,
        difficulty=2,
        evaluation=QUESTION,
        instances=_lengths,
        truth=_long_songs,
        surfaces={_ON_SHELF: Surface(0)},
    ),
    Template(
        recipe=recipes.ADD_LIKED_TO_PLAYLIST,
        difficulty=2,
        evaluation=deed("spotify.PlaylistSong"),
        instances=_playlists_to_complete,
        truth=_liked_added,
        surfaces={_ON_SHELF: Surface(1)},
    ),
)
