"""Base of the types whose resources are a path below the root."""

import collections.abc
import typing

from oslo_config import cfg

from orch import clock
from orch.plugin import call_context
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.local import root

MODE_PATTERN: typing.Final = "0[0-7]{3}"

PATH: typing.Final = schema.Property(
    "path",
    schema.Type.STRING,
    "Its path, relative to the allowed root; missing parents are created,"
    " and removed with it once they are empty.",
    required=True,
    constraints=(schema.Length(minimum=1, maximum=1024),),
)


class PathResource(resource.Resource):
    """A file or directory of the worker's machine, known by its path."""

    is_local = True
    has_late_effects = False
    adopts_as_given = True

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Keep options and clock; nothing is opened yet."""
        super().__init__(conf, clock_)
        self._root = root.Root(conf)

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a path that leads out of the allowed root."""
        if "path" in properties:
            root.parse_path(str(properties["path"]))

    def normalise(self, name: str, value: object) -> object:
        """Return a path without empty steps, and a mode of four digits."""
        if name == "path" and isinstance(value, str):
            steps = value.split("/")
            return "/".join(each for each in steps if each not in ("", "."))
        if name == "mode" and isinstance(value, str):
            return value.lstrip("0").rjust(4, "0")
        return value


def resource_path(context: call_context.Context) -> tuple[str, root.Parts]:
    """Return the path as the template has it, and its steps."""
    path = str(context.properties["path"])
    return path, root.parse_path(path)


def existing_parts(context: call_context.Context) -> root.Parts:
    """Return the steps to what exists, also where the template has only an id.

    So it is with ``external_id``.
    """
    path = context.physical_id or str(context.properties["path"])
    return root.parse_path(path)
