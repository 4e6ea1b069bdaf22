"""holdcourse: reproducible experiments on keeping LLM agents on course."""

__version__ = "0.1.0"
