"""Build the audience of notifications, with redacted properties."""

import collections.abc
import logging

from orch import errors
from orch.db import engine as db_engine
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.events import recorder
from orch.model import resource
from orch.model import stack

LOG = logging.getLogger(__name__)


def operation_audience(
    database: db_engine.Database,
    find: tree_secrets.Find,
    stack: stack.Stack,
) -> recorder.Audience:
    """Return the audience of an operation.

    Templates are read with the first notification.

    :param find: returns the template of a stack, ``None`` where it cannot be
        read
    """
    return recorder.Audience(
        stack,
        _RedactedProperties(
            lambda: database.query(
                lambda connection: tree_secrets.redaction_of(
                    connection, find, stack
                )
            )
        ),
    )


def transaction_audience(
    connection: db_engine.Connection,
    find: tree_secrets.Find,
    stack: stack.Stack,
) -> recorder.Audience:
    """Return the audience of the notifications of one transaction."""
    return recorder.Audience(
        stack,
        _RedactedProperties(
            lambda: tree_secrets.redaction_of(connection, find, stack)
        ),
    )


class _RedactedProperties:
    """The redacted properties of resources."""

    def __init__(
        self, look: collections.abc.Callable[[], redaction.Redaction]
    ) -> None:
        self._look = look
        self._found: redaction.Redaction | None = None

    def __call__(self, row: resource.Resource) -> dict[str, object]:
        """Return the current properties, or those that an update desires."""
        return self._find().values(row.acting_properties)

    def _find(self) -> redaction.Redaction:
        """Return what is redacted: all while that cannot be read."""
        if self._found is None:
            try:
                self._found = self._look()
            except errors.OrchError as error:
                LOG.warning("properties are not shown: %s", error)
                return redaction.BLIND
        return self._found
