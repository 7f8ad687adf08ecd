"""Snapshots of a server: images of its disk."""

import collections.abc
import typing

from orch import errors
from orch.clients import images as images_
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import errors as errors_
from orch.resources.openstack.nova import calls

Values = collections.abc.Mapping[str, object]

IMAGE: typing.Final = "snapshot_image_id"
"""Where the id of the image stands in what is kept, as in Heat's."""
_FAILED: typing.Final = ("killed", "deleted", "pending_delete")


def image_name(context: call_context.Context, snapshot_id: str) -> str:
    """Return the name of an image, the same for every attempt."""
    return f"{context.physical_name}-{snapshot_id}"


def create_image(server: calls.Server, name: str) -> Values:
    """Ask for an image; return what to keep.

    :raises orch.errors.Busy: something else is under way with the server
    """
    answer = server.act("createImage", {"name": name}, calls.SNAPSHOT)
    return {IMAGE: str(answer["image_id"])}


def find_image(images: images_.Images, name: str) -> Values | None:
    """Return what to keep of the image of that name."""
    for image_id in images.named(name):
        return {IMAGE: image_id}
    return None


def check_image(
    images: images_.Images, snapshot_data: Values
) -> call_context.Pending | None:
    """Answer ``None`` once the image is complete.

    :raises InError: it has come to nothing
    """
    try:
        status = str(images.get(str(snapshot_data[IMAGE])).get("status"))
    except rest.CloudNotFound as error:
        raise errors.Permanent(
            f"the image of the snapshot is gone: {error.message}"
        ) from error
    if status in _FAILED:
        raise errors_.InError.of(status, "the image was not stored")
    return (
        call_context.DONE
        if status == "active"
        else call_context.Pending(note=status)
    )


def delete_image(images: images_.Images, snapshot_data: Values) -> None:
    """Remove the image; gone already is success."""
    if snapshot_data.get(IMAGE):
        images.remove(str(snapshot_data[IMAGE]))
