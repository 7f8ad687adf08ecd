"""``OS::Glance::WebImage``."""

import collections.abc
import typing

from orch import errors as base_errors
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import errors
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

_EXTRA: typing.Final = "extra_properties"
_ACTIVE: typing.Final = "active"
_MEMBERS: typing.Final = "members"
_LOCATION: typing.Final = "location"
_PATCH: typing.Final = {
    "Content-Type": "application/openstack-images-v2.1-json-patch"
}
_QUEUED: typing.Final = "queued"
_FAILED_TASK: typing.Final = "failure"


def _plain(name: str) -> type_table.Field:
    return type_table.Field(name=name, empty=None)


class WebImage(base.OpenStackResource):
    """An image that the service fetches from an address (``web-download``).

    Its token is a property of its own. From where an image came nobody can
    read.
    """

    type_name = "OS::Glance::WebImage"
    table = type_table.Table(
        service="image",
        version="2",
        path="/images",
        key="",
        plural="images",
        token_key="orch_token",  # noqa: S106 - a property's name
        status=type_table.Status(
            pending=(_QUEUED, "saving", "importing", "uploading"),
            failed=("killed", "deleted", "pending_delete"),
        ),
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(name="id"),
            type_table.Field(name="container_format"),
            type_table.Field(name="disk_format"),
            type_table.Field(name="min_disk"),
            type_table.Field(name="min_ram"),
            type_table.Field(name="protected"),
            type_table.Field(name="visibility"),
            type_table.Field(name="tags", normal=wire.sort_list, empty=()),
            *map(
                _plain,
                (
                    "architecture",
                    "kernel_id",
                    "os_distro",
                    "os_version",
                    "owner",
                    "ramdisk_id",
                ),
            ),
            type_table.Field(name=_LOCATION, is_sent=False, is_read=False),
            type_table.Field(name=_EXTRA, is_sent=False, is_read=False),
            type_table.Field(name=_ACTIVE, is_sent=False, is_read=False),
            type_table.Field(
                name=_MEMBERS,
                normal=wire.sort_list,
                is_sent=False,
                is_read=False,
            ),
        ),
    )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return all properties, those of the user's own beside them."""
        extra = _map(context.properties.get(_EXTRA))
        return {**extra, **super().body_of_properties(context)}

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once its content is there; begin to fetch it.

        :raises orch.resources.openstack.errors.InError: it cannot be fetched
        """
        body = self.body(context)
        if body.get("status") == _QUEUED:
            self._fetch(context)
        pending = self.check_status(body)
        if pending is None:
            self.settle(context, body, self.properties_given(context))
        return pending

    def _fetch(self, context: call_context.Context) -> None:
        """Ask the service to fetch the content, unless it does already."""
        api_collection = self.api_collection(context)
        place = api_collection.place(self.id_of(context))
        tasks = api_collection.ask("GET", f"{place}/tasks").get("tasks") or []
        if not tasks:
            method = {
                "name": "web-download",
                "uri": context.properties[_LOCATION],
            }
            try:
                api_collection.ask(
                    "POST", f"{place}/import", {"method": method}
                )
            except base_errors.Busy:
                # It is being fetched since a moment ago.
                return
        elif all(each.get("status") == _FAILED_TASK for each in tasks):
            raise errors.InError.of(_QUEUED, tasks[-1].get("message"))

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Send what differs as a JSON patch; then state and members."""
        shown = self.body(context)
        desired = self.sent(context, changed, is_change=True)
        if _EXTRA in changed:
            former = _map(before.get(_EXTRA))
            desired = {
                **dict.fromkeys(former),
                **_map(context.properties.get(_EXTRA)),
                **desired,
            }
        patch = [
            each
            for name, value in desired.items()
            for each in _operations(name, value, name in shown)
        ]
        if patch:
            rest.send_request(
                self.api_collection(context).service,
                "PATCH",
                self.api_collection(context).place(self.id_of(context)),
                json=patch,
                headers=_PATCH,
            )
        self.settle(context, shown, changed)
        if _MEMBERS in changed:
            gone = set(_list(before.get(_MEMBERS))) - set(
                _list(context.properties.get(_MEMBERS))
            )
            for member in gone:
                self._take_out(context, member)
        return None

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Switch it on or off, and show it to other projects."""
        api_collection = self.api_collection(context)
        place = api_collection.place(self.id_of(context))
        if _ACTIVE in changed:
            desired = context.properties.get(_ACTIVE)
            if desired is False and body.get("status") == "active":
                api_collection.ask("POST", f"{place}/actions/deactivate")
            elif desired and body.get("status") == "deactivated":
                api_collection.ask("POST", f"{place}/actions/reactivate")
        if _MEMBERS in changed:
            there = self._members(context)
            for member in _list(context.properties.get(_MEMBERS)):
                if member not in there:
                    api_collection.ask(
                        "POST", f"{place}/members", {"member": member}
                    )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what is told, the user's own properties among it."""
        found = super().reality_of(context, body)
        found[_ACTIVE] = body.get("status") == "active"
        extra = _map(context.properties.get(_EXTRA))
        if extra:
            found[_EXTRA] = {
                name: body[name] for name in extra if name in body
            }
        if context.properties.get(_MEMBERS) is not None:
            found[_MEMBERS] = self._members(context)
        return found

    def filters_of_project(
        self, context: call_context.Context
    ) -> dict[str, str]:
        """Return that images are listed by owner."""
        return {"owner": context.stack_project}

    def _members(self, context: call_context.Context) -> list[str]:
        """Return the projects that it is shown to; none, unless shared."""
        place = self.api_collection(context).place(self.id_of(context))
        try:
            found = self.api_collection(context).ask("GET", f"{place}/members")
        except rest.CloudRefused:
            return []
        return [str(each["member_id"]) for each in found.get("members", ())]

    def _take_out(self, context: call_context.Context, member: str) -> None:
        place = self.api_collection(context).place(self.id_of(context))
        path = f"{place}/members/{rest.path_segment(member)}"
        try:
            self.api_collection(context).ask("DELETE", path)
        except rest.CloudNotFound:
            return


def _operations(
    name: str, value: object, is_there: bool
) -> list[dict[str, object]]:
    """Return what brings one property to a value; ``None`` removes it."""
    pointer = name.replace("~", "~0").replace("/", "~1")
    path = f"/{pointer}"
    if value is not None:
        kind = "replace" if is_there else "add"
        return [{"op": kind, "path": path, "value": value}]
    return [{"op": "remove", "path": path}] if is_there else []


def _map(value: object) -> collections.abc.Mapping[str, object]:
    return value if isinstance(value, collections.abc.Mapping) else {}


def _list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
