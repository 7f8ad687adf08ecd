"""``OS::Barbican::Secret``: a value that the service keeps."""

import base64
import collections.abc
import dataclasses

from orch.clients import collection
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

_PAYLOAD = "decrypted_payload"


class Secret(base.OpenStackResource):
    """A secret, whose payload has a request of its own."""

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return values of what the service shows, the payload among them."""
        found = super().read_attributes(context, set(names) - {_PAYLOAD})
        if _PAYLOAD not in names:
            return found
        calls = self.api_collection(context)
        payload = read_payload(calls, calls.place(self.id_of(context)))
        return {**found, _PAYLOAD: payload}

    def all_listed(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[wire.Body]:
        """Yield the secrets that no order generated: those belong to it."""
        calls = self.api_collection(context)
        generated = _find_generated(calls)
        for each in super().all_listed(context):
            if self.id_in(each) not in generated:
                yield each


def _find_generated(calls: collection.Collection) -> set[str]:
    """Return the addresses of the secrets that orders generated."""
    orders = list(list_others(calls, "order"))
    containers = {each.get("container_ref") for each in orders} - {None}
    found = {str(each.get("secret_ref")) for each in orders}
    for each in list_others(calls, "container") if containers else ():
        if each["container_ref"] in containers:
            found |= {one["secret_ref"] for one in each["secret_refs"]}
    return found


def list_others(
    calls: collection.Collection, noun: str
) -> collections.abc.Iterator[collection.Body]:
    """Yield the orders, containers or secrets of the project."""
    return dataclasses.replace(
        calls, path=f"/{noun}s", plural=f"{noun}s", id_key=f"{noun}_ref"
    ).listed({})


def read_payload(calls: collection.Collection, place: str) -> str:
    """Return the payload of a secret; one that is no text as Base64.

    :param place: path of the secret
    :raises orch.errors.OrchError: see :func:`orch.clients.rest.send_request`
    """
    answer = rest.send_request(
        calls.service,
        "GET",
        f"{place}/payload",
        headers={"Accept": "*/*"},
        is_secret=True,
    )
    try:
        return answer.content.decode()
    except UnicodeDecodeError:
        return base64.b64encode(answer.content).decode()
