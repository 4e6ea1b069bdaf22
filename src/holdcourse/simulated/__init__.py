"""The offline language model: a deterministic stand-in that answers every role from its request alone.

It exercises the pipeline and is no evidence about the method; docs/simulated-model.md states what it
assumes. Only `holdcourse.llm` imports this package.
"""
