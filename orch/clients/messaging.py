"""Queues of the cloud (Zaqar), by version 2 of its interface."""

import typing
import uuid

from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection

_VERSION: typing.Final = "/v2"


def post_message(
    cloud: "connection.Connection",
    queue: str,
    body: object,
    *,
    ttl_s: int | None,
    sender: str,
) -> None:
    """Put a message into a queue, which is made where there is none.

    :param ttl_s: after which the service forgets it; ``None`` for as long
        as the service keeps messages that say nothing
    :param sender: UUID of whoever sends; its own messages are not shown to it
    :raises orch.clients.rest.CloudRefused: the service will not take it
    :raises orch.errors.OrchError: see :func:`orch.clients.rest.send_request`
    """
    service = rest.service_of(cloud, "messaging")
    # The catalogue may name the endpoint with its version or without.
    has_version = rest.endpoint_of(service).endswith(_VERSION)
    prefix = "" if has_version else _VERSION
    message: dict[str, object] = {"body": body}
    if ttl_s is not None:
        message["ttl"] = ttl_s
    rest.send_request(
        service,
        "POST",
        f"{prefix}/queues/{rest.path_segment(queue)}/messages",
        json={"messages": [message]},
        headers={
            "Client-ID": str(uuid.UUID(sender)),
            "Accept": "application/json",
        },
    )
