"""Backups of volumes, as snapshots of their state."""

import collections.abc
import typing

from orch import errors
from orch.clients import collection
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import errors as errors_

Values = collections.abc.Mapping[str, object]
Backups = collection.Collection

ID: typing.Final = "backup_id"
"""Where the id of the backup stands in what is kept, and in properties."""


def backup_name(context: call_context.Context, snapshot_id: str) -> str:
    """Return the name of a backup, the same for every attempt."""
    return f"{context.physical_name}-{snapshot_id}"


def create_backup(
    backups: Backups, context: call_context.Context, snapshot_id: str
) -> Values:
    """Ask for a backup; return what to keep."""
    desired = {
        "volume_id": context.physical_id,
        "name": backup_name(context, snapshot_id),
        "force": True,
    }
    return {ID: str(backups.make(desired)["id"])}


def find_backup(backups: Backups, name: str) -> Values | None:
    """Return what to keep of the backup of that name."""
    for each in backups.listed({"name": name}):
        if each.get("name") == name:
            return {ID: str(each["id"])}
    return None


def check_backup(
    backups: Backups, snapshot_data: Values
) -> call_context.Pending | None:
    """Answer ``None`` once the backup is complete.

    :raises InError: it has come to nothing
    """
    try:
        found = backups.get(str(snapshot_data[ID]))
    except rest.CloudNotFound as error:
        raise errors.Permanent(
            f"the backup of the volume is gone: {error.message}"
        ) from error
    status = str(found.get("status"))
    if status == "error":
        raise errors_.InError.of(status, found.get("fail_reason"))
    return (
        call_context.DONE
        if status == "available"
        else call_context.Pending(note=status)
    )


def restore_backup(backups: Backups, context: call_context.Context) -> None:
    """Begin to write a backup to the volume of a resource.

    :raises orch.errors.Busy: something else is under way with either
    """
    place = backups.place(str(context.properties[ID]))
    desired = {"restore": {"volume_id": context.physical_id}}
    backups.ask("POST", f"{place}/restore", desired)


def delete_backup(backups: Backups, snapshot_data: Values) -> None:
    """Remove a backup; gone already is success."""
    if snapshot_data.get(ID):
        backups.discard(backups.place(str(snapshot_data[ID])))
