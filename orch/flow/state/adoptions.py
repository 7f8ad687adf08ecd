"""What an operation was told of things that are taken over, or let go of."""

import collections.abc
import dataclasses

from orch.model import adoption
from orch.model import operation

Documents = collections.abc.Mapping[str, collections.abc.Mapping[str, object]]


@dataclasses.dataclass(frozen=True, slots=True)
class Adoptions:
    """Adoption and abandonment in one operation.

    :ivar inner: what stacks in the stack are adopted from, by name of the
        resource that holds each
    """

    asked: operation.Operation
    inner: Documents

    def verification(self) -> adoption.Verify:
        """Return how closely things are looked at that are adopted."""
        asked = self.asked.options.get(adoption.VERIFY)
        return adoption.Verify(str(asked or adoption.Verify.WARN))
