"""Physical resources that lost calls have made beside the known one."""

import dataclasses
import typing

from oslo_log import log

from orch import errors
from orch.flow.state import store
from orch.flow.tasks import base
from orch.flow.tasks import plugin_errors
from orch.model import leftover
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import resource

LOG = log.getLogger(__name__)

MAX_NAMED: typing.Final = 3
MAX_TRIES: typing.Final = 5
FIRST_PAUSE_S: typing.Final = 1.0
"""Before the second try to remove it; each pause is twice as long."""


class Surplus:
    """What bears the token of one resource beside its physical id.

    :ivar left_over: why some of it is left in place, once that is so
    """

    def __init__(self, resources: store.Store) -> None:
        """Look for nothing yet."""
        self._resources = resources
        self._removing: list[call_context.Context] = []
        self._removed: set[str | None] = set()
        self._failures = 0
        self._is_over = False
        self.left_over: leftover.Cause | None = None

    def remove(
        self,
        row: model_resource.Resource,
        plugin: resource.Resource,
        context: call_context.Context,
    ) -> base.Step | None:
        """Remove the surplus of a resource; ``None`` once there is none.

        It costs a call only where one was lost, and is called again for each
        step that is pending. What a service lists although it has removed it
        is removed only once.

        :param context: with the physical id, which is removed already where
            the change is a deletion
        :raises orch.errors.OrchError: it cannot be found or removed now
        """
        if self._is_over or not row.may_have_surplus:
            return None
        for each in tuple(self._removing):
            pending = base.check_pending(plugin.is_deleted(each), "is_deleted")
            if pending is not None:
                return base.Step(pending=pending)
            self._removing.remove(each)
            self._removed.add(each.physical_id)
        found = self._find(row, plugin, context)
        if not found:
            self._is_over = True
            return None
        for each in found:
            plugin.delete(each)
        self._removing = found
        named = ", ".join(str(each.physical_id) for each in found[:MAX_NAMED])
        return base.Step(
            pending=call_context.Pending(),
            reason=f"Removing {len(found)} more that earlier calls to create"
            f" it have made, whose answers were lost: {named}",
        )

    def try_to_remove(
        self,
        row: model_resource.Resource,
        plugin: resource.Resource,
        context: call_context.Context,
        what_then: str,
    ) -> base.Step | None:
        """Remove the surplus of a resource that is otherwise complete.

        What cannot be removed is no reason that the resource fails, nor that
        the operation is blocked. So what may pass by itself is tried again
        here, a few times.

        :param what_then: happens with what cannot be removed, for people
        """
        try:
            return self.remove(row, plugin, context)
        except (errors.Transient, errors.Busy) as error:
            self._failures += 1
            if self._failures < MAX_TRIES:
                pause_s = FIRST_PAUSE_S * 2 ** (self._failures - 1)
                return base.Step(pending=call_context.Pending(pause_s))
            return self._give_up(context, error, what_then)
        except BaseException as error:
            return self._give_up(context, error, what_then)

    def _give_up(
        self,
        context: call_context.Context,
        error: BaseException,
        what_then: str,
    ) -> base.Step:
        """Return a step that reports what cannot be removed."""
        wrapped = plugin_errors.wrap_plugin_error(error)
        text = logged_errors.redact_error(wrapped, [context])
        LOG.warning("surplus of %s: %s", context.physical_name, text)
        self._is_over = True
        self.left_over = leftover.Cause.SURPLUS
        return base.Step(
            pending=call_context.Pending(after_s=0.0),
            reason="What earlier calls to create it have made in addition"
            f" cannot be removed now; {what_then}:"
            f" {errors.kind_of(wrapped)}: {wrapped}",
        )

    def _find(
        self,
        row: model_resource.Resource,
        plugin: resource.Resource,
        context: call_context.Context,
    ) -> list[call_context.Context]:
        """Return a context for each physical resource to remove.

        While the resource exists the known one has to be among what is
        found: else its id may be another name of one of them.
        """
        found = {
            created.physical_id: created
            for each in plugin.find_all(context)
            for created in [base.check_created(each, "find_all")]
        }
        is_known = found.pop(context.physical_id or "", None) is not None
        if not found or not (is_known or row.is_being_deleted):
            return []
        owned = self._resources.claims.find_owned(row, found)
        return [
            dataclasses.replace(
                base.with_created(context, each), is_surplus=True
            )
            for physical_id, each in found.items()
            if physical_id not in owned | self._removed
        ]
