"""Importing the engine before workers are forked, so that each finds it loaded."""

from __future__ import annotations


def preload() -> None:
    """Import the engine's parts, and read the documentation of every app, which it keeps.

    Nothing is opened: no database, no thread, no stopped clock.
    """
    from appworld.api_docs import prepare_api_docs
    from appworld.apps import get_all_apps
    from appworld.environment import AppWorld
    from appworld.evaluator import evaluate_task

    _ = AppWorld, evaluate_task
    for app in get_all_apps():
        prepare_api_docs(app)
