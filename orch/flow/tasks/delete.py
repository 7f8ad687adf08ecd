"""Delete a resource, or forget one that is to be retained."""

import dataclasses
import typing

from orch import errors
from orch.flow.state import store
from orch.flow.tasks import answers
from orch.flow.tasks import base
from orch.flow.tasks import create
from orch.flow.tasks import late_calls
from orch.flow.tasks import surplus
from orch.model import resource as model_resource
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource

CAME_BACK: typing.Final = f"{model_resource.RETURNED}, and it has come back"
UNREADABLE: typing.Final = (
    f"{model_resource.RETURNED}, and whether it has come back cannot be read"
)

OWNED: typing.Final = (
    "Left behind: what an earlier attempt seems to have made belongs to"
    " another resource"
)


class DeleteTask(base.ChangeTask):
    """Starts the removal, then waits until nothing is left."""

    def __init__(self, change: plan.Change, resources: store.Store) -> None:
        """Make the task of a change; nothing is called yet."""
        super().__init__(change, resources)
        self._late_call = late_calls.LateCall(resources.clock)
        self._surplus = surplus.Surplus(resources)

    def pre_execute(self) -> None:
        """Determine whether the removal makes an outside call."""
        row = self._resolve_removal()
        if not _may_exist(row) or self._is_needless():
            self.is_effect_free = True
            return
        plugin = self._resources.plugin(row)
        if row.lacks_known_outcome:
            self._resources.desired_state.renew_lookup(self.change)
        self.is_effect_free = bool(plugin.is_effect_free(row.properties))
        if not self.is_effect_free:
            self._late_call.take_row(row)

    def begin(self) -> base.Step:
        """Start the removal of the physical resource, if one exists."""
        row = self._row()
        if not _may_exist(row) or self._is_needless():
            return base.Step()
        plugin, context = self._resources.context(row)
        if not row.is_there:
            return self._remove_surplus_only(plugin, context)
        created = None
        if context.physical_id is None:
            created = self._find(row, plugin, context)
            if created is None:
                waiting = self._late_call.wait(
                    plugin, context, "it counts as never made"
                )
                return waiting or base.Step()
            if self._resources.claims.find_owned(row, [created.physical_id]):
                return base.Step(reason=OWNED)
            context = base.with_created(context, created)
        if self.change.is_vanished:
            _check_vanished(plugin, context)
        plugin.delete(context)
        return self._watch(plugin, context, created)

    @staticmethod
    def _find(
        row: model_resource.Resource,
        plugin: resource.Resource,
        context: call_context.Context,
    ) -> call_context.CreateResult | None:
        try:
            return create.find_physical_resource(
                plugin, context, row.is_outcome_unknown
            )
        except call_context.OutcomeUnknown as error:
            raise answers.with_advice(error, context) from error

    def _watch(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        created: call_context.CreateResult | None,
    ) -> base.Step:
        """Check whether anything of it is left, or of its surplus."""
        pending = base.check_pending(plugin.is_deleted(context), "is_deleted")
        if pending is not None:
            return base.Step(created=created, pending=pending)
        left = self._surplus.remove(self._row(), plugin, context)
        if left is not None:
            return dataclasses.replace(left, created=created)
        return base.Step(created=created)

    def _remove_surplus_only(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        """Remove what lost calls made although the last one was refused.

        Most often there is nothing. So a service that cannot be asked any
        more does not keep the stack from being deleted.
        """
        left = self._surplus.try_to_remove(
            self._row(), plugin, context, "it counts as left over"
        )
        return left or base.Step(left_over=self._surplus.left_over)

    def _is_needless(self) -> bool:
        """Whether the update that it belongs to replaced nothing."""
        return self._resources.acting(self.change) is None

    def poll(self) -> base.Step:
        """Check whether anything is left."""
        row = self._row()
        plugin, context = self._resources.context(row)
        if not row.is_there:
            return self._remove_surplus_only(plugin, context)
        return self._watch(plugin, context, None)


def _may_exist(row: model_resource.Resource) -> bool:
    """Whether a call may have made something, known or not."""
    return row.is_there or row.may_have_surplus


def _check_vanished(
    plugin: resource.Resource, context: call_context.Context
) -> None:
    """Raise Returned unless a vanished physical resource is still gone.

    :raises base.Returned: it exists, or cannot be read
    :raises orch.errors.Transient: it cannot be read now
    """
    try:
        plugin.get_reality(context)
    except reality.Vanished:
        return
    except errors.Transient:
        raise
    except errors.OrchError as error:
        raise base.Returned(UNREADABLE) from error
    raise base.Returned(CAME_BACK)


class RetainTask(base.ChangeTask):
    """Leaves the physical resource in place and forgets it."""

    def pre_execute(self) -> None:
        """Determine whether a child stack has to be abandoned, too."""
        row = self._resolve_removal()
        self.is_effect_free = not (
            self.change.is_vanished or self._abandons_content(row)
        )

    def begin(self) -> base.Step:
        """Abandon the child stack, if it has one.

        One that has vanished is looked for again: it may be created anew next.
        """
        row = self._row()
        if self.change.is_vanished:
            _check_vanished(*self._resources.context(row))
        if not self._abandons_content(row):
            return base.Step()
        plugin, context = self._resources.context(row)
        plugin.abandon(context)
        return self._watch(plugin, context)

    def poll(self) -> base.Step:
        """Check whether the child stack is abandoned."""
        return self._watch(*self._resources.context(self._row()))

    def _abandons_content(self, row: model_resource.Resource) -> bool:
        if not self.change.abandons_content:
            return False
        try:
            return self._resources.plugin(row).is_nested_stack
        except errors.NotFound:
            # Whatever it was, it is left in place.
            return False

    @staticmethod
    def _watch(
        plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        answer = plugin.is_abandoned(context)
        return base.Step(pending=base.check_pending(answer, "is_abandoned"))
