"""``OS::Heat::SoftwareConfig``: a text that an agent on a server applies."""

from orch.plugin import call_context
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import stored_config


@type_files.described("OS::Heat::SoftwareConfig")
class SoftwareConfig(stored_config.StoredConfig):
    """A script or another text, with its inputs and outputs."""

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return what the properties say."""
        given = context.properties
        return stored_config.build_definition(
            context, str(given.get("group")), given.get("config") or ""
        )
