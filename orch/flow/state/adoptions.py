"""What an operation was told of things that are taken over, or let go of."""

import collections.abc
import dataclasses

from orch.model import adoption
from orch.model import operation as operation_model

Documents = collections.abc.Mapping[str, collections.abc.Mapping[str, object]]


@dataclasses.dataclass(frozen=True, slots=True)
class Adoptions:
    """Adoption and abandonment in one operation.

    :ivar children: what stacks in the stack are adopted from, by name of the
        resource that holds each
    """

    operation: operation_model.Operation
    children: Documents

    def verification(self) -> adoption.Verify:
        """Return how closely things are looked at that are adopted."""
        operation = self.operation.options.get(adoption.VERIFY)
        return adoption.Verify(str(operation or adoption.Verify.WARN))
