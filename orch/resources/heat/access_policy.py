"""``OS::Heat::AccessPolicy``: which resources a user may read."""

import collections.abc
import typing

from orch.plugin import no_physical_resource
from orch.plugin import stack_users
from orch.plugin import type_files

_ALLOWED: typing.Final = "AllowedResources"


@type_files.described("OS::Heat::AccessPolicy")
class AccessPolicy(
    stack_users.StackUserPolicy, no_physical_resource.EffectFreeResource
):
    """Names of resources; stack users refer to the policy by its name."""

    def allows(
        self, properties: collections.abc.Mapping[str, object], name: str
    ) -> bool:
        """Whether the name is one of those allowed."""
        allowed = properties.get(_ALLOWED)
        return isinstance(allowed, list | tuple) and name in allowed
