"""Changes of a server that the service makes asynchronously.

Each looks at the server and asks for what is missing. So a change can be
begun again at any point, and what is there already is not asked for.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack.nova import attributes
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import connections
from orch.resources.openstack.nova import networks
from orch.resources.openstack.nova import user_data

Values = collections.abc.Mapping[str, object]
FindId = collections.abc.Callable[[lookup.Kind, str], str]

SLOW: typing.Final = frozenset({"flavor", "image", "networks", "user_data"})
WATCHED: typing.Final = frozenset({"flavor", "image", "networks"})
"""Those of them that a server shows."""
_RESIZE: typing.Final = "resize"
_CONFIRMED: typing.Final = "has not been resized"
"""What the service says while it confirms; the state does not show it."""


class NotResized(errors.Permanent):
    """The service has given up a resize of a server."""

    code = "orch.cloud.not_resized"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ServerChange:
    """The pending change of a server.

    :ivar properties: the desired ones
    :ivar changed: names of those that may differ from what is there
    :ivar content: returns the user data for cloud-init
    :ivar connections: its ports
    """

    server: calls.Server
    properties: Values
    changed: collections.abc.Collection[str]
    find_id: FindId
    content: collections.abc.Callable[[], str]
    connections: connections.Connections

    def begin(self, live: calls.Body) -> None:
        """Ask for the first of what is missing.

        :raises orch.errors.Busy: something else is under way with it
        """
        if not SLOW.intersection(self.changed):
            return
        if attributes.server_state(live) == attributes.RESIZED:
            return
        if attributes.check_idle(live) is not None:
            raise errors.Busy(
                f"the server {self.server.id} is"
                f" {attributes.server_state(live)}"
                f" {attributes.server_task(live)}".rstrip()
            )
        if self._has_new_user_data():
            self._rebuild(calls.REBUILD)
        elif self._needs_flavor(live):
            self._resize()
        else:
            self.go_on(live)

    def go_on(self, live: calls.Body) -> call_context.Pending | None:
        """Ask for the next of what is missing; ``None`` for nothing.

        :param live: the server as it is now
        :raises InError: the server has failed
        :raises NotResized: the service does not give it the flavor
        """
        if attributes.server_state(
            live
        ) == attributes.RESIZED and not attributes.server_task(live):
            self._confirm()
            return call_context.Pending(note="its new size is confirmed")
        pending = attributes.check_idle(live)
        if pending is not None:
            return pending
        if self._needs_flavor(live):
            if self.server.newest_action() == _RESIZE:
                raise NotResized(
                    f"the server {self.server.id} has not got the flavor"
                    f" {self.properties.get('flavor')}: the service went back"
                    " to the one before"
                )
            self._resize()
            return call_context.Pending(note="it is resized")
        if self._needs_image(live):
            self._rebuild(calls.READ)
            return call_context.Pending(note="it is rebuilt")
        return self._connect()

    def _confirm(self) -> None:
        """Ask to keep the new size, unless that is under way already."""
        try:
            self.server.act("confirmResize")
        except rest.CloudRefused as error:
            if _CONFIRMED not in error.message:
                raise

    def _needs_flavor(self, live: calls.Body) -> bool:
        if "flavor" not in self.changed:
            return False
        return _id(live.get("flavor")) != self._flavor()

    def _needs_image(self, live: calls.Body) -> bool:
        if "image" not in self.changed or not self.properties.get("image"):
            return False
        return _id(live.get("image")) != self._image()

    def _has_new_user_data(self) -> bool:
        policy = self.properties.get("user_data_update_policy")
        return "user_data" in self.changed and policy == "REBUILD"

    def _flavor(self) -> str:
        return self.find_id(
            lookup.KINDS["nova.flavor"], str(self.properties["flavor"])
        )

    def _image(self) -> str:
        return self.find_id(
            lookup.KINDS["glance.image"], str(self.properties["image"])
        )

    def _resize(self) -> None:
        self.server.act(_RESIZE, {"flavorRef": self._flavor()})

    def _rebuild(self, version: str) -> None:
        desired: dict[str, object] = {"imageRef": self._image()}
        policy = self.properties.get("image_update_policy")
        if policy == "REBUILD_PRESERVE_EPHEMERAL":
            desired["preserve_ephemeral"] = True
        if self.properties.get("admin_pass"):
            desired["adminPass"] = self.properties["admin_pass"]
        if version == calls.REBUILD:
            content = self.content()
            desired["user_data"] = (
                user_data.encode_user_data(content) if content else None
            )
        self.server.act("rebuild", desired, version)

    def _connect(self) -> call_context.Pending | None:
        """Give it an interface that is missing, or take one away."""
        if "networks" not in self.changed:
            return call_context.DONE
        given = self.properties.get("networks")
        wants_none = networks.find_allocation(given) == "none"
        if not wants_none and not networks.list_named(given):
            # Those that the service has chosen are as good as any.
            return call_context.DONE
        there = self.server.interfaces()
        missing, left = self.connections.find_unmatched(there)
        if left:
            self.server.detach(str(left[0]["port_id"]))
            return call_context.Pending(note="an interface is being removed")
        if missing:
            used = {str(each["port_id"]) for each in there}
            added = self.connections.with_port(missing[0], used)
            self.server.attach(added.interface())
            return call_context.Pending(note="an interface is added")
        return call_context.DONE


def _id(found: object) -> str:
    """Return the id of what a server refers to; empty for nothing."""
    return str(found.get("id", "")) if isinstance(found, dict) else ""
