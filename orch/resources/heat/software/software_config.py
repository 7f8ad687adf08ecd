"""``OS::Heat::SoftwareConfig``: a text that an agent on a server applies."""

from orch.plugin import call_context
from orch.plugin import schema
from orch.plugin import software
from orch.resources.heat.software import schemas
from orch.resources.heat.software import stored_config


class SoftwareConfig(stored_config.StoredConfig):
    """A script or another text, with its inputs and outputs."""

    type_name = "OS::Heat::SoftwareConfig"
    properties = (
        schema.Property(
            "config",
            schema.Type.STRING,
            "The script, manifest or whatever else the tool applies.",
        ),
        schemas.GROUP,
        schemas.INPUTS,
        schemas.OPTIONS,
        schemas.OUTPUTS,
    )

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return what the properties say."""
        given = context.properties
        return stored_config.build_definition(
            context, str(given.get("group")), given.get("config") or ""
        )
