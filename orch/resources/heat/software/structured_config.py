"""``OS::Heat::StructuredConfig``: a map that an agent on a server applies."""

from orch.plugin import call_context
from orch.plugin import schema
from orch.plugin import software
from orch.resources.heat.software import schemas
from orch.resources.heat.software import stored_config


class StructuredConfig(stored_config.StoredConfig):
    """A map; a deployment puts values of inputs into it."""

    type_name = "OS::Heat::StructuredConfig"
    properties = (
        schema.Property(
            "config",
            schema.Type.MAP,
            "The map that the tool applies; {get_input: NAME} is replaced by"
            " the value of an input.",
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
            context,
            str(given.get("group")),
            schemas.to_mapping(given.get("config")),
        )
