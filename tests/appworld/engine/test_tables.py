"""Differences between two states of a database, as the evaluator counts them."""

import sqlite3

from holdcourse.appworld.engine.tables import Change, differences, rows_of


def database(*rows: tuple[int, str, str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE plants (id INTEGER, name TEXT, record_hash TEXT)")
    connection.execute("CREATE TABLE plants_fts (name TEXT)")
    connection.executemany("INSERT INTO plants VALUES (?, ?, ?)", rows)
    return connection


def changes(before: sqlite3.Connection, after: sqlite3.Connection) -> tuple[Change, ...]:
    return differences(rows_of("garden", before), rows_of("garden", after))


def test_equal_states_do_not_differ() -> None:
    assert changes(database((1, "fern", "a")), database((1, "fern", "a"))) == ()


def test_added_updated_and_removed_rows_are_counted() -> None:
    before = database((1, "fern", "a"), (2, "moss", "b"))
    after = database((1, "ivy", "c"), (3, "rose", "d"))
    (change,) = changes(before, after)
    assert change == Change("garden.plants", 1, 1, 1, ("name",))
    assert str(change) == "garden.plants:+1/~1/-1 (name)"


def test_a_row_put_back_under_another_id_equals_itself() -> None:
    assert changes(database((1, "fern", "a")), database((9, "fern", "a"))) == ()


def test_where_the_engines_hash_alone_differs_it_is_named() -> None:
    (change,) = changes(database((1, "fern", "a")), database((1, "fern", "b")))
    assert change.columns == ("record_hash",)


def test_tables_that_the_evaluator_does_not_compare_are_left_out() -> None:
    assert rows_of("garden", database()) == {"garden.plants": {}}
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE tasks (id INTEGER, record_hash TEXT)")
    assert rows_of("supervisor", connection) == {}
