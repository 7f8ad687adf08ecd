"""``OS::Heat::AccessPolicy``: which resources a user may look at."""

import collections.abc

from orch.plugin import immaterial
from orch.plugin import schema


class AccessPolicy(immaterial.Immaterial):
    """Names of resources; users of a stack are bound to it by its name."""

    type_name = "OS::Heat::AccessPolicy"
    properties = (
        schema.Property(
            "AllowedResources",
            schema.Type.LIST,
            "Names of the resources that a user with this policy may look at.",
            required=True,
        ),
    )

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer yes: it says something, and does nothing."""
        return True
