"""Stores the state of what stands, and removes stored states."""

import collections.abc
import types

import orjson

from orch.flow.tasks import base
from orch.plugin import call_context
from orch.plugin import resource

SnapshotValues = collections.abc.Mapping[str, object]


class SnapshotTask(base.ChangeTask):
    """Asks for the snapshot of a resource, then waits until it is stored.

    What the plug-in keeps of it is noted before it is waited for: a snapshot
    that fails then can still be removed.
    """

    _snapshot_data: SnapshotValues = types.MappingProxyType({})

    def pre_execute(self) -> None:
        """Find out whether the type stores anything at all."""
        self.is_effect_free = not self._is_known()

    def begin(self) -> base.Step:
        """Ask for the snapshot; a type that knows none keeps nothing."""
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
        """Look whether it is stored."""
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
    """Stores the state of a thing that is about to be removed.

    That snapshot outlives the stack: it belongs to whoever asked for it by
    the deletion policy, and the event says where it is.
    """

    def pre_execute(self) -> None:
        """Find out whether the thing is to be removed after all."""
        row = self._row()
        if not self.change.is_certain and row.replaced_by is None:
            self._resources.resolve_change(self.change, None)
            self.is_effect_free = True
            return
        super().pre_execute()

    def begin(self) -> base.Step:
        """Ask for the snapshot, unless the thing stays."""
        if self._resources.acting(self.change) is None:
            return base.Step()
        return super().begin()

    def _snapshot_id(self) -> str:
        """Return an id that each attempt to remove the thing has."""
        return self._row().id

    def _reason(self) -> str:
        where = orjson.dumps(dict(self._snapshot_data)).decode()
        return f"Snapshot kept by the deletion policy: {where}"


class DeleteSnapshotTask(base.ChangeTask):
    """Removes what plug-ins keep of one snapshot of the stack."""

    def pre_execute(self) -> None:
        """Find out whether anything is kept at all."""
        found = self._resources.list_snapshot_data(self.change.name)
        self.is_effect_free = not found

    def begin(self) -> base.Step:
        """Remove all of it; what is gone already is passed over."""
        for each in self._resources.list_snapshot_data(self.change.name):
            each.remove()
        return base.Step()

    def poll(self) -> base.Step:
        """Be complete, as before."""
        return base.Step()


def _check_data(snapshot_data: object) -> SnapshotValues:
    """Return what a plug-in wants to keep.

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
