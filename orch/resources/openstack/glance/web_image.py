"""``OS::Glance::WebImage``."""

import collections.abc
import typing

from orch import errors as base_errors
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import errors
from orch.resources.openstack import wire

_EXTRA: typing.Final = "extra_properties"
_ACTIVE: typing.Final = "active"
_QUEUED: typing.Final = "queued"
_FAILED_TASK: typing.Final = "failure"


class WebImage(base.OpenStackResource):
    """An image that the service fetches from an address (``web-download``).

    Its token is a property of its own. No answer shows the address.
    """

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return all properties, those of the user's own beside them."""
        extra = wire.to_mapping(context.properties.get(_EXTRA))
        return {**extra, **super().body_of_properties(context)}

    def body_to_update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return what differs; nothing for the user's own that are gone."""
        desired = super().body_to_update(context, before, changed)
        if _EXTRA not in changed:
            return desired
        return {
            **dict.fromkeys(wire.to_mapping(before.get(_EXTRA))),
            **wire.to_mapping(context.properties.get(_EXTRA)),
            **desired,
        }

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once its content is there; begin to fetch it.

        :raises orch.resources.openstack.errors.InError: it cannot be fetched
        """
        if self.body(context).get("status") == _QUEUED:
            self._fetch(context)
        return super().is_created(context)

    def _fetch(self, context: call_context.Context) -> None:
        """Ask the service to fetch the content, unless it does already."""
        api_collection = self.api_collection(context)
        place = api_collection.place(self.id_of(context))
        tasks = api_collection.ask("GET", f"{place}/tasks").get("tasks") or []
        if not tasks:
            uri = context.properties["location"]
            method = {"name": "web-download", "uri": uri}
            try:
                api_collection.ask(
                    "POST", f"{place}/import", {"method": method}
                )
            except base_errors.Busy:
                # It is being fetched since a moment ago.
                return
        elif all(each.get("status") == _FAILED_TASK for each in tasks):
            raise errors.InError.of(_QUEUED, tasks[-1].get("message"))

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether state or members are to be brought about."""
        return _ACTIVE in changed or super().settles(changed)

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
        before: collections.abc.Mapping[str, object],
    ) -> None:
        """Switch it on or off, and show it to other projects."""
        super().settle(context, body, changed, before)
        if _ACTIVE not in changed:
            return
        api_collection = self.api_collection(context)
        place = api_collection.place(self.id_of(context))
        desired = context.properties.get(_ACTIVE)
        if desired is False and body.get("status") == "active":
            api_collection.ask("POST", f"{place}/actions/deactivate")
        elif desired and body.get("status") == "deactivated":
            api_collection.ask("POST", f"{place}/actions/reactivate")

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what is shown, the user's own properties among it."""
        found = super().reality_of(context, body)
        found[_ACTIVE] = body.get("status") == "active"
        extra = wire.to_mapping(context.properties.get(_EXTRA))
        if extra:
            found[_EXTRA] = {
                name: body[name] for name in extra if name in body
            }
        return found
