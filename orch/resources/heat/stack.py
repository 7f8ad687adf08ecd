"""``OS::Heat::Stack``: a stack of a template that stands in a property."""

import collections.abc

from orch import errors
from orch.plugin import holder
from orch.plugin import resource
from orch.plugin import schema


class RemoteUnsupported(errors.NotSupported):
    """A stack would be made at another installation."""

    code = "orch.resource.remote_unsupported"


class HeatStack(holder.Holder):
    """A stack in the stack, of this installation."""

    type_name = "OS::Heat::Stack"
    needs_members = False
    properties = (
        schema.Property(
            "context",
            schema.Type.MAP,
            "Where the stack is to be made, if not here.",
            on_update=schema.OnUpdate.MODIFY,
            fields=(
                schema.Property(
                    "region_name",
                    schema.Type.STRING,
                    "Region of the other installation.",
                    on_update=schema.OnUpdate.REPLACE,
                ),
                schema.Property(
                    "credential_secret_id",
                    schema.Type.STRING,
                    "Secret with the credentials for it.",
                    on_update=schema.OnUpdate.MODIFY,
                ),
                schema.Property(
                    "ca_cert",
                    schema.Type.STRING,
                    "Certificates that its own is checked by.",
                    on_update=schema.OnUpdate.MODIFY,
                ),
                schema.Property(
                    "insecure",
                    schema.Type.BOOLEAN,
                    "Whether its certificate goes unchecked.",
                    default=False,
                    on_update=schema.OnUpdate.MODIFY,
                ),
            ),
        ),
        schema.Property(
            "template",
            schema.Type.STRING,
            "The template, as text.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property(
            "timeout",
            schema.Type.INTEGER,
            "Minutes that an operation of the stack may take.",
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property(
            "parameters",
            schema.Type.MAP,
            "Values of the template's parameters.",
            default={},
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    attributes = (
        schema.Attribute(
            "stack_name", schema.Type.STRING, "The name of the stack."
        ),
        schema.Attribute(
            "outputs", schema.Type.MAP, "Its outputs, by their keys."
        ),
    )

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a stack at another installation.

        :raises RemoteUnsupported: one is asked for
        """
        where = properties.get("context")
        if isinstance(where, dict) and (
            where.get("region_name") or where.get("credential_secret_id")
        ):
            raise RemoteUnsupported(
                "OS::Heat::Stack makes stacks of this installation only:"
                " leave region_name and credential_secret_id out"
            )

    def stages(
        self,
        context: resource.Context,
        members: collections.abc.Sequence[holder.Member],
    ) -> collections.abc.Sequence[holder.Stage]:
        """Return the one stage that there is."""
        values = context.properties["parameters"]
        assert isinstance(values, dict)
        minutes = context.properties.get("timeout")
        # None or 0 is the time that the stack around it has.
        timeout_s = minutes * 60 if isinstance(minutes, int) else 0
        return (
            holder.Stage(
                template=str(context.properties["template"]),
                parameters=values,
                timeout_s=timeout_s if timeout_s > 0 else None,
            ),
        )

    def read(
        self, context: resource.Context, path: holder.Path, view: holder.View
    ) -> object:
        """Return the name, or the outputs."""
        name, *rest = path
        if name == "stack_name":
            return holder.part(view.stack_name, rest)
        if name == "outputs":
            return holder.part(view.outputs, rest)
        raise errors.Invalid(f"{self.type_name} shows no attribute {name}")
