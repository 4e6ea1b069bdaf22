"""The AppWorld engine with a world of our own: tasks, a client, drift injection, labels."""
