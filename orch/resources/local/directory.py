"""``Orch::Local::Directory``: a directory of its own."""

import collections.abc
import contextlib
import dataclasses
import os
import stat
import typing

from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.local import owned_file
from orch.resources.local import path_base
from orch.resources.local import root

_TIMEOUT_S: typing.Final = 60.0
"""How long a removal waits for other resources to leave the directory."""

_SHOWN: typing.Final = 5


@type_files.described("Orch::Local::Directory")
class Directory(path_base.PathResource):
    """A directory below the allowed root of the worker's machine.

    It is removed only when nothing is left in it but what goes as well.
    """

    file_type = stat.S_IFDIR

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Make the directory, or take over one made as a mere parent.

        One that an incarnation of this same resource made, which this one
        is to replace, is taken over as well.

        :raises root.LocalRefused: something stands there that is not ours
        """
        path, parts = path_base.resource_path(context)
        with (
            root.explain_errors(path, make=True),
            self._root.directory(parts[:-1], make=True) as parent,
        ):
            self._make(parent, parts, context)
            with self._root.directory(parts) as number:
                os.fchmod(number, int(str(context.properties["mode"]), 8))
        return path

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return the path when the directory there is this resource's."""
        path, parts = path_base.resource_path(context)
        with (
            contextlib.suppress(FileNotFoundError),
            self._root.directory(parts),
        ):
            return path if self._is_ours(parts, context.token) else None
        return None

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Take the directory for ours, as if we had made it.

        :raises root.LocalRefused: it is not there, or is something else
        """
        path, parts = path_base.resource_path(context)
        path_base.check_id(given.physical_id, path)
        path_base.check_spelling(given.physical_id, [path])
        self._check_spelling(path, parts)
        self._get_mode(path, parts)
        self._root.mark(parts, context.token, **_owner(context))
        return dataclasses.replace(given, physical_id=path)

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return path and mode as they are.

        :raises root.Gone: it is not there
        :raises root.LocalRefused: it is something else
        """
        path, parts = path_base.resource_path(context)
        path_base.check_id(context.physical_id, path)
        self._check_spelling(path, parts)
        return {"path": path, "mode": f"{self._get_mode(path, parts):04o}"}

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Give it the new mode; one that has vanished is made anew.

        :raises root.LocalRefused: something stands there that is not ours
        """
        self.create(context)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Check that it exists with its mode, or an accepted one.

        :raises root.LocalRefused: it does not; the text says how it differs
        """
        if "path" not in context.properties:
            return super().check(context)
        path, parts = path_base.resource_path(context)
        mode = self._get_mode(path, parts)
        if not self._is_ours(parts, context.token):
            raise root.LocalRefused(f"{path} was not made by this resource")
        desired = int(
            str(context.baseline.get("mode", context.properties["mode"])), 8
        )
        if mode != desired:
            raise root.LocalRefused(
                f"{path} was changed from outside: its mode is {mode:04o},"
                f" not {desired:04o}"
            )
        return call_context.DONE

    def delete(self, context: call_context.Context) -> None:
        """Remove the directory if nothing is in it.

        :raises root.LocalRefused: it is not ours, or holds what Orch did not
            make
        """
        self._remove(context)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is gone; wait while others leave it."""
        left = self._remove(context)
        if not left:
            return call_context.DONE
        if self.clock.now() > context.started_at + _TIMEOUT_S:
            raise root.LocalRefused(
                f"{context.properties['path']} still holds {left}, which"
                " other resources made; delete those first"
            )
        return call_context.Pending(after_s=0.1, note=f"still holds {left}")

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the absolute path."""
        _, parts = path_base.resource_path(context)
        return {"path": self._root.absolute(parts)}

    def show(self, context: call_context.Context) -> object:
        """Return what the file system says of the directory."""
        _, parts = path_base.resource_path(context)
        with self._root.directory(parts) as number:
            facts = os.fstat(number)
            entries = sum(1 for _ in os.scandir(number))
        return {
            "path": self._root.absolute(parts),
            "mode": f"{stat.S_IMODE(facts.st_mode):04o}",
            "entries": entries,
            "modified_at": facts.st_mtime,
        }

    def _is_ours(self, parts: root.Parts, token: str) -> bool:
        return (self._root.mark_of(parts) or {}).get("token") == token

    def _check_spelling(self, path: str, parts: root.Parts) -> None:
        mark = self._root.mark_of(parts) or {}
        path_base.check_spelling(path, filter(None, [mark.get("spelled")]))

    def _get_mode(self, path: str, parts: root.Parts) -> int:
        """Return its mode.

        :raises root.Gone: it is not there
        :raises root.LocalRefused: it is something else
        """
        with (
            root.explain_errors(path),
            self._root.directory(parts) as number,
        ):
            return stat.S_IMODE(os.fstat(number).st_mode)

    def _make(
        self, parent: int, parts: root.Parts, context: call_context.Context
    ) -> None:
        facts = root.find_stat(parent, parts[-1])
        mark = self._root.mark_of(parts) or {}
        owner = _owner(context)
        is_ours = (
            mark.get("token") in ("", context.token)
            or owner.items() <= mark.items()
        )
        if facts and not (is_ours and stat.S_ISDIR(facts.st_mode)):
            raise root.LocalRefused(
                f"{'/'.join(parts)} exists already and was not made by this"
                " resource; remove it or choose another path"
            )
        self._root.mark(parts, context.token, **owner)
        if not facts:
            with contextlib.suppress(FileExistsError):
                os.mkdir(parts[-1], 0o700, dir_fd=parent)

    def _remove(self, context: call_context.Context) -> str:
        """Remove it if it is empty.

        :returns: what other resources still have in it, as text
        """
        path, parts = path_base.resource_path(context)
        token = (self._root.mark_of(parts) or {}).get("token")
        is_ours = token == context.token
        if token and not is_ours:
            return ""  # another resource has it by now
        with root.explain_errors(path), contextlib.suppress(FileNotFoundError):
            with self._root.directory(parts) as number:
                if not is_ours:
                    raise root.LocalRefused(
                        f"{path} was not made by this resource; remove or move"
                        " it, then delete again"
                    )
                names = sorted(entry.name for entry in os.scandir(number))
                if names:
                    self._check_ours(number, parts)
                    return _list(names)
            with self._root.directory(parts[:-1]) as parent:
                os.rmdir(parts[-1], dir_fd=parent)
        if is_ours:
            self._root.unmark(parts)
        self._root.prune(parts)
        return ""

    def _check_ours(self, number: int, parts: root.Parts) -> None:
        """Raise LocalRefused if something in it was made by no resource."""
        with self._root.private(owned_file.FILES) as store:
            foreign = owned_file.list_foreign_names(store, number)
        foreign += [
            entry.name
            for entry in os.scandir(number)
            if entry.is_dir(follow_symlinks=False)
            and self._root.mark_of((*parts, entry.name)) is None
        ]
        if foreign:
            raise root.LocalRefused(
                f"{'/'.join(parts)} is not empty: it holds"
                f" {_list(sorted(foreign))}, which Orch did not make; remove"
                " or move that, then delete again"
            )


def _list(names: collections.abc.Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def _owner(context: call_context.Context) -> dict[str, str]:
    """Return what all incarnations of a resource at one path share."""
    return {
        "stack": context.stack_id,
        "resource": context.name,
        "spelled": str(context.properties["path"]),
    }
