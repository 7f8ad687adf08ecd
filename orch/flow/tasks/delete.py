"""Removes a resource, or forgets one that is to be retained."""

import dataclasses

from orch.flow.tasks import base
from orch.flow.tasks import create
from orch.plugin import resource


class DeleteTask(base.ChangeTask):
    """Starts the removal, then waits until nothing is left."""

    def pre_execute(self) -> None:
        """Find out whether the removal does anything outside."""
        row = self._row()
        if not row.is_there:
            self.is_effect_free = True
            return
        plugin = self._resources.plugin(row)
        self.is_effect_free = bool(plugin.is_effect_free(row.properties))

    def begin(self) -> base.Step:
        """Ask for the removal of whatever there is."""
        row = self._row()
        if not row.is_there:
            return base.Step()
        plugin, context = self._resources.context(row)
        made = None
        if context.physical_id is None:
            found = plugin.find(context)
            if found is None:
                return base.Step()
            made = create.check_made(found, "find")
            context = dataclasses.replace(
                context, physical_id=made.physical_id, data=made.data
            )
        plugin.delete(context)
        return _watch(plugin, context, made)

    def poll(self) -> base.Step:
        """Look whether something is left."""
        plugin, context = self._resources.context(self._row())
        return _watch(plugin, context, None)


def _watch(
    plugin: resource.Resource,
    context: resource.Context,
    made: resource.Made | None,
) -> base.Step:
    pending = base.check_pending(plugin.is_deleted(context), "is_deleted")
    return base.Step(made=made, pending=pending)


class RetainTask(base.ChangeTask):
    """Lets the thing stand and forgets it."""

    def pre_execute(self) -> None:
        """Nothing outside is touched."""
        self.is_effect_free = True

    def begin(self) -> base.Step:
        """Be complete at once."""
        return base.Step()

    def poll(self) -> base.Step:
        """Be complete, as before."""
        return base.Step()
