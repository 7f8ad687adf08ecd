"""Properties that several types of software resources have."""

import collections.abc
import typing

from orch.plugin import schema

Values = collections.abc.Mapping[str, object]

_TYPE = schema.Property(
    "type",
    schema.Type.STRING,
    "What its value is.",
    default="String",
    constraints=(
        schema.AllowedValues(
            values=(
                "String",
                "Number",
                "CommaDelimitedList",
                "Json",
                "Boolean",
            )
        ),
    ),
)
_DESCRIPTION = schema.Property(
    "description", schema.Type.STRING, "What it is good for."
)

INPUTS: typing.Final = schema.Property(
    "inputs",
    schema.Type.LIST,
    "What a deployment may hand to the config.",
    items=schema.Property(
        "*",
        schema.Type.MAP,
        fields=(
            schema.Property(
                "default", schema.Type.ANY, "Its value when none is given."
            ),
            schema.Property(
                "name",
                schema.Type.STRING,
                "Its name within the config.",
                required=True,
            ),
            schema.Property(
                "replace_on_change",
                schema.Type.BOOLEAN,
                "Another value makes a new deployment rather than change the"
                " existing one.",
                default=False,
            ),
            _TYPE,
            _DESCRIPTION,
        ),
    ),
)
OUTPUTS: typing.Final = schema.Property(
    "outputs",
    schema.Type.LIST,
    "What the config may report once it is applied.",
    items=schema.Property(
        "*",
        schema.Type.MAP,
        fields=(
            schema.Property(
                "error_output",
                schema.Type.BOOLEAN,
                "The deployment has failed when a value of it comes.",
                default=False,
            ),
            schema.Property(
                "name",
                schema.Type.STRING,
                "Its name within the config.",
                required=True,
            ),
            _TYPE,
            _DESCRIPTION,
        ),
    ),
)
OPTIONS: typing.Final = schema.Property(
    "options", schema.Type.MAP, "For the tool that applies the config."
)
GROUP: typing.Final = schema.Property(
    "group",
    schema.Type.STRING,
    "Which tool of the agent applies the config; the agent's images say what"
    " there is.",
    default="Heat::Ungrouped",
)


def normalise_declared(found: object) -> list[dict[str, object]]:
    """Return inputs or outputs as they are kept: without what says nothing."""
    return [
        {
            name: value
            for name, value in one.items()
            if value is not None and value is not False
        }
        for one in typing.cast("list[Values]", found or [])
    ]


def to_mapping(found: object) -> dict[str, object]:
    """Return a map; an empty one where nothing is given."""
    return dict(typing.cast("Values", found or {}))
