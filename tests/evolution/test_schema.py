"""The network schema."""

from __future__ import annotations

from holdcourse.evolution.schema import NODE_TYPES, RELATIONS, NetworkSchema


def test_only_the_listed_triples_are_admitted(schema: NetworkSchema) -> None:
    admitted = [
        [source, relation, target]
        for source in NODE_TYPES
        for relation in RELATIONS
        for target in NODE_TYPES
        if schema.admits(source, relation, target)
    ]
    assert sorted(admitted) == schema.triples()
    assert len(admitted) == 6
    assert not schema.admits("norm", "supports", "knowledge")
