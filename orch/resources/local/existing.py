"""Existing files and directories below the allowed root."""

import collections.abc
import contextlib
import fnmatch
import os
import stat
import typing

from orch.plugin import listing
from orch.resources.local import root

_MAX_LISTED: typing.Final = 100_000
"""How many entries are looked at before we give up."""


def list_existing(
    root_: root.Root,
    desired: listing.PhysicalResourceFilter,
    is_kind: collections.abc.Callable[[int], bool],
) -> list[listing.PhysicalResource]:
    """Return what stands below the root, by path.

    Nothing there bears tags. Links are neither listed nor followed.

    :param desired: its name is that of the path, ``*`` for any text
    :param is_kind: answers by the mode whether it is what is looked for
    :raises root.LocalRefused: the root cannot be read, or holds too much
    """
    if desired.tag is not None:
        return []
    found = []
    for count, (parts, facts) in enumerate(_walk(root_, ())):
        if count >= _MAX_LISTED:
            raise root.LocalRefused(
                f"more than {_MAX_LISTED} files and directories are below the"
                " allowed root; name them one by one"
            )
        path = "/".join(parts)
        if is_kind(facts.st_mode) and _is_named(path, desired.name):
            found.append(
                listing.PhysicalResource(physical_id=path, name=parts[-1])
            )
    return found


def path_to_adopt(
    physical_id: str | None, path: object
) -> tuple[str, root.Parts]:
    """Return the path of a resource that is to be taken over, and its steps.

    :raises root.LocalRefused: the id is not that path, letter by letter
    """
    found, parts = adopted_path(physical_id, path)
    check_spelling(str(physical_id), {found})
    return found, parts


def adopted_path(
    physical_id: str | None, path: object
) -> tuple[str, root.Parts]:
    """Return the path of a resource that is taken over, and its steps.

    :param path: property of the template, ``None`` when there is none yet
    :raises root.LocalRefused: the id is another place than the property
    """
    spelled = str(path if path is not None else physical_id)
    parts = root.parse_path(spelled)
    if root.parse_path(str(physical_id), "id") != parts:
        raise root.LocalRefused(
            f"the id {physical_id} is another place than the path {spelled}"
        )
    return spelled, parts


def check_spelling(
    path: str, known: collections.abc.Collection[object]
) -> None:
    """Return only if a resource is called as its maker calls it.

    Who owns it is known by that name alone.

    :param known: how makers spell it; empty when no resource made it
    :raises root.LocalRefused: it has another name
    """
    others = sorted(str(each) for each in known if each != path)
    if others:
        raise root.LocalRefused(
            f"{path} is known as {others[0]}; give that as its id and path"
        )


def _walk(
    root_: root.Root, here: root.Parts
) -> collections.abc.Iterator[tuple[root.Parts, os.stat_result]]:
    with contextlib.suppress(FileNotFoundError):
        for name, facts in _entries(root_, here):
            parts = (*here, name)
            if parts == (root.PRIVATE,) or not _is_text(name):
                continue
            yield parts, facts
            if stat.S_ISDIR(facts.st_mode):
                yield from _walk(root_, parts)


def _entries(
    root_: root.Root, here: root.Parts
) -> list[tuple[str, os.stat_result]]:
    with root_.directory(here) as number:
        return [
            (name, facts)
            for name in root.names_in(number)
            if (facts := root.find_stat(number, name)) is not None
        ]


def _is_text(name: str) -> bool:
    """Whether a template can hold the name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_named(path: str, pattern: str | None) -> bool:
    return pattern is None or fnmatch.fnmatchcase(path, pattern)
