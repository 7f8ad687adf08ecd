"""``OS::Heat::DeployedServer``: a server that is there already.

Nothing is made. It is a name for the server under which software can be
deployed to it, and where its agent finds what that is.
"""

import collections.abc

from orch.plugin import acts
from orch.plugin import immaterial
from orch.plugin import schema
from orch.plugin import software
from orch.resources.heat.software import agents

Values = collections.abc.Mapping[str, object]

_MODIFY = schema.OnUpdate.MODIFY
_NOT_EMPTY = (schema.Length(minimum=1),)


class DeployedServer(software.Server, immaterial.Immaterial):
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
            agents.PROPERTY,
            schema.Type.STRING,
            "How the agent of the server learns what is to be applied. The"
            " last two are not served.",
            default=agents.CFN,
            on_update=_MODIFY,
            constraints=(
                schema.AllowedValues(
                    values=(
                        agents.CFN,
                        agents.HEAT,
                        "POLL_TEMP_URL",
                        "ZAQAR_MESSAGE",
                    )
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
        agents.check(properties)

    def create(self, context: acts.Context) -> acts.PhysicalId:
        """Return the id that deployments call the server by."""
        self.validate(context.properties)
        return context.token

    def find(
        self, context: acts.Context
    ) -> acts.PhysicalId | acts.Made | None:
        """Answer that nothing is left: nothing is made in the world."""
        return None

    def update(
        self,
        context: acts.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Do nothing: what it shows follows the properties."""
        self.validate(context.properties)

    def read_attributes(
        self,
        context: acts.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return name and configuration of the agent."""
        return {
            "name": context.properties.get("name") or context.physical_name,
            "os_collect_config": dict(self.agent(context)),
        }

    def agent(self, context: acts.Context) -> Values:
        """Return the configuration of the agent os-collect-config."""
        return agents.of(self, context)
