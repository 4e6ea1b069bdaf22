"""How each of our AppWorld tasks is worked on, step by step: plain data for engine and simulated agent."""
