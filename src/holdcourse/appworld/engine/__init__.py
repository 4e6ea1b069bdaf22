"""What runs under the engine's own environment (`.venv-appworld`): world, tasks, the server of episodes."""
