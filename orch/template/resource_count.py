"""Count the resources of a tree of stacks while it is expanded.

Templates of a few bytes may describe any number of resources. Each walk over
the levels of a tree shares one count, adds each level to it before it goes
deeper, and ends at the first resource too many.
"""

import typing

from orch.context import deadline
from orch.template import errors

TOO_MANY: typing.Final = (
    "Request limit exceeded: Maximum resources per stack exceeded."
)


class ResourceCount:
    """The resources of a tree, as far as it is expanded."""

    def __init__(self, limit: int) -> None:
        """Count none yet.

        :param limit: resources that a tree may have; -1 for any number
        """
        self._limit = limit
        self._found = 0

    def add(self, more: int) -> None:
        """Count the resources of one more stack of the tree.

        :raises orch.template.errors.TooLarge: the tree has too many
        :raises orch.context.deadline.DeadlineExceeded: the caller of the
            request waits no longer
        """
        deadline.check()
        self._found += more
        if 0 <= self._limit < self._found:
            raise errors.TooLarge(TOO_MANY)
