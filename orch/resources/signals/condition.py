"""Base of the conditions that wait for enough signals to a handle."""

import collections.abc
import dataclasses
import json
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.resources.signals import entries


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """Names of the properties and the attribute in one kind of condition."""

    handle: str
    timeout: str
    count: str
    data: str


class NoHandle(errors.Permanent):
    """The handle of a wait condition is not a resource of its stack."""

    code = "orch.wait_condition.no_handle"


class WaitConditionFailure(errors.Permanent):
    """A signal reported a failure.

    A retry waits again, and replaces nothing.
    """

    code = "orch.wait_condition.failure"
    is_verdict = False


class WaitConditionTimeout(errors.Permanent):
    """Too few signals came in time.

    A retry waits again, and replaces nothing.
    """

    code = "orch.wait_condition.timeout"
    is_verdict = False


class Condition(no_physical_resource.NoPhysicalResource):
    """Complete once its handle has taken enough signals of success."""

    names: typing.ClassVar[Names]

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Begin to wait.

        :raises NoHandle: there is nothing to wait for
        """
        self._check_handle(context)
        return context.physical_name

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once enough signals came.

        :raises WaitConditionFailure: one of them told of a failure
        :raises WaitConditionTimeout: they did not come in time
        """
        # The signals come first: one that came in time counts.
        known = dict(entries.iterate_entries(context.signals))
        desired = typing.cast("int", context.properties[self.names.count])
        wait_s = typing.cast("float", context.properties[self.names.timeout])
        # A clock that was set back must not prolong it.
        left = min(wait_s, context.started_at + wait_s - self.clock.now())
        said = describe_missing(known, desired, left)
        if said is None:
            return call_context.DONE
        return call_context.Pending(
            after_s=left, note=said, awaits_signal=True
        )

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Begin to wait anew, for as many signals as are wanted now.

        :raises NoHandle: there is nothing to wait for
        """
        self._check_handle(context)

    is_updated = is_created

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the signals brought, by their ids, as JSON text."""
        found = {
            entry_id: entry.get("data")
            for entry_id, entry in entries.iterate_entries(context.signals)
        }
        return {self.names.data: json.dumps(found)}

    def _check_handle(self, context: call_context.Context) -> None:
        if not context.has_signal_source:
            raise NoHandle(
                f"{self.names.handle} names no handle of this stack; set it"
                " to get_resource of a WaitConditionHandle in the same"
                " template"
            )


def describe_missing(
    known: entries.Entries, desired: int, left_s: float
) -> str | None:
    """Return how many signals came, for people; ``None`` once all did.

    :param left_s: seconds that there are for those that did not come yet
    :raises WaitConditionFailure: one of them told of a failure
    :raises WaitConditionTimeout: there is no time left for the others
    """
    failed = entries.list_reasons(known, entries.FAILURE)
    if failed:
        raise WaitConditionFailure(";".join(failed))
    if len(known) >= desired:
        return None
    said = f"{len(known)} of {desired} received"
    if left_s <= 0:
        came = entries.list_reasons(known, entries.SUCCESS)
        raise WaitConditionTimeout(
            f"{said} - {';'.join(came)}" if came else said
        )
    return said
