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


def name_of(context: call_context.Context, snapshot_id: str) -> str:
    """Return the name of a backup, the same for every attempt."""
    return f"{context.physical_name}-{snapshot_id}"


def begin(
    backups: Backups, context: call_context.Context, name: str
) -> Values:
    """Ask for a backup; return what to keep."""
    wanted = {"volume_id": context.physical_id, "name": name, "force": True}
    return {ID: str(backups.make(wanted)["id"])}


def find(backups: Backups, name: str) -> Values | None:
    """Return what to keep of the backup of that name."""
    for each in backups.listed({"name": name}):
        if each.get("name") == name:
            return {ID: str(each["id"])}
    return None


def judge(backups: Backups, kept: Values) -> call_context.Pending | None:
    """Answer ``None`` once the backup is complete.

    :raises InError: it has come to nothing
    """
    try:
        found = backups.get(str(kept[ID]))
    except rest.NotThere as error:
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


def restore(backups: Backups, context: call_context.Context) -> None:
    """Begin to write a backup to the volume of a resource.

    :raises orch.errors.Busy: something else is under way with either
    """
    place = backups.place(str(context.properties[ID]))
    wanted = {"restore": {"volume_id": context.physical_id}}
    backups.ask("POST", f"{place}/restore", wanted)


def remove(backups: Backups, kept: Values) -> None:
    """Remove a backup; gone already is success."""
    if not kept.get(ID):
        return
    try:
        backups.remove(str(kept[ID]))
    except rest.NotThere:
        return
