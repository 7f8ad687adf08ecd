"""``OS::Zaqar::Queue``: a queue of messages.

API reference: https://docs.openstack.org/api-ref/message/
"""

import collections.abc
import http
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.resources.openstack import base
from orch.resources.openstack import tokens
from orch.resources.openstack import wire

_METADATA: typing.Final = "metadata"
_RESERVED: typing.Final = "_"
"""Begins metadata that the service has values for if none are given."""
_PATCH: typing.Final = "application/openstack-messaging-v2.0-json-patch"
_MAX_NAME: typing.Final = 64

Values = collections.abc.Mapping[str, object]


class Queue(base.OpenStackResource):
    """A queue, known by its name. The token is in its metadata."""

    has_full_lists = False

    def get_id_scope(
        self, account: id_scopes.Account, properties: Values
    ) -> str | None:
        """Return the project: each has queues of its own."""
        return account.project_id

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Create the queue, with its metadata.

        The service leaves one of that name as it is.

        :raises orch.clients.rest.CloudRefused: another queue has the name
        """
        name = _name(context)
        calls = self.api_collection(context)
        body = {**_metadata(context.properties), tokens.MARK: context.token}
        answer = rest.send_request(
            calls.service,
            "PUT",
            calls.place(name),
            json=body,
            headers=calls.headers,
        )
        if answer.status_code != http.HTTPStatus.CREATED and (
            self.find(context) is None
        ):
            raise rest.CloudRefused(f"There is a queue {name} already.")
        return name

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Find the queue of that name if it has the token."""
        name = _name(context)
        try:
            found = self.api_collection(context).get(name)
        except rest.CloudNotFound:
            return None
        return name if found.get(tokens.MARK) == context.token else None

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return the one name that it can have, if that has the token."""
        found = self.find(context)
        return () if found is None else (found,)

    def creates_once(self, context: call_context.Context) -> bool:
        """Return true: a queue of that name is written again."""
        return True

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the metadata of the queue.

        The service shows one that does not exist as one without metadata:
        only the list of queues distinguishes them.

        :raises orch.clients.rest.CloudNotFound: it does not exist
        """
        found = super().body(context)
        if all(key.startswith(_RESERVED) for key in found):
            name = self.id_of(context)
            if not self._is_listed(context, name):
                raise rest.CloudNotFound(f"There is no queue {name}.")
        return found

    def _is_listed(self, context: call_context.Context, name: str) -> bool:
        """Whether a queue is in the list of queues, a request a page.

        Pages have the service's own size: it refuses a larger one.
        """
        calls = self.api_collection(context)
        seen: set[str] = set()
        params: dict[str, str] = {}
        while True:
            listed = calls.ask("GET", calls.path, None, params)
            page = [str(each["name"]) for each in listed[calls.plural]]
            if name in page:
                return True
            if seen.issuperset(page):
                return False
            seen.update(page)
            params["marker"] = page[-1]

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Change the metadata that differ."""
        held = _shown_metadata(self.body(context), _metadata(before))
        desired = _metadata(context.properties)
        changes: dict[str, object] = dict.fromkeys(held.keys() - desired)
        changes |= {
            key: value
            for key, value in desired.items()
            if key not in held or held[key] != value
        }
        patch = wire.build_patch(changes, held)
        if not patch:
            return
        self.api_collection(context).patch(
            self.id_of(context),
            [
                {**each, "path": f"/{_METADATA}{each['path']}"}
                for each in patch
            ],
            _PATCH,
        )

    def delete(self, context: call_context.Context) -> None:
        """Do nothing yet; :meth:`is_deleted` removes."""

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Remove it: it is gone as soon as the service accepts that.

        :raises orch.errors.Busy: others hold it for too long
        """
        return self.ask_to_remove(context)

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the metadata, but those of the service."""
        given = _metadata(context.properties)
        return {
            _METADATA: _shown_metadata(body, given),
            "name": self.id_of(context),
        }

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return the address of the queue."""
        calls = self.api_collection(context)
        place = calls.place(self.id_of(context))
        return {
            name: f"{rest.endpoint_of(calls.service)}{place}" for name in names
        }


def _name(context: call_context.Context) -> str:
    given = context.properties.get("name")
    return str(given or context.bounded_name(_MAX_NAME))


def _metadata(properties: Values) -> dict[str, object]:
    return dict(wire.to_mapping(properties.get(_METADATA)))


def _shown_metadata(body: wire.Body, given: Values) -> dict[str, object]:
    """Return metadata without the token, and those of the service.

    :param given: by the template, which can set those of the service too
    """
    return {
        key: value
        for key, value in body.items()
        if key != tokens.MARK
        and (key in given or not key.startswith(_RESERVED))
    }
