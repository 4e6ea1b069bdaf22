"""The recovery graph: what drifted, what that did, whether to roll back or call a human (drift paper §4).

Knows nothing of AppWorld: it takes plain steps, documentation as data, and any model.
"""
