"""Base of the conditions that wait until a handle was signalled enough."""

import collections.abc
import dataclasses
import json
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.plugin import resource
from orch.resources.signals import entries


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """How a kind of condition calls its properties and its attribute."""

    handle: str
    timeout: str
    count: str
    data: str


class NoHandle(errors.Permanent):
    """The handle of a wait condition is none of its stack."""

    code = "orch.wait_condition.no_handle"


class WaitConditionFailure(errors.Permanent):
    """A signal told of a failure."""

    code = "orch.wait_condition.failure"


class WaitConditionTimeout(errors.Permanent):
    """Too few signals came in time."""

    code = "orch.wait_condition.timeout"


class Condition(resource.Resource):
    """Complete once its handle has taken so many signals of success."""

    names: typing.ClassVar[Names]

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Keep options and clock.

        :param clock_: tells the time while it waits; the machine's when
            none is given
        """
        super().__init__(conf)
        self._clock = clock_ or clock.SystemClock()

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Begin to wait.

        :raises NoHandle: there is nothing to wait for
        """
        self._check_handle(context)
        return context.physical_name

    def is_created(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once enough signals came.

        :raises WaitConditionFailure: one of them told of a failure
        :raises WaitConditionTimeout: they did not come in time
        """
        return self._wait(context)

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Answer that nothing is left: there is nothing in the world."""
        return None

    def update(
        self,
        context: resource.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Begin to wait anew, for as many signals as are wanted now.

        :raises NoHandle: there is nothing to wait for
        """
        self._check_handle(context)

    def is_updated(self, context: resource.Context) -> resource.Pending | None:
        """Answer as :meth:`is_created` does."""
        return self._wait(context)

    def read_attributes(
        self, context: resource.Context, names: collections.abc.Collection[str]
    ) -> collections.abc.Mapping[str, object]:
        """Return what the signals brought, by their ids, as JSON text."""
        found = {
            entry_id: entry.get("data")
            for entry_id, entry in entries.each(context.signals)
        }
        return {self.names.data: json.dumps(found)}

    def _check_handle(self, context: resource.Context) -> None:
        if not context.has_heard:
            raise NoHandle(
                f"{self.names.handle} names no handle of this stack; set it"
                " to get_resource of a WaitConditionHandle beside it"
            )

    def _wait(self, context: resource.Context) -> resource.Pending | None:
        """Look at the signals first: one that came in time counts."""
        known = dict(entries.each(context.signals))
        failed = entries.reasons(known, entries.FAILURE)
        if failed:
            raise WaitConditionFailure(";".join(failed))
        wanted = typing.cast("int", context.properties[self.names.count])
        if len(known) >= wanted:
            return resource.DONE
        wait_s = typing.cast("float", context.properties[self.names.timeout])
        # A clock that was set back must not prolong it.
        left = min(wait_s, context.started_at + wait_s - self._clock.now())
        said = f"{len(known)} of {wanted} received"
        if left <= 0:
            came = entries.reasons(known, entries.SUCCESS)
            raise WaitConditionTimeout(
                f"{said} - {';'.join(came)}" if came else said
            )
        return resource.Pending(after_s=left, note=said, awaits_signal=True)
