"""``POLL_TEMP_URL``: a server finds its metadata in an object of Swift.

The agent knows the address of that object alone, and needs no account. The
object is written anew whenever there is something else to apply.
"""

import collections.abc
import json
import typing

from orch import errors
from orch.clients import object_store
from orch.plugin import call_context
from orch.resources.heat import swift_signal_handle

if typing.TYPE_CHECKING:
    from openstack import connection

Values = collections.abc.Mapping[str, object]
Data = dict[str, object]

PLACE: typing.Final = "deployment_swift_data"
"""The property that may name the container and the object."""

_MAX_WRITES: typing.Final = 20
_URL: typing.Final = "metadata_url"
_CONTAINER: typing.Final = "metadata_container"
_OBJECT: typing.Final = "metadata_object"
_ALL: typing.Final = frozenset({_URL, _CONTAINER, _OBJECT})


class TempUrlObjects:
    """The objects that the servers of one project poll."""

    def __init__(self, cloud: "connection.Connection") -> None:
        """Know where they are; nothing is sent yet."""
        self._store = object_store.ObjectStore(cloud)

    def make(self, context: call_context.Context) -> Data:
        """Return what is remembered of an object, once it can be written.

        The same call again gives the same, as long as the properties are.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        container, name = _place(context)
        self._store.make_container(container, is_versioned=False)
        url = self._store.address_for_reading(container, name)
        return {_URL: url, _CONTAINER: container, _OBJECT: name}

    def write(
        self,
        context: call_context.Context,
        read: collections.abc.Callable[[call_context.Context], Values],
    ) -> None:
        """Put the metadata of now in place of what the object holds.

        Others may do so too, and what is older come last: who wrote looks
        again, until there is nothing newer.

        :param read: returns the metadata as they are at the time
        :raises orch.clients.rest.CloudNotFound: the container is gone
        :raises orch.errors.Transient: there was something newer each time
        """
        container = str(context.data[_CONTAINER])
        name = str(context.data[_OBJECT])
        desired = _text(read(context))
        for _ in range(_MAX_WRITES):
            self._store.write(container, name, desired)
            written, desired = desired, _text(read(context))
            if written == desired:
                return
        raise errors.Transient(
            f"The object {name} in the container {container} is behind: what"
            " it is to hold changes too often."
        )

    def remove(self, data: Values) -> None:
        """Remove the object of these data, if there is one."""
        if has_object(data):
            self._store.delete_object(
                str(data[_CONTAINER]), str(data[_OBJECT])
            )

    def has_moved(self, context: call_context.Context) -> bool:
        """Whether the properties want another object."""
        known = context.data.get(_CONTAINER), context.data.get(_OBJECT)
        return known != _place(context)


def has_object(data: Values) -> bool:
    """Whether data remember an object."""
    return data.keys() >= _ALL


def list_containers(physical_name: str, data: Values) -> list[str]:
    """Return the containers that a server's object may be in."""
    own = swift_signal_handle.container_name(physical_name)
    return [own, str(data.get(_CONTAINER) or own)]


def object_address(data: Values) -> str:
    """Return where the agent polls; empty before that is known."""
    return str(data.get(_URL) or "")


def without_object(data: Values) -> Data:
    """Return data that remember no object any more."""
    return {name: value for name, value in data.items() if name not in _ALL}


def _place(context: call_context.Context) -> tuple[str, str]:
    """Return the names of container and object."""
    given = context.properties.get(PLACE)
    chosen = given if isinstance(given, dict) else {}
    own = swift_signal_handle.build_container_name(context)
    return (
        str(chosen.get("container") or own),
        str(chosen.get("object") or context.token),
    )


def _text(metadata: Values) -> bytes:
    return json.dumps(dict(metadata)).encode()
