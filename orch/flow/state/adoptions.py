"""The adoption or abandonment that an operation was requested to do."""

import collections.abc
import dataclasses

from orch.model import adoption
from orch.model import operation as operation_model

Documents = collections.abc.Mapping[str, collections.abc.Mapping[str, object]]


@dataclasses.dataclass(frozen=True, slots=True)
class Adoptions:
    """Adoption and abandonment in one operation.

    :ivar children: documents that child stacks are adopted from, by name of
        the resource of each
    """

    operation: operation_model.Operation
    children: Documents

    def verification(self) -> adoption.Verify:
        """Return how strictly adopted physical resources are verified."""
        operation = self.operation.options.get(adoption.VERIFY)
        return adoption.Verify(str(operation or adoption.Verify.WARN))
