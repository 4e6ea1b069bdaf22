"""What is asked for in Spotify, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.paging import every
from holdcourse.recipes.recipe import Recipe


def read_playlists(name: str) -> str:
    """Code that prints the playlists in the library and leaves them in the variable `name`."""
    return (
        every(name, "spotify.show_playlist_library", "access_token=spotify_token")
        + f"""
for playlist in {name}:
    print("playlist:", playlist["title"], len(playlist["song_ids"]), "songs")"""
    )


LIKE_SONG = Recipe(
    name="like_song",
    apps=("spotify",),
    sentences=(
        "Like the song {song} on Spotify.",
        "Put a like on the Spotify song {song} for me.",
        "I enjoy the track {song}, so give it a like on Spotify.",
    ),
    steps=(
        """hits = apis.spotify.search_songs(query={song}, page_limit=20)
song_to_like = next(song for song in hits if song["title"] == {song})
print(song_to_like["title"], "by", song_to_like["artists"][0]["name"])""",
        """reviews = apis.spotify.show_song_reviews(song_id=song_to_like["song_id"], page_limit=20)
print(len(reviews), "reviews of the song")
for review in reviews:
    print(review["user"]["name"], "rates", review["rating"], "-", review["title"], review["text"])""",
        """done = apis.spotify.like_song(song_id=song_to_like["song_id"], access_token=spotify_token)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

FOLLOW_ARTIST = Recipe(
    name="follow_artist",
    apps=("spotify",),
    sentences=(
        "Follow the artist {artist} on Spotify.",
        "Start following {artist} for me on Spotify.",
        "Make me a follower of the Spotify artist {artist} please.",
    ),
    steps=(
        """hits = apis.spotify.search_artists(query={artist}, page_limit=20, access_token=spotify_token)
artist_to_follow = next(artist for artist in hits if artist["name"] == {artist})
print(artist_to_follow["name"], "plays", artist_to_follow["genre"])""",
        read_playlists("shelf"),
        """done = apis.spotify.follow_artist(
    artist_id=artist_to_follow["artist_id"], access_token=spotify_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

DELETE_PLAYLIST = Recipe(
    name="delete_playlist",
    apps=("spotify",),
    sentences=(
        "Delete my Spotify playlist {playlist} for good.",
        "I no longer need my Spotify playlist {playlist}, so delete it.",
        "Remove the playlist {playlist} that I made on Spotify.",
    ),
    steps=(
        read_playlists("shelf")
        + """
playlist_to_delete = next(playlist for playlist in shelf if playlist["title"] == {playlist})""",
        """inside = apis.spotify.show_playlist(
    playlist_id=playlist_to_delete["playlist_id"], access_token=spotify_token
)
print("songs in it:", ", ".join(song["title"] for song in inside["songs"]))""",
        """done = apis.spotify.delete_playlist(
    playlist_id=playlist_to_delete["playlist_id"], access_token=spotify_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

COUNT_LONG_SONGS = Recipe(
    name="count_long_songs",
    apps=("spotify",),
    sentences=(
        "How many different songs of more than {seconds} seconds do I have on my Spotify playlists?",
        "Count the songs on all my Spotify playlists that last longer than {seconds} seconds, each once, and "
        "tell me.",
        "Over all my playlists on Spotify, what is the number of different songs that run for over {seconds} "
        "seconds?",
    ),
    steps=(
        read_playlists("playlists_to_time"),
        """songs_to_time = [
    apis.spotify.show_song(song_id=song_id)
    for song_id in sorted({number for playlist in playlists_to_time for number in playlist["song_ids"]})
]
for song in songs_to_time:
    print(song["title"], song["duration"], "seconds")""",
        """long_songs = [song["title"] for song in songs_to_time if song["duration"] > int({seconds})]
print(len(long_songs), "songs last longer:", ", ".join(long_songs))""",
        """apis.supervisor.complete_task(answer=len(long_songs))""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=True,
    difficulty=2,
)

ADD_LIKED_TO_PLAYLIST = Recipe(
    name="add_liked_to_playlist",
    apps=("spotify",),
    sentences=(
        "Add every song by {artist} that I like to my Spotify playlist {playlist} unless it is there "
        "already.",
        "Complete my Spotify playlist {playlist} with all songs by {artist} that I have liked.",
        "All the songs by {artist} among my likes belong on my Spotify playlist {playlist} too, so add those "
        "missing.",
    ),
    steps=(
        every("likes", "spotify.show_liked_songs", "access_token=spotify_token")
        + """
liked_to_add = [song for song in likes if {artist} in [artist["name"] for artist in song["artists"]]]
print(len(likes), "liked songs; by", {artist} + ":", ", ".join(song["title"] for song in liked_to_add))""",
        read_playlists("shelf")
        + """
playlist_to_fill = next(playlist for playlist in shelf if playlist["title"] == {playlist})""",
        """for song in liked_to_add:
    if song["song_id"] not in playlist_to_fill["song_ids"]:
        done = apis.spotify.add_song_to_playlist(
            playlist_id=playlist_to_fill["playlist_id"], song_id=song["song_id"], access_token=spotify_token
        )
        print(song["title"], "-", done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=False,
    difficulty=2,
)

RECIPES = (LIKE_SONG, FOLLOW_ARTIST, DELETE_PLAYLIST, COUNT_LONG_SONGS, ADD_LIKED_TO_PLAYLIST)
