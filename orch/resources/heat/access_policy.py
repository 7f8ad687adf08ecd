"""``OS::Heat::AccessPolicy``: which resources a user may read."""

import collections.abc
import typing

from orch.plugin import no_physical_resource
from orch.plugin import schema
from orch.plugin import stack_users

_ALLOWED: typing.Final = "AllowedResources"


class AccessPolicy(
    stack_users.StackUserPolicy, no_physical_resource.NoPhysicalResource
):
    """Names of resources; stack users refer to the policy by its name."""

    type_name = "OS::Heat::AccessPolicy"
    properties = (
        schema.Property(
            _ALLOWED,
            schema.Type.LIST,
            "Names of the resources that a user with this policy may read.",
            required=True,
        ),
    )

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer yes: it says something, and does nothing."""
        return True

    def allows(
        self, properties: collections.abc.Mapping[str, object], name: str
    ) -> bool:
        """Whether the name is one of those allowed."""
        allowed = properties.get(_ALLOWED)
        return isinstance(allowed, list | tuple) and name in allowed
