"""``OS::Barbican::Secret``: a value that the service keeps."""

import base64
import collections.abc

from orch.clients import collection
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base

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
