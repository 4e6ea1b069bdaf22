"""Size of a graph as stored; a flat-text arm has none."""

from __future__ import annotations


def graph_size(record: object) -> tuple[int | None, int | None]:
    """Nodes and edges of a stored graph; (None, None) for a flat-text arm."""
    if not isinstance(record, dict) or "nodes" not in record:
        return None, None
    return len(record["nodes"]), len(record["edges"])
