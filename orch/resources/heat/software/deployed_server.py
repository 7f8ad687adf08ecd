"""``OS::Heat::DeployedServer``: a server that is there already.

Nothing is made. It is a name for the server under which software can be
deployed to it, and where its agent finds what that is.
"""

import collections.abc
import typing

from orch import clock
from orch import errors
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import software

Values = collections.abc.Mapping[str, object]

_MODIFY = schema.OnUpdate.MODIFY
_CFN: typing.Final = "POLL_SERVER_CFN"
_HEAT: typing.Final = "POLL_SERVER_HEAT"
_UNSERVED: typing.Final = {
    "POLL_TEMP_URL": "needs an object store",
    "ZAQAR_MESSAGE": "needs a message queue service",
}
_NOT_EMPTY = (schema.Length(minimum=1),)


class DeployedServer(software.Stored):
    """A server that somebody else has set up."""

    type_name = "OS::Heat::DeployedServer"
    properties = (
        schema.Property(
            "deployment_swift_data",
            schema.Type.MAP,
            "Where an object store would keep what is to be applied; not"
            " looked at, because that transport is not served.",
            default={},
            on_update=_MODIFY,
            fields=(
                schema.Property(
                    "container",
                    schema.Type.STRING,
                    "Name of the container.",
                    constraints=_NOT_EMPTY,
                ),
                schema.Property(
                    "object",
                    schema.Type.STRING,
                    "Name of the object.",
                    constraints=_NOT_EMPTY,
                ),
            ),
        ),
        schema.Property(
            "metadata",
            schema.Type.MAP,
            "Of old templates; use the metadata of the resource.",
            on_update=_MODIFY,
        ),
        schema.Property(
            "name",
            schema.Type.STRING,
            "What the server is called; a name of the stack by default.",
            on_update=_MODIFY,
        ),
        schema.Property(
            "software_config_transport",
            schema.Type.STRING,
            "How the agent of the server learns what is to be applied. The"
            " last two are not served.",
            default=_CFN,
            on_update=_MODIFY,
            constraints=(
                schema.AllowedValues(
                    values=(_CFN, _HEAT, "POLL_TEMP_URL", "ZAQAR_MESSAGE")
                ),
            ),
        ),
    )
    attributes = (
        schema.Attribute(
            "name", schema.Type.STRING, "What the server is called."
        ),
        schema.Attribute(
            "os_collect_config",
            schema.Type.MAP,
            "Configuration of the agent os-collect-config on the server.",
        ),
    )

    def validate(self, properties: Values) -> None:
        """Refuse a transport that needs a service we do not reach."""
        transport = str(properties.get("software_config_transport"))
        if transport in _UNSERVED:
            message = (
                f"software_config_transport {transport}"
                f" {_UNSERVED[transport]}, which this installation does not"
                f" use; take {_CFN} or {_HEAT}"
            )
            raise errors.Invalid(
                message,
                [errors.Problem(message, path="software_config_transport")],
            )

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Return the id that deployments call the server by."""
        self.validate(context.properties)
        return context.token

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Answer that nothing is left: nothing is made in the world."""
        return None

    def update(
        self,
        context: resource.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Do nothing: what it shows follows the properties."""
        self.validate(context.properties)

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return name and configuration of the agent."""
        return {
            "name": context.properties.get("name") or context.physical_name,
            "os_collect_config": _agent(context),
        }

    def shown_metadata(self, context: resource.Context) -> Values:
        """Return the metadata, with what the agent has to apply."""
        if context.physical_id is None:
            return context.metadata
        found = self.store.list_configs(
            context.stack_project, context.physical_id
        )
        return {
            **context.metadata,
            "os-collect-config": _agent(context),
            "deployments": [_shown(each) for each in found],
        }


def _agent(context: resource.Context) -> dict[str, object]:
    """Return the configuration of the agent, without credentials.

    Whoever sets the server up gives it those.
    """
    if context.properties.get("software_config_transport") == _HEAT:
        return {
            "collectors": ["heat", "local"],
            "heat": {
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


def _shown(config: software.Config) -> dict[str, object]:
    """Return a config as agents read it."""
    return {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "config": config.config,
        "inputs": [dict(one) for one in config.inputs],
        "outputs": [dict(one) for one in config.outputs],
        "options": dict(config.options),
        "creation_time": clock.isoformat(config.created_at),
    }
