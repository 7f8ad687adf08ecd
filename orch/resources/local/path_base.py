"""Bases of the local types, and of those whose resources are a path."""

import collections.abc
import fnmatch
import itertools
import stat
import typing

from oslo_config import cfg

from orch import clock
from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import resource
from orch.resources.local import root

_MAX_LISTED: typing.Final = 100_000
"""How many entries are looked at before we give up."""


class LocalResource(resource.Resource):
    """A resource of the worker's machine."""

    has_late_effects = False
    has_reality = True
    adopts_as_given = True

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Keep options and clock; nothing is opened yet."""
        super().__init__(conf, clock_)
        self._root = root.Root(conf)


class PathResource(LocalResource):
    """A file or directory of the worker's machine, known by its path.

    :ivar file_type: that of the mode of such a resource, as ``stat.S_IFREG``
    """

    file_type: typing.ClassVar[int]

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

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        desired: listing.PhysicalResourceFilter,
    ) -> list[listing.PhysicalResource]:
        """Return those below the allowed root, by path.

        None bears tags; a name is that of the path, ``*`` for any text.

        :raises root.LocalRefused: the root cannot be read, or holds too much
        """
        if desired.tag is not None:
            return []
        found = list(itertools.islice(self._root.walk(), _MAX_LISTED + 1))
        if len(found) > _MAX_LISTED:
            raise root.LocalRefused(
                f"more than {_MAX_LISTED} files and directories are below the"
                " allowed root; name them one by one"
            )
        return [
            listing.PhysicalResource(
                physical_id="/".join(parts), name=parts[-1]
            )
            for parts, mode in sorted(found)
            if stat.S_IFMT(mode) == self.file_type
            and fnmatch.fnmatchcase("/".join(parts), desired.name or "*")
        ]


def resource_path(context: call_context.Context) -> tuple[str, root.Parts]:
    """Return the path as the template has it, and its steps.

    With ``external_id`` there is nothing but the id.
    """
    path = str(context.properties.get("path") or context.physical_id)
    return path, root.parse_path(path)


def check_id(physical_id: str | None, path: str) -> None:
    """Raise LocalRefused if an id is another place than the path."""
    if root.parse_path(str(physical_id), "id") != root.parse_path(path):
        raise root.LocalRefused(
            f"the id {physical_id} is another place than the path {path}"
        )


def check_spelling(
    path: str | None, known: collections.abc.Iterable[object]
) -> None:
    """Raise LocalRefused if a resource is not called as its maker calls it.

    Who owns it is known by that name alone.

    :param known: how makers spell it; empty when no resource made it
    """
    others = sorted(str(each) for each in known if each != path)
    if others:
        raise root.LocalRefused(
            f"{path} is known as {others[0]}; give that as its id and path"
        )
