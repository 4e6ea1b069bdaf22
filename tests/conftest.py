"""How tests run: property tests without a time limit, and a costly study made once for all that use it."""

import os

import pytest
from hypothesis import settings

settings.register_profile("anywhere", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a room that runs a whole study in one process, so that it is run once."""
    for item in items:
        if item.path.parent.name == "workflow":
            item.add_marker(pytest.mark.xdist_group("workflow"))
