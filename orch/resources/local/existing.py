"""Things below the allowed root that stand already, whoever made them."""

import collections.abc
import contextlib
import fnmatch
import os
import stat
import typing

from orch.plugin import listing
from orch.resources.local import root

_MOST: typing.Final = 100_000
"""How many entries are looked at before we give up."""


def listed(
    root_: root.Root,
    wanted: listing.Filter,
    is_kind: collections.abc.Callable[[int], bool],
) -> list[listing.Listed]:
    """Return what stands below the root, by path.

    Nothing there bears tags. Links are neither listed nor followed.

    :param wanted: its name is that of the path, ``*`` for any text
    :param is_kind: answers by the mode whether it is what is looked for
    :raises root.Refused: the root cannot be read, or holds too much
    """
    if wanted.tag is not None:
        return []
    found = []
    for count, (parts, facts) in enumerate(_walk(root_, ())):
        if count >= _MOST:
            raise root.Refused(
                f"more than {_MOST} files and directories stand below the"
                " allowed root; name them one by one"
            )
        path = "/".join(parts)
        if is_kind(facts.st_mode) and _is_named(path, wanted.name):
            found.append(listing.Listed(physical_id=path, name=parts[-1]))
    return found


def place(physical_id: str | None, path: object) -> tuple[str, root.Parts]:
    """Return the path of a thing that is taken over, and its steps.

    :param path: property of the template, ``None`` when there is none yet
    :raises root.Refused: the id is another place than the property
    """
    spelled = str(path if path is not None else physical_id)
    parts = root.parse(spelled)
    if root.parse(str(physical_id), "id") != parts:
        raise root.Refused(
            f"the id {physical_id} is another place than the path {spelled}"
        )
    return spelled, parts


def check_spelling(
    path: str, known: collections.abc.Collection[object]
) -> None:
    """Return only if a thing is called as its maker calls it.

    Who owns it is known by that name alone.

    :param known: how makers spell it; empty when no resource made it
    :raises root.Refused: it has another name
    """
    others = sorted(str(each) for each in known if each != path)
    if others:
        raise root.Refused(
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
    """Answer whether a template can hold the name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_named(path: str, pattern: str | None) -> bool:
    return pattern is None or fnmatch.fnmatchcase(path, pattern)
