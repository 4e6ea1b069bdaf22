"""Writes music, notes, to-do projects and files."""

from __future__ import annotations

from collections import Counter

from holdcourse.appworld.engine.world.accounts import JOINED
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.appworld.engine.world.tables import Tables

_COLORS = ("blue", "green", "orange")


def write_music(world: World, tables: Tables) -> None:
    """Add the catalogue, and what each person keeps of it."""
    artists, albums, songs = {}, {}, {}
    likes = Counter(song.title for person in world.people for song in person.liked_songs)
    for artist in world.artists:
        artists[artist.name] = tables.add(
            "spotify", "Artist", name=artist.name, genre=artist.genre, created_at=JOINED
        )
        for album in artist.albums:
            albums[album.title] = tables.add(
                "spotify",
                "Album",
                title=album.title,
                artist_ids=[artists[artist.name]],
                release_date=album.released,
                genre=album.genre,
            )
            for song in album.songs:
                songs[song.title] = tables.add(
                    "spotify",
                    "Song",
                    title=song.title,
                    artist_ids=[artists[artist.name]],
                    album_id=albums[album.title],
                    duration=song.seconds,
                    release_date=song.released,
                    genre=song.genre,
                    play_count=song.play_count,
                    like_count=likes[song.title],
                )
    for number, person in enumerate(world.people, start=1):
        queue = [songs[song.title] for song in person.queue]
        cursor = 0 if queue else None
        tables.add("spotify", "MusicPlayer", user_id=number, queue_song_ids=queue, cursor_position=cursor)
        for song in person.library_songs:
            tables.add(
                "spotify", "UserLibrarySong", user_id=number, song_id=songs[song.title], created_at=JOINED
            )
        for song in person.liked_songs:
            tables.add("spotify", "SongLike", user_id=number, song_id=songs[song.title], liked_at=JOINED)
        for album in person.library_albums:
            tables.add(
                "spotify", "UserLibraryAlbum", user_id=number, album_id=albums[album.title], created_at=JOINED
            )
        for artist in person.followed_artists:
            tables.add(
                "spotify",
                "UserArtistFollowing",
                user_id=number,
                artist_id=artists[artist.name],
                created_at=JOINED,
            )
        for playlist in person.playlists:
            made = tables.add(
                "spotify",
                "Playlist",
                title=playlist.title,
                user_id=number,
                is_public=playlist.public,
                created_at=JOINED,
            )
            for song in playlist.songs:
                tables.add(
                    "spotify", "PlaylistSong", playlist_id=made, song_id=songs[song.title], added_at=JOINED
                )


def write_papers(world: World, tables: Tables) -> None:
    """Add notes, projects and files."""
    for number, person in enumerate(world.people, start=1):
        for note in person.notes:
            tables.add(
                "simple_note",
                "Note",
                user_id=number,
                title=note.title,
                content=note.content,
                tags=list(note.tags),
                pinned=note.pinned,
                created_at=note.made,
                updated_at=note.made,
            )
        _write_projects(number, person, tables)
        _write_files(number, person, tables)


def _write_projects(number: int, person: Person, tables: Tables) -> None:
    names = dict.fromkeys(
        label for project in person.projects for todo in project.todos for label in todo.labels
    )
    labels = {name: tables.add("todoist", "Label", user_id=number, name=name) for name in names}
    for place, name in enumerate(("Inbox", *(project.name for project in person.projects))):
        inbox = place == 0
        made = tables.add(
            "todoist",
            "Project",
            user_id=number,
            name=name,
            is_inbox=inbox,
            color="charcoal" if inbox else _COLORS[place % len(_COLORS)],
            created_at=JOINED,
        )
        tables.add("todoist", "ProjectCollaboratorLink", project_id=made, user_id=number, created_at=JOINED)
        for order, todo in enumerate(() if inbox else person.projects[place - 1].todos):
            task = tables.add(
                "todoist",
                "Task",
                project_id=made,
                user_id=number,
                title=todo.title,
                description=todo.description,
                due_date=todo.due,
                priority=todo.priority,
                is_completed=todo.done,
                order_index=order,
                created_at=JOINED,
            )
            for label in todo.labels:
                tables.add("todoist", "TaskLabelLink", task_id=task, label_id=labels[label])


def _write_files(number: int, person: Person, tables: Tables) -> None:
    home = f"/home/{person.first_name.lower()}/"
    folders = {"/", "/home/", home}
    for file in person.files:
        parts = file.path.removeprefix("~/").split("/")[:-1]
        folders.update(home + "/".join(parts[: depth + 1]) + "/" for depth in range(len(parts)))
    for folder in sorted(folders):
        tables.add(
            "file_system",
            "Directory",
            path=folder,
            tilde_path=folder.replace(home, "~/"),
            user_id=number,
            created_at=JOINED,
            updated_at=JOINED,
        )
    for file in person.files:
        tables.add(
            "file_system",
            "File",
            path=home + file.path.removeprefix("~/"),
            tilde_path=file.path,
            user_id=number,
            content=file.content,
            created_at=file.made,
            updated_at=file.made,
        )
