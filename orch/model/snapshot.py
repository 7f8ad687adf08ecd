"""A snapshot: a stored state of a stack, to return to."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.model import marked
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states

Values = collections.abc.Mapping[str, object]

_RESOURCES: typing.Final = "resources"
_ORPHANS: typing.Final = "orphans"


class Entry(typing.TypedDict):
    """What is stored of one resource; ``id`` is its incarnation.

    ``sensitive`` has the paths of sensitive properties. With ``is_open`` its
    plug-in was asked, and its answer was lost.
    """

    id: str
    type_name: str
    mapped_type: str | None
    external_id: str | None
    physical_id: str | None
    action: str
    status: str
    attempt: int
    properties: dict[str, object]
    metadata: dict[str, object]
    data: dict[str, object]
    snapshot_data: dict[str, object] | None
    is_open: typing.NotRequired[bool]
    sensitive: typing.NotRequired[list[marked.Path]]
    created_at: float
    updated_at: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What the rows say of one snapshot.

    :ivar id: that of the operation that takes it, which also names it in
        the world
    :ivar template_hash: content hash of the template of that time
    :ivar environment_hash: of the inputs beside it, see ``model.stack``
    :ivar data: tags and resources of that time, see :func:`data_of`;
        ``None`` until the operation has ended
    """

    id: str
    stack_id: ids.StackId
    name: str | None
    operation_id: ids.OperationId
    status: states.Status
    status_reason: str
    template_hash: str
    environment_hash: str
    data: Values | None = None
    created_at: clock.Timestamp

    def resources(self) -> list[resource.Resource]:
        """Return the resources as they were, with their snapshot data."""
        return [
            _row(self.stack_id, name, each)
            for name, each in self._entries().items()
        ]

    def taken(self) -> list[resource.Resource]:
        """Return the resources whose plug-ins stored data, or may have.

        They include resources that a retry has orphaned. Where a plug-in's
        answer was lost, ``snapshot_data`` is ``None``.
        """
        return [
            _row(self.stack_id, name, each)
            for name, each in self._taken_entries()
        ]

    def orphans(
        self, rows: collections.abc.Iterable[resource.Resource]
    ) -> dict[str, Entry]:
        """Return the taken entries whose resources are orphaned by now.

        :param rows: the current resources
        """
        current = {row.id for row in rows}
        return {
            name: each
            for name, each in self._taken_entries()
            if each["id"] not in current
        }

    def _taken_entries(self) -> list[tuple[str, Entry]]:
        return [
            (name, each)
            for entries in (self._entries(), self._entries(_ORPHANS))
            for name, each in entries.items()
            if each["snapshot_data"] or each.get("is_open")
        ]

    def _entries(self, key: str = _RESOURCES) -> dict[str, Entry]:
        stored = (self.data or {}).get(key, {})
        return typing.cast(dict[str, Entry], stored)

    def tags(self) -> list[str]:
        """Return the tags of the stack at that time."""
        found = (self.data or {}).get("tags", ())
        assert isinstance(found, list | tuple)
        return [str(each) for each in found]


def new_snapshot(
    wanted: operation.Operation, stack: stack.Stack, name: str | None
) -> Snapshot:
    """Return the snapshot that an operation is to take.

    :param name: for people; ``None`` for none
    """
    return Snapshot(
        id=wanted.id,
        stack_id=stack.id,
        name=name,
        operation_id=wanted.id,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash=stack.template_hash,
        environment_hash=stack.environment_hash,
        created_at=wanted.created_at,
    )


def data_of(
    tags: collections.abc.Iterable[str],
    rows: collections.abc.Collection[resource.Resource],
    operation_id: ids.OperationId,
    earlier: Snapshot | None,
) -> dict[str, object]:
    """Return what a snapshot stores of a stack, as JSON values.

    :param rows: the current resources
    :param operation_id: what an earlier one has stored is not of this snapshot
    :param earlier: the snapshot as an earlier attempt left it; data of
        resources that were orphaned since must be deleted with the snapshot
    """
    return {
        "tags": list(tags),
        _RESOURCES: {
            row.name: _entry(row, row.operation_id == operation_id)
            for row in rows
        },
        _ORPHANS: earlier.orphans(rows) if earlier is not None else {},
    }


def _entry(row: resource.Resource, is_taken: bool) -> Entry:
    is_taken = is_taken and row.action is states.Action.SNAPSHOT
    return Entry(
        id=row.id,
        type_name=row.type_name,
        mapped_type=row.mapped_type,
        external_id=row.external_id,
        physical_id=row.physical_id,
        action=row.action.value,
        status=row.status.value,
        attempt=row.attempt,
        properties=dict(row.properties),
        sensitive=list(marked.paths_of(row.properties)),
        metadata=dict(row.metadata),
        data=dict(row.data),
        snapshot_data=dict(row.snapshot_data)
        if is_taken and row.snapshot_data is not None
        else None,
        is_open=is_taken and row.snapshot_data is None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _row(stack_id: ids.StackId, name: str, entry: Entry) -> resource.Resource:
    return resource.Resource(
        id=ids.ResourceId(entry["id"]),
        stack_id=stack_id,
        name=name,
        type_name=entry["type_name"],
        mapped_type=entry["mapped_type"],
        external_id=entry["external_id"],
        physical_id=entry["physical_id"],
        action=states.Action(entry["action"]),
        status=states.Status(entry["status"]),
        attempt=entry["attempt"],
        properties=marked.Marked(
            entry["properties"], map(tuple, entry.get("sensitive", ()))
        ),
        metadata=entry["metadata"],
        data=entry["data"],
        snapshot_data=entry["snapshot_data"],
        created_at=clock.Timestamp(entry["created_at"]),
        updated_at=clock.Timestamp(entry["updated_at"]),
    )
