"""``OS::Heat::SwiftSignalHandle``: an address of Swift that takes signals.

Servers reach Swift, not Orch: the handle is a container whose one object may
be written without an account, as often as wanted.
"""

import collections.abc
import dataclasses
import shlex
import typing

from orch.clients import object_store
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import type_files

SIGNAL: typing.Final = "signal"
"""Name of the object that is written."""

_URL: typing.Final = "url"
_MAX_NAME_LENGTH: typing.Final = 200


class HandleGone(rest.CloudNotFound, reality.Vanished):
    """The container of a handle does not exist any more."""

    code = "orch.resource.handle_gone"


@type_files.described("OS::Heat::SwiftSignalHandle")
class SwiftSignalHandle(clouds.CloudResource, resource.Resource):
    """A container for signals; its reference is the address."""

    has_reality = True

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Make the container and the address.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        store = object_store.ObjectStore(self.cloud(context))
        container = build_container_name(context)
        store.make_container(container, is_versioned=True)
        url = store.address_for_writing(container, SIGNAL)
        return call_context.CreateResult(container, {_URL: url})

    def find(
        self, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Find the container that an earlier attempt made."""
        store = object_store.ObjectStore(self.cloud(context))
        container = build_container_name(context)
        return self.create(context) if store.has_container(container) else None

    def reference_id(self, context: call_context.Context) -> str:
        """Return the address; the physical name before it is made."""
        return str(context.data.get(_URL, context.physical_name))

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Return what is given; elsewhere the id may be the address itself."""
        url = given.physical_id or ""
        place = object_store.Place.of_url(url) if "://" in url else None
        if place is None:
            return given
        return dataclasses.replace(
            given,
            physical_id=place.container,
            data={**given.data, _URL: url},
        )

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Look whether the container is there; it has no properties.

        :raises HandleGone: it is not
        """
        store = object_store.ObjectStore(self.cloud(context))
        try:
            store.address_for_writing(context.physical_id or "", SIGNAL)
        except rest.CloudNotFound as error:
            raise HandleGone(error.message) from error
        return {}

    def delete(self, context: call_context.Context) -> None:
        """Remove the container with all signals; already gone is success."""
        store = object_store.ObjectStore(self.cloud(context))
        store.delete_container(context.physical_id or "")

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what a sender has to know."""
        url = self.reference_id(context)
        return {
            "token": "",
            "endpoint": url,
            "curl_cli": f"curl -i -X PUT {shlex.quote(url)}",
        }


def build_container_name(context: call_context.Context) -> str:
    """Return the name of the container; see :func:`container_name`."""
    return container_name(context.physical_name)


def container_name(physical_name: str) -> str:
    """Return the name of the container, which ends with what makes it ours.

    A name of Swift has up to 256 bytes and no slash.
    """
    name = physical_name.replace("/", "-")
    while len(name.encode()) > _MAX_NAME_LENGTH:
        name = name[1:]
    return name
