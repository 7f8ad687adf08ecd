"""Base of all types that are a software config."""

import abc
import collections.abc
import uuid

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import software
from orch.resources.heat.software import property_values


class ConfigGone(reality.Vanished):
    """A config was deleted by another client."""

    code = "orch.resource.config_gone"


class StoredConfig(software.SoftwareResource):
    """A config; its id is the token, so that no second one is created."""

    has_reality = True

    @abc.abstractmethod
    def definition(self, context: call_context.Context) -> software.Definition:
        """Return what the config is to say.

        :raises orch.errors.OrchError: the properties do not allow one
        """

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Keep the config."""
        self.store.create_config(
            context.stack_project, context.token, self.definition(context)
        )
        return context.token

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return the config that an earlier attempt has kept."""
        found = self.store.find_config(context.stack_project, context.token)
        return None if found is None else found.id

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Keep the config here under the id that it had.

        :raises orch.errors.Permanent: it has no such id, or another project
            has a config of that id
        """
        config_id = str(given.physical_id)
        if not _is_id(config_id):
            raise errors.Permanent(
                f"{config_id[:80]} is no id of a software config; it has to"
                " be a UUID"
            )
        self.store.create_config(
            context.stack_project, config_id, self.definition(context)
        )
        if self.store.find_config(context.stack_project, config_id) is None:
            raise errors.Permanent(
                f"Software config {config_id} belongs to another project"
            )
        return given

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties, if the config says what they want of it.

        :raises ConfigGone: it was deleted
        """
        found = self.store.find_config(
            context.stack_project, context.physical_id or context.token
        )
        if found is None:
            raise ConfigGone(
                f"Software config {context.physical_id} is not there any more"
            )
        desired = self.definition(context)
        is_same = _agent_config(found) == _agent_config(desired)
        return dict(context.properties) if is_same else {}

    def delete(self, context: call_context.Context) -> None:
        """Forget the config.

        :raises orch.errors.Invalid: it is deployed as it is
        """
        if context.physical_id is not None:
            self.store.delete_config(
                context.stack_project, context.physical_id
            )

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the config says."""
        found = self.store.find_config(
            context.stack_project, context.physical_id or context.token
        )
        return {} if found is None else {"config": found.config}


def build_definition(
    context: call_context.Context, group: str, config: object
) -> software.Definition:
    """Return a config with what the properties say goes in and comes out."""
    given = context.properties
    return software.Definition(
        name=context.physical_name,
        group=group,
        config=config,
        inputs=property_values.normalise_declared(given.get("inputs")),
        outputs=property_values.normalise_declared(given.get("outputs")),
        options=property_values.to_mapping(given.get("options")),
    )


def _agent_config(config: software.Definition) -> tuple[object, ...]:
    """Return what a config tells a server; its name is not among it."""
    return (
        config.group,
        config.config,
        list(config.inputs),
        list(config.outputs),
        dict(config.options),
    )


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
