"""``AWS::AutoScaling::LaunchConfiguration``: how groups make instances."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files

_INSTANCE: typing.Final = "InstanceId"


@type_files.described("AWS::AutoScaling::LaunchConfiguration")
class LaunchConfiguration(no_physical_resource.EffectFreeResource):
    """Values for the members of groups; no physical resource."""

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse to look at a server.

        :raises orch.errors.NotSupported: one is named
        """
        if properties.get(_INSTANCE):
            raise errors.NotSupported(
                f"{_INSTANCE} of {self.type_name} is not supported: no"
                " compute service is asked here; set ImageId and InstanceType"
            )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the physical name; there is nothing behind it.

        :raises orch.errors.NotSupported: a server is named
        """
        self.validate(context.properties)
        return context.physical_name
