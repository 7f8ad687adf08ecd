"""The configuration of the agent os-collect-config on a server."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.heat.software import temp_url

Values = collections.abc.Mapping[str, object]

PROPERTY: typing.Final = "software_config_transport"
CFN: typing.Final = "POLL_SERVER_CFN"
HEAT: typing.Final = "POLL_SERVER_HEAT"
TEMP_URL: typing.Final = "POLL_TEMP_URL"

_UNSERVED: typing.Final = {
    "ZAQAR_MESSAGE": "needs a message queue service",
}


def check_transport(properties: Values, *, has_cloud: bool = True) -> None:
    """Return only if the way that is chosen is served.

    :param has_cloud: the installation works with one, which keeps objects
    :raises orch.errors.Invalid: it needs a service that we do not use
    """
    transport = str(properties.get(PROPERTY))
    unserved = dict(_UNSERVED)
    if not has_cloud:
        unserved[TEMP_URL] = "needs an object store"
    if transport in unserved:
        raise errors.property_error(
            PROPERTY,
            f"{transport} {unserved[transport]}, which this"
            f" installation does not use; take {CFN}, {HEAT} or {TEMP_URL}",
        )


def configuration(
    context: call_context.Context, polled_address: str
) -> Values:
    """Return the configuration, by the way that is chosen.

    :param polled_address: where the API serves the metadata of the server
    """
    if context.properties.get(PROPERTY) == HEAT:
        return {
            "collectors": ["heat", "local"],
            "heat": {
                "metadata_url": polled_address,
                "project_id": context.stack_project,
                "resource_name": context.name,
                "stack_id": f"{context.stack_name}/{context.stack_id}",
            },
        }
    if context.properties.get(PROPERTY) == TEMP_URL:
        return {
            "collectors": ["request", "local"],
            "request": {"metadata_url": temp_url.object_address(context.data)},
        }
    return {
        "collectors": ["cfn", "local"],
        "cfn": {
            "path": f"{context.name}.Metadata",
            "stack_name": context.stack_name,
        },
    }


def polls_object(context: call_context.Context) -> bool:
    """Whether the agent reads an object rather than ask our API."""
    return context.properties.get(PROPERTY) == TEMP_URL
