"""``OS::Heat::CloudConfig``: a map for cloud-init."""

import yaml

from orch.plugin import call_context
from orch.plugin import schema
from orch.plugin import software
from orch.resources.heat.software import schemas
from orch.resources.heat.software import stored_config


class CloudConfig(stored_config.StoredConfig):
    """A map, stored as the YAML document that cloud-init reads."""

    type_name = "OS::Heat::CloudConfig"
    properties = (
        schema.Property(
            "cloud_config",
            schema.Type.MAP,
            "What cloud-init is to do.",
        ),
    )

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return the document, with the line that cloud-init knows it by."""
        desired = schemas.to_mapping(context.properties.get("cloud_config"))
        document = yaml.safe_dump(desired, default_flow_style=False)
        return software.Definition(
            name=context.physical_name, config=f"#cloud-config\n{document}"
        )
