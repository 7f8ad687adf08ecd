"""``OS::Heat::SoftwareComponent``: one config for each action."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import property_values
from orch.resources.heat.software import stored_config

GROUP: typing.Final = "component"


@type_files.described("OS::Heat::SoftwareComponent")
class SoftwareComponent(stored_config.StoredConfig):
    """A piece of software over its life: each action has a config."""

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse two configs for one action: nothing would order them."""
        observed: set[str] = set()
        for action in _actions(properties.get("configs")):
            if action in observed:
                raise errors.Invalid(
                    "Defining more than one configuration for the same action"
                    f" in a SoftwareComponent is not allowed: {action}"
                )
            observed.add(action)

    def definition(self, context: call_context.Context) -> software.Definition:
        """Return what the properties say."""
        given = context.properties
        self.validate(given)
        return stored_config.build_definition(
            context, GROUP, {"configs": given["configs"]}
        )


def list_actions(config: object) -> set[str]:
    """Return the actions that a component has a config for."""
    found = (
        property_values.to_mapping(config) if isinstance(config, dict) else {}
    )
    return set(_actions(found.get("configs")))


def _actions(configs: object) -> collections.abc.Iterator[str]:
    if not isinstance(configs, list):
        return
    for one in configs:
        if isinstance(one, dict):
            yield from map(str, one.get("actions") or ())
