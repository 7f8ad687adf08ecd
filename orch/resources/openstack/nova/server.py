"""``OS::Nova::Server``: a server.

The parts of its creation are in ``creation``, ``devices``, ``networks`` and
``user_data``, its ports in ``connections``, its changes in ``changes``. Its
attributes, states and live properties are in ``attributes``.
"""

import collections.abc
import dataclasses
import functools
import typing

from orch.clients import images
from orch.clients import lookup
from orch.clients import ports as ports_
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import software
from orch.resources.heat.software import agents
from orch.resources.heat.software import polled_server
from orch.resources.heat.software import temp_url
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import tokens
from orch.resources.openstack import wire
from orch.resources.openstack.nova import attributes
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import changes
from orch.resources.openstack.nova import connections
from orch.resources.openstack.nova import creation
from orch.resources.openstack.nova import networks
from orch.resources.openstack.nova import snapshots
from orch.resources.openstack.nova import user_data

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]

CHANGING: typing.Final = "changing"
"""Where the data hold the properties that take time to be brought about.

They are what the change was begun with: what is put back need not stand in
the template.
"""
_POLICIES: typing.Final = {
    "flavor": ("flavor_update_policy", ("REPLACE",)),
    "image": ("image_update_policy", ("REPLACE",)),
    "user_data": ("user_data_update_policy", ("REPLACE",)),
}


