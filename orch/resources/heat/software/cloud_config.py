"""``OS::Heat::CloudConfig``: a map for cloud-init."""

import yaml

from orch.plugin import call_context
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import property_values
from orch.resources.heat.software import stored_config


@type_files.described("OS::Heat::CloudConfig")
class CloudConfig(stored_config.StoredConfig):
    """A map, stored as the YAML document that cloud-init reads."""

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return the document, with the line that cloud-init knows it by."""
        desired = property_values.to_mapping(
            context.properties.get("cloud_config")
        )
        document = yaml.safe_dump(desired, default_flow_style=False)
        return software.Definition(
            name=context.physical_name, config=f"#cloud-config\n{document}"
        )
