"""What an operation leaves in place for good, until it is written."""

import collections.abc
import typing

from orch import clock
from orch import errors
from orch.model import leftover
from orch.model import operation
from orch.model import resource
from orch.model import retry_exclusions
from orch.plugin import registry

WithScope = collections.abc.Callable[[resource.Resource], resource.Resource]

RESULT: typing.Final = "left_over"
"""Key of the result of a change: why it has left something in place."""


class Departures:
    """Collects left-over physical resources, and adopted ones."""

    def __init__(
        self,
        operation: operation.Operation,
        types: registry.Types,
        clock_: clock.Clock,
        with_scope: WithScope,
    ) -> None:
        """Start without any.

        :param with_scope: returns a row with the scope of its physical id
        """
        self._with_scope = with_scope
        self._operation = operation
        self._types = types
        self._clock = clock_
        self._left: list[leftover.Departure] = []
        self._adopted: list[leftover.Adopted] = []

    def note_orphan(self, row: resource.Resource) -> None:
        """Note that a resource is forgotten by request.

        :param row: as it was until then
        """
        skip = retry_exclusions.RetryExclusions.of(
            self._operation.options
        ).skip
        is_skipped = row.name in skip
        cause = leftover.Cause.SKIPPED if is_skipped else None
        self.note(row, cause or leftover.Cause.ORPHANED, row.status_reason)

    def note(
        self, row: resource.Resource, cause: leftover.Cause, reason: str
    ) -> None:
        """Note that a resource is forgotten, if that leaves something."""
        if not leftover.is_left(row) or self._is_effect_free(row):
            return
        self._left.append(
            leftover.Departure(
                self._with_scope(row),
                cause,
                reason,
                self._clock.now(),
                self._operation.id,
            )
        )

    def note_adopted(self, row: resource.Resource) -> None:
        """Note that the stack has the physical resource of a row from now."""
        if row.physical_id is None:
            return
        scope = self._with_scope(row).id_scope
        self._adopted.append(
            leftover.Adopted(row.plugin_type, row.physical_id, scope)
        )

    def take(
        self,
    ) -> tuple[
        collections.abc.Sequence[leftover.Departure],
        collections.abc.Sequence[leftover.Adopted],
    ]:
        """Return, once, what is to be written."""
        taken = self._left, self._adopted
        self._left, self._adopted = [], []
        return taken

    def _is_effect_free(self, row: resource.Resource) -> bool:
        """Whether there is nothing of it outside of our rows."""
        try:
            plugin = self._types.get(row.plugin_type)
        except errors.NotFound:
            return False
        return bool(plugin.is_effect_free(row.properties))
