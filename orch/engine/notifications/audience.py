"""Build the audience of notifications, with redacted properties."""

import collections.abc
import logging

from orch import errors
from orch.db import engine as db_engine
from orch.engine.secrets import masks
from orch.engine.secrets import stack_masks
from orch.events import recorder
from orch.model import resource
from orch.model import stack

LOG = logging.getLogger(__name__)


def operation_audience(
    database: db_engine.Database,
    find: stack_masks.Find,
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
                lambda connection: stack_masks.outside(connection, find, stack)
            )
        ),
    )


def transaction_audience(
    connection: db_engine.Connection,
    find: stack_masks.Find,
    stack: stack.Stack,
) -> recorder.Audience:
    """Return the audience of the notifications of one transaction."""
    return recorder.Audience(
        stack,
        _RedactedProperties(
            lambda: stack_masks.outside(connection, find, stack)
        ),
    )


class _RedactedProperties:
    """The redacted properties of resources."""

    def __init__(
        self, look: collections.abc.Callable[[], masks.Masks]
    ) -> None:
        self._look = look
        self._masks: masks.Masks | None = None

    def __call__(self, row: resource.Resource) -> dict[str, object]:
        """Return the current properties, or those that an update desires."""
        return stack_masks.shown_properties(
            self._find_masks(), row.name, row.acting_properties
        )

    def _find_masks(self) -> masks.Masks:
        """Return the masks; all is redacted while they cannot be read."""
        if self._masks is None:
            try:
                self._masks = self._look()
            except errors.OrchError as error:
                LOG.warning("properties are not shown: %s", error)
                return masks.Masks([], is_blind=True)
        return self._masks
