"""Store the state of existing resources, and remove stored states."""

import collections.abc
import types

import orjson

from orch.flow.tasks import base
from orch.plugin import call_context
from orch.plugin import resource

SnapshotValues = collections.abc.Mapping[str, object]


class SnapshotTask(base.ChangeTask):
    """Starts the snapshot of a resource, then waits for it.

    The plug-in's data is noted before the wait: a snapshot that fails then can
    still be removed.
    """

    _snapshot_data: SnapshotValues = types.MappingProxyType({})

    def pre_execute(self) -> None:
        """Determine whether the type stores anything at all."""
        self.is_effect_free = not self._is_known()

    def begin(self) -> base.Step:
        """Start the snapshot; a type without snapshots stores nothing."""
        if not self._is_known():
            return base.Step(snapshot_data={})
        plugin, context = self._resources.context(self._row())
        self._snapshot_data = _check_data(
            plugin.snapshot(context, self._snapshot_id())
        )
        return base.Step(
            snapshot_data=self._snapshot_data, pending=call_context.Pending(0)
        )

    def poll(self) -> base.Step:
        """Check whether the snapshot is stored."""
        plugin, context = self._resources.context(self._row())
        pending = base.check_pending(
            plugin.is_snapshotted(context, self._snapshot_data),
            "is_snapshotted",
        )
        if pending is not None:
            return base.Step(
                snapshot_data=self._snapshot_data, pending=pending
            )
        return base.Step(
            snapshot_data=self._snapshot_data, reason=self._reason()
        )

    def _is_known(self) -> bool:
        plugin = type(self._resources.plugin(self._row()))
        return plugin.snapshot is not resource.Resource.snapshot

    def _snapshot_id(self) -> str:
        """Return the id of the operation, which is that of its snapshot."""
        found = self._row().operation_id
        assert found is not None
        return found

    def _reason(self) -> str:
        return ""


class FinalSnapshotTask(SnapshotTask):
    """Stores the state of a resource that is about to be removed.

    That snapshot outlives the stack: it belongs to the user who set the
    deletion policy, and the event says where it is.
    """

    def pre_execute(self) -> None:
        """Determine whether the resource is removed after all."""
        row = self._row()
        if not self.change.is_certain and row.replaced_by is None:
            self._resources.resolve_change(self.change, None)
            self.is_effect_free = True
            return
        super().pre_execute()

    def begin(self) -> base.Step:
        """Start the snapshot, unless the resource stays."""
        if self._resources.acting(self.change) is None:
            return base.Step()
        return super().begin()

    def _snapshot_id(self) -> str:
        """Return an id that each attempt of the removal has."""
        return self._row().id

    def _reason(self) -> str:
        where = orjson.dumps(dict(self._snapshot_data)).decode()
        return f"Snapshot stored by the deletion policy: {where}"


class DeleteSnapshotTask(base.ChangeTask):
    """Removes the data that plug-ins stored of one snapshot."""

    def pre_execute(self) -> None:
        """Determine whether any data is stored at all."""
        found = self._resources.list_snapshot_data(self.change.name)
        self.is_effect_free = not found

    def begin(self) -> base.Step:
        """Remove all data of the snapshot; missing data is skipped."""
        for each in self._resources.list_snapshot_data(self.change.name):
            each.remove()
        return base.Step()

    def poll(self) -> base.Step:
        """Return a complete step."""
        return base.Step()


def _check_data(snapshot_data: object) -> SnapshotValues:
    """Return a plug-in's snapshot data if it is valid.

    :raises base.BadAnswer: it is no map of JSON values
    """
    if not isinstance(snapshot_data, collections.abc.Mapping):
        raise base.BadAnswer(
            f"snapshot returned {type(snapshot_data).__name__}, not a map"
        )
    try:
        orjson.dumps(dict(snapshot_data))
    except TypeError as error:
        raise base.BadAnswer(f"a snapshot is not JSON: {error}") from error
    return snapshot_data
