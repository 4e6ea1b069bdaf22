"""The invented people of our AppWorld world, what they have, and how it gets into the engine's databases."""
