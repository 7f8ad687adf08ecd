"""``OS::Heat::SoftwareComponent``: one config for each action."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import schema
from orch.plugin import software
from orch.resources.heat.software import schemas
from orch.resources.heat.software import stored_config

GROUP: typing.Final = "component"


class SoftwareComponent(stored_config.StoredConfig):
    """A piece of software over its life: each action has a config."""

    type_name = "OS::Heat::SoftwareComponent"
    properties = (
        schema.Property(
            "configs",
            schema.Type.LIST,
            "What is to be applied, and in which actions.",
            required=True,
            constraints=(schema.Length(minimum=1),),
            items=schema.Property(
                "*",
                schema.Type.MAP,
                fields=(
                    schema.Property(
                        "actions",
                        schema.Type.LIST,
                        "Actions of a deployment in which this is applied:"
                        " CREATE, UPDATE, DELETE, SUSPEND, RESUME, or words"
                        " of your own.",
                        default=["CREATE", "UPDATE"],
                        constraints=(schema.Length(minimum=1),),
                        items=schema.Property("*", schema.Type.STRING),
                    ),
                    schema.Property(
                        "config",
                        schema.Type.STRING,
                        "The script, manifest or whatever the tool applies.",
                    ),
                    schema.Property(
                        "tool",
                        schema.Type.STRING,
                        "Which tool of the agent applies it.",
                        required=True,
                    ),
                ),
            ),
        ),
        schemas.INPUTS,
        schemas.OPTIONS,
        schemas.OUTPUTS,
    )

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
    found = schemas.to_mapping(config) if isinstance(config, dict) else {}
    return set(_actions(found.get("configs")))


def _actions(configs: object) -> collections.abc.Iterator[str]:
    if not isinstance(configs, list):
        return
    for one in configs:
        if isinstance(one, dict):
            yield from map(str, one.get("actions") or ())
