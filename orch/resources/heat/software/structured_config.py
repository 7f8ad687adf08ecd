"""``OS::Heat::StructuredConfig``: a map that an agent on a server applies."""

from orch.plugin import call_context
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import property_values
from orch.resources.heat.software import stored_config


@type_files.described("OS::Heat::StructuredConfig")
class StructuredConfig(stored_config.StoredConfig):
    """A map; a deployment puts values of inputs into it."""

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return what the properties say."""
        given = context.properties
        return stored_config.build_definition(
            context,
            str(given.get("group")),
            property_values.to_mapping(given.get("config")),
        )
