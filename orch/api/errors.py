"""Errors that only the API can tell."""

from orch import errors


class InvalidStackName(errors.Invalid):
    """A stack cannot bear this name."""

    code = "orch.stack.invalid_name"


class NothingHere(errors.NotFound):
    """The list that a caller named by its address is empty."""

    code = "orch.api.nothing_here"


class StillStopping(errors.Conflict):
    """What runs was told to end, and has not yet."""

    code = "orch.api.still_stopping"
