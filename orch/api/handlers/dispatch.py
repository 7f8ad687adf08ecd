"""What happens once the engine has accepted a request durably."""

import logging

from orch.context import request
from orch.rpc import contract

LOG = logging.getLogger(__name__)


class Starter:
    """Wakes the workers up for an accepted operation."""

    def __init__(self, client: contract.Operations) -> None:
        self._operations = client

    def start(
        self, ctxt: request.RequestContext, accepted: contract.Accepted
    ) -> None:
        """Hint to the workers; whatever fails here fails no request.

        The operation is a row: without the hint the workers' scan finds it,
        a few seconds later.
        """
        operation_id = accepted["operation_id"]
        try:
            self._operations.run(ctxt, operation_id)
        except Exception as error:
            LOG.warning(
                "No hint sent for operation %s, the scan will find it: %r",
                operation_id,
                error,
            )
