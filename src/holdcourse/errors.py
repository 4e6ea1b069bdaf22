"""The error that a user sees: one message, no traceback."""


class HoldcourseError(Exception):
    """Something a user can mend. The message names what was given, what was expected, what to do."""
