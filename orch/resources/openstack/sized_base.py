"""Base of the types with a ``size`` in GiB that can only grow."""

import collections.abc
import typing

from orch.resources.openstack import base

_SIZE: typing.Final = "size"

Values = collections.abc.Mapping[str, object]


class SizedResource(base.OpenStackResource):
    """A resource with a disk, which the service can extend."""

    def needs_replacement(
        self,
        before: Values,
        after: Values,
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Whether it is to be smaller: it can only grow."""
        old, new = before.get(_SIZE), after.get(_SIZE)
        if _SIZE not in changed or new is None or old is None:
            return super().needs_replacement(before, after, changed)
        return int(str(new)) < int(str(old)) or super().needs_replacement(
            before, after, changed
        )

    def leaves(
        self, name: str, stored: object, desired: object, live: object
    ) -> bool:
        """Whether a user has extended it beyond the desired size.

        A smaller one would be empty; a lower size replaces it.
        """
        sizes = (stored, desired, live)
        if name != _SIZE or None in sizes:
            return False
        old, new, found = (int(str(size)) for size in sizes)
        return old <= new < found
