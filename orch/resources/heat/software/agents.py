"""How the agent os-collect-config on a server is configured."""

import collections.abc
import typing

from orch import errors
from orch.plugin import acts
from orch.plugin import software

Values = collections.abc.Mapping[str, object]

PROPERTY: typing.Final = "software_config_transport"
CFN: typing.Final = "POLL_SERVER_CFN"
HEAT: typing.Final = "POLL_SERVER_HEAT"

_UNSERVED: typing.Final = {
    "POLL_TEMP_URL": "needs an object store",
    "ZAQAR_MESSAGE": "needs a message queue service",
}


def check(properties: Values) -> None:
    """Return only if the way that is chosen is served.

    :raises orch.errors.Invalid: it needs a service that we do not use
    """
    transport = str(properties.get(PROPERTY))
    if transport in _UNSERVED:
        message = (
            f"{PROPERTY} {transport} {_UNSERVED[transport]}, which this"
            f" installation does not use; take {CFN} or {HEAT}"
        )
        raise errors.Invalid(message, [errors.Problem(message, path=PROPERTY)])


def configuration(context: acts.Context, polled_address: str) -> Values:
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
    return {
        "collectors": ["cfn", "local"],
        "cfn": {
            "path": f"{context.name}.Metadata",
            "stack_name": context.stack_name,
        },
    }


def of(server: software.Server, context: acts.Context) -> Values:
    """Return the configuration of the agent on a server."""
    return configuration(context, server.polled_address(context))