class Server(base.OpenStackResource, polled_server.PolledServer):
    """A server, on which software can be deployed."""

    @property
    def has_states(self) -> bool:
        """Say that it has: :meth:`check_status` reads several keys."""
        return True

    def validate(self, properties: Values) -> None:
        """Refuse a way for its agent that needs a service we do not reach."""
        if properties.get("user_data_format") == user_data.SOFTWARE_CONFIG:
            agents.check_transport(properties)

    # Making it.

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Ask for the server, and before for what goes with it.

        That are its own ports, and the object that its agent polls.
        """
        find_id = self._finder(context)
        given = context.properties.get("networks")
        connected = self._connections(context)
        data = self._polled(context)
        context = dataclasses.replace(context, data=data)
        body = creation.build_body(
            context,
            networks.find_allocation(given) or connected.make(),
            self._content(context),
            find_id,
        )
        version = creation.find_version(context, body)
        if version > calls.READ:
            body.setdefault("networks", "auto")
        hints = creation.build_hints(context)
        try:
            created = calls.create_server(
                self.api_collection(context), body, hints, version
            )
        except rest.CloudRefused:
            # The server that it replaces may get its addresses again.
            connected.remove()
            raise
        return _created(created, data)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Look for the server whose metadata hold the token."""
        found = self.list_bearers(context)
        return _created(found[0], self._polled(context)) if found else None

    def list_bearers(self, context: call_context.Context) -> list[wire.Body]:
        """Return the servers whose metadata hold the token."""
        return [
            body
            for body in self.all_of_project(context)
            if tokens.has_token(body, f"metadata.{tokens.MARK}", context)
        ]

    def check_status(self, body: wire.Body) -> call_context.Pending | None:
        """Answer ``None`` where nothing is under way with it."""
        return attributes.check_idle(dict(body))

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: Names,
        before: Values,
    ) -> None:
        """Bring about what takes requests of their own and no time."""
        super().settle(context, body, changed, before)
        if "metadata" in changed:
            held = dict(body.get("metadata") or {})
            own = {key: held[key] for key in (tokens.MARK,) if key in held}
            servers = self.api_collection(context)
            elements.settle_entries(
                servers,
                f"{servers.place(self.id_of(context))}/metadata",
                "metadata",
                held,
                wire.to_metadata(context.properties.get("metadata")),
                own,
            )
        if "networks" in changed:
            self._connections(context).associate(self._server(context))

    # Changing it.

    def needs_replacement(
        self, before: Values, after: Values, changed: Names
    ) -> bool:
        """Whether its policies want another server."""
        if "image" in changed and not (
            before.get("image") and after.get("image")
        ):
            return True
        return any(
            name in changed and after.get(policy) in replacing
            for name, (policy, replacing) in _POLICIES.items()
        ) or super().needs_replacement(before, after, changed)

    def update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> call_context.CreateResult:
        """Begin to bring about what differs, and nothing else.

        :raises orch.errors.Busy: something else is under way with it
        """
        body = self.body(context)
        server = self._server(context)
        if "name" in changed:
            name = context.properties.get("name") or context.physical_name
            if name != body.get("name"):
                server.rename(str(name))
        self.settle(context, body, set(changed) - {"networks"}, before)
        if "admin_pass" in changed and context.properties.get("admin_pass"):
            desired = {"adminPass": context.properties["admin_pass"]}
            server.act("changePassword", desired)
        self._work(context, changed).begin(body)
        slow = {
            name: context.properties.get(name)
            for name in sorted(changes.WATCHED.intersection(changed))
        }
        data = self._polled(context)
        return call_context.CreateResult(
            self.id_of(context), {**data, CHANGING: slow}
        )

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once all of it has come about."""
        found = context.data.get(CHANGING)
        slow = wire.to_mapping(found)
        context = dataclasses.replace(
            context, properties={**context.properties, **slow}
        )
        body = self.body(context)
        pending = self._work(context, slow.keys()).go_on(body)
        if pending is None and "networks" in slow:
            server = self._server(context)
            connected = self._connections(context)
            connected.remove_unused(server)
            connected.associate(server)
        return pending

    def _work(
        self, context: call_context.Context, changed: Names
    ) -> changes.ServerChange:
        return changes.ServerChange(
            server=self._server(context),
            properties=context.properties,
            changed=changed,
            find_id=self._finder(context),
            content=functools.partial(self._content, context),
            connections=self._connections(context),
        )

    # Replacing it.

    def properties_to_release(
        self, before: Values, after: Values
    ) -> collections.abc.Mapping[str, list[typing.Any]]:
        """Return its networks without the ports and addresses of the other."""
        left = networks.list_unshared(
            before.get("networks"), after.get("networks")
        )
        return {} if left is None else {"networks": left}

    def release(self, context: call_context.Context, released: Values) -> None:
        """Take from it what it has and the replacement asks for.

        :raises orch.errors.Busy: the service has not done it yet, or does not
            in the state that the server is in
        """
        desired = wire.to_mapping(context.successor).get("networks")
        try:
            state = attributes.server_state(self.body(context))
            self._connections(context).release(
                self._server(context),
                desired,
                is_in_error=state == attributes.ERROR,
            )
        except rest.CloudNotFound:
            return

    # Letting it rest.

    def suspend(self, context: call_context.Context) -> None:
        """Begin to suspend it."""
        if attributes.server_state(self.body(context)) != attributes.SUSPENDED:
            self._server(context).act("suspend")

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is suspended."""
        return attributes.check_state(self.body(context), attributes.SUSPENDED)

    def resume(self, context: call_context.Context) -> None:
        """Begin to resume it."""
        if attributes.server_state(self.body(context)) == attributes.SUSPENDED:
            self._server(context).act("resume")

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it runs."""
        return attributes.check_state(self.body(context), attributes.ACTIVE)

    def check_body(self, body: wire.Body) -> call_context.Pending | None:
        """Look whether it runs."""
        return attributes.check_state(body, attributes.ACTIVE)

    # Its snapshots.

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> Values:
        """Begin to store its disk as an image."""
        return self.find_snapshot(
            context, snapshot_id
        ) or snapshots.create_image(
            self._server(context), snapshots.image_name(context, snapshot_id)
        )

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> Values | None:
        """Return the image of that snapshot."""
        name = snapshots.image_name(context, snapshot_id)
        return snapshots.find_image(self._images(context), name)

    def is_snapshotted(
        self, context: call_context.Context, kept: Values
    ) -> call_context.Pending | None:
        """Answer ``None`` once the image is complete, and the server free."""
        pending = snapshots.check_image(self._images(context), kept)
        return pending or attributes.check_idle(self.body(context))

    def delete_snapshot(
        self, context: call_context.Context, kept: Values
    ) -> None:
        """Remove the image."""
        snapshots.delete_image(self._images(context), kept)

    def restored_properties(self, properties: Values, kept: Values) -> Values:
        """Return that it begins with the image."""
        return {**properties, "image": kept[snapshots.IMAGE]}

    # Removing it.

    def is_being_deleted(self, body: wire.Body) -> bool:
        """Whether the service is about to remove it."""
        return "delet" in attributes.server_task(dict(body))

    def check_deletion(self, body: wire.Body) -> None:
        """Raise what is wrong with one that does not go away."""

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is gone, and its own ports with it."""
        pending = self._is_gone(context)
        if pending is None and not context.is_surplus:
            self._connections(context).remove()
            self.remove_object(context)
        return pending

    def _is_gone(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        try:
            body = self.body(context)
        except rest.CloudNotFound:
            return call_context.DONE
        if attributes.server_state(body) in attributes.GONE:
            return call_context.DONE
        if self.is_being_deleted(body):
            return call_context.Pending(note="it is being removed")
        return super().is_deleted(context)

    # Looking at it.

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that the service reports.

        :raises orch.plugin.reality.Vanished: it waits to be reclaimed
        """
        return attributes.live_properties(body, context.properties)

    def read_attributes(
        self, context: call_context.Context, names: Names
    ) -> Values:
        """Return what is read of it."""
        body = self.body(context)
        found: dict[str, object] = {
            name: body.get(attributes.PLAIN[name])
            for name in names
            if name in attributes.PLAIN
        }
        if {"addresses", "networks"}.intersection(names):
            ports = attributes.list_ports(
                ports_.Ports(self.cloud(context)), body
            )
            found["addresses"] = attributes.list_addresses(body, ports)
            found["networks"] = attributes.list_networks(body, ports)
        if "first_address" in names:
            found["first_address"] = attributes.find_first_address(body)
        if "console_urls" in names:
            found["console_urls"] = attributes.list_consoles(
                self._server(context)
            )
        if "os_collect_config" in names:
            found["os_collect_config"] = dict(self.agent(context))
        return {name: found[name] for name in names if name in found}

    # What is deployed to it.

    def agent(self, context: call_context.Context) -> Values:
        """Return the configuration of its agent; empty where it has none."""
        return super().agent(context) if _has_agent(context) else {}

    def given_address(self, context: call_context.Context) -> str | None:
        """Return where its agent polls, if that is our API."""
        return super().given_address(context) if _has_agent(context) else None

    def shown_metadata(self, context: call_context.Context) -> Values:
        """Return the metadata, with what its agent has to apply."""
        if not _has_agent(context):
            return context.metadata
        return super().shown_metadata(context)

    # What all of it is made of.

    def _content(self, context: call_context.Context) -> str:
        """Return what cloud-init is to find; empty for nothing."""
        given = str(context.properties.get("user_data") or "")
        if lookup.is_id(given):
            found = self.store.find_config(context.stack_project, given)
            given = given if found is None else str(found.config or "")
        if context.properties.get("user_data_format") == user_data.RAW:
            return given
        metadata = {**context.metadata}
        if _has_agent(context):
            metadata[software.AGENT] = dict(self.agent(context))
        return user_data.build_message(given, metadata, context.token)

    def _polled(self, context: call_context.Context) -> temp_url.Data:
        """Return its data, with the object that its agent is to poll."""
        if not _has_agent(context):
            return dict(context.data)
        return self.agent_data(context)

    def _connections(
        self, context: call_context.Context
    ) -> connections.Connections:
        ports = ports_.Ports(self.cloud(context))
        return connections.Connections(context, ports, self._finder(context))

    def _finder(self, context: call_context.Context) -> networks.FindId:
        cloud = self.cloud(context)

        def find_id(kind: lookup.Kind, name_or_id: str) -> str:
            return lookup.find_id(cloud, kind, name_or_id)

        return find_id

    def _server(self, context: call_context.Context) -> calls.Server:
        return calls.Server(self.api_collection(context), self.id_of(context))

    def _images(self, context: call_context.Context) -> images.Images:
        return images.Images(self.cloud(context))


def _created(
    body: wire.Body, data: temp_url.Data
) -> call_context.PhysicalId | call_context.CreateResult:
    """Return the id of a server, and what is to be remembered of it."""
    found = str(body["id"])
    return call_context.CreateResult(found, data) if data else found


def _has_agent(context: call_context.Context) -> bool:
    given = context.properties.get("user_data_format")
    return given == user_data.SOFTWARE_CONFIG
