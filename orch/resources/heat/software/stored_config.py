"""What all types that are a software config have in common."""

import abc
import collections.abc
import uuid

from orch import errors
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import software


class StoredConfig(software.Stored):
    """A config; its id is the token, so no second one is ever made."""

    attributes = (
        schema.Attribute(
            "config", schema.Type.STRING, "What the config says."
        ),
    )

    @abc.abstractmethod
    def definition(self, context: resource.Context) -> software.Definition:
        """Return what the config is to say.

        :raises orch.errors.OrchError: the properties do not allow one
        """

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Keep the config."""
        self.store.create_config(
            context.stack_project, context.token, self.definition(context)
        )
        return context.token

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Return the config that an earlier attempt has kept."""
        found = self.store.find_config(context.stack_project, context.token)
        return None if found is None else found.id

    def handle_adopt(
        self, context: resource.Context, given: resource.Adopted
    ) -> resource.Adopted:
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

    def delete(self, context: resource.Context) -> None:
        """Forget the config.

        :raises orch.errors.Invalid: somebody has deployed it as it is
        """
        if context.physical_id is not None:
            self.store.delete_config(context.physical_id)

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the config says."""
        found = self.store.find_config(
            context.stack_project, context.physical_id or context.token
        )
        return {} if found is None else {"config": found.config}


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
