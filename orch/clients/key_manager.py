"""Secrets that the cloud stores for its users (Barbican)."""

import typing

from orch import json_depth
from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection


def read_login(
    cloud: "connection.Connection", secret_id: str
) -> dict[str, object]:
    """Return the login to another cloud that a secret holds.

    :param secret_id: its id, or its reference, which ends with that
    :returns: ``auth_type`` and ``auth``, as keystoneauth names them
    :raises orch.clients.rest.CloudRefused: the secret is none of this project,
        or holds no login
    :raises orch.errors.OrchError: see :func:`orch.clients.rest.send_request`
    """
    service = rest.service_of(cloud, "key-manager")
    name = rest.path_segment(secret_id.rstrip("/").rpartition("/")[2])
    # The catalogue may name the endpoint with its version or without.
    prefix = "" if rest.endpoint_of(service).endswith("/v1") else "/v1"
    answer = rest.send_request(
        service,
        "GET",
        f"{prefix}/secrets/{name}/payload",
        headers={"Accept": "*/*"},
        is_secret=True,
    )
    try:
        found = json_depth.parse_json(answer.content)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not found.get("auth_type"):
        # What the secret holds must not be shown.
        raise rest.CloudRefused(
            f"the secret {secret_id} holds no login: store a JSON object with"
            " auth_type and auth in it"
        )
    return found
