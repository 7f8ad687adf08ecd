"""``Orch::Local::Directory``: a directory of its own."""

import collections.abc
import contextlib
import dataclasses
import os
import stat
import typing

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import schema
from orch.resources.local import existing
from orch.resources.local import file
from orch.resources.local import path_base
from orch.resources.local import root
from orch.resources.local import staging

_TIMEOUT_S: typing.Final = 60.0
"""How long a removal waits for other resources to leave the directory."""

_SHOWN: typing.Final = 5
_TRIES: typing.Final = 5


class Directory(path_base.PathResource):
    """A directory below the allowed root of the worker's machine.

    It is removed only when nothing is left in it but what goes as well.
    """

    type_name = "Orch::Local::Directory"
    has_reality = True
    properties = (
        path_base.PATH,
        schema.Property(
            "mode",
            schema.Type.STRING,
            "Its permissions, four octal digits in quotes, such as '0700'.",
            default="0755",
            on_update=schema.OnUpdate.MODIFY,
            constraints=(
                schema.AllowedPattern(pattern=path_base.MODE_PATTERN),
            ),
        ),
    )
    attributes = (
        schema.Attribute("path", schema.Type.STRING, "Its absolute path."),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Make the directory, or take over one made as a mere parent.

        One that an incarnation of this same resource made, which this one
        is to replace, is taken over as well.

        :raises root.LocalRefused: something stands there that is not ours
        """
        path, parts = path_base.resource_path(context)
        mode = int(str(context.properties["mode"]), 8)
        try:
            for _ in range(_TRIES):
                with (
                    contextlib.suppress(FileNotFoundError),
                    self._root.parent(parts, make=True) as parent,
                ):
                    self._make(parent, parts, context)
                    with self._root.directory(parts) as number:
                        os.fchmod(number, mode)
                    return path
        except OSError as error:
            raise root.explain(error, path) from error
        raise root.LocalRefused(
            f"{path} is removed again and again while it is made; find out"
            " by whom"
        )

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return the path when the directory there is this resource's."""
        path, parts = path_base.resource_path(context)
        try:
            with self._root.directory(parts):
                is_ours = self._is_ours(parts, context.token)
        except FileNotFoundError:
            return None
        return path if is_ours else None

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Take the directory for ours, as if we had made it.

        :raises root.LocalRefused: it is not there, or is something else
        """
        path, parts = existing.path_to_adopt(
            given.physical_id, context.properties["path"]
        )
        self._read_mode(path, parts)
        self._root.mark(parts, context.token, **_owner(context))
        return dataclasses.replace(given, physical_id=path)

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return path and mode as they are.

        :raises root.Gone: it is not there
        :raises root.LocalRefused: it is something else
        """
        path, parts = existing.adopted_path(
            context.physical_id, context.properties.get("path")
        )
        return {"path": path, "mode": self._read_mode(path, parts)}

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        desired: listing.PhysicalResourceFilter,
    ) -> list[listing.PhysicalResource]:
        """Return the directories below the allowed root.

        :raises root.LocalRefused: the root cannot be read
        """
        return existing.list_existing(self._root, desired, stat.S_ISDIR)

    def _read_mode(self, path: str, parts: root.Parts) -> str:
        mark = self._root.mark_of(parts) or {}
        known = {mark["spelled"]} if mark.get("spelled") else set()
        existing.check_spelling(path, known)
        try:
            with self._root.directory(parts) as number:
                mode = os.fstat(number).st_mode & 0o7777
        except FileNotFoundError as error:
            raise root.Gone(f"{path} is not there") from error
        return f"{mode:04o}"

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
        """Look whether it stands there with its mode, or an accepted one.

        :raises root.LocalRefused: it does not; the text says how it differs
        """
        if "path" not in context.properties:
            return super().check(context)
        path, parts = path_base.resource_path(context)
        try:
            with self._root.directory(parts) as number:
                mode = os.fstat(number).st_mode & 0o7777
        except FileNotFoundError as error:
            raise root.Gone(f"{path} is not there any more") from error
        if not self._is_ours(parts, context.token):
            raise root.LocalRefused(f"{path} was not made by this resource")
        known = {**context.properties, **context.baseline}
        desired = int(str(known["mode"]), 8)
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
        parts = path_base.existing_parts(context)
        return {"path": self._root.absolute(parts)}

    def show(self, context: call_context.Context) -> object:
        """Return what the file system says of the directory."""
        parts = path_base.existing_parts(context)
        with self._root.directory(parts) as number:
            facts = os.fstat(number)
            entries = len(root.names_in(number))
        return {
            "path": self._root.absolute(parts),
            "mode": f"{facts.st_mode & 0o7777:04o}",
            "entries": entries,
            "modified_at": facts.st_mtime,
        }

    def _is_ours(self, parts: root.Parts, token: str) -> bool:
        mark = self._root.mark_of(parts)
        return mark is not None and mark.get("token") == token

    def _make(
        self, parent: int, parts: root.Parts, context: call_context.Context
    ) -> None:
        facts = root.find_stat(parent, parts[-1])
        mark = self._root.mark_of(parts) or {}
        token, owner = context.token, _owner(context)
        is_handed_over = mark.get("token") == "" or all(
            mark.get(name) == value for name, value in owner.items()
        )
        if facts is None:
            self._root.mark(parts, token, **owner)
            with contextlib.suppress(FileExistsError):
                os.mkdir(parts[-1], 0o700, dir_fd=parent)
        elif is_handed_over and stat.S_ISDIR(facts.st_mode):
            self._root.mark(parts, token, **owner)
        elif mark.get("token") != token or not stat.S_ISDIR(facts.st_mode):
            raise root.LocalRefused(
                f"{'/'.join(parts)} exists already and was not made by this"
                " resource; remove it or choose another path"
            )

    def _remove(self, context: call_context.Context) -> str:
        """Remove it if it is empty.

        :returns: what other resources still have in it, as text
        """
        path, parts = path_base.resource_path(context)
        try:
            with self._root.parent(parts, make=False) as parent:
                if root.find_stat(parent, parts[-1]) is not None:
                    if not self._is_ours(parts, context.token):
                        if (self._root.mark_of(parts) or {}).get("token"):
                            return ""  # another resource has it by now
                        raise root.LocalRefused(
                            f"{path} was not made by this resource; remove"
                            " or move it, then delete again"
                        )
                    left = self._remove_empty(parent, parts)
                    if left:
                        return left
        except FileNotFoundError:
            pass
        except OSError as error:
            raise root.explain(error, path) from error
        if self._is_ours(parts, context.token):
            self._root.unmark(parts)
        self._root.prune(parts)
        return ""

    def _remove_empty(self, parent: int, parts: root.Parts) -> str:
        with self._root.directory(parts) as number:
            entries = root.names_in(number)
            if entries:
                self._check_ours(number, parts)
                return _list(entries)
            os.rmdir(parts[-1], dir_fd=parent)
        return ""

    def _check_ours(self, number: int, parts: root.Parts) -> None:
        """Return only if all that is in it was made by some resource.

        :raises root.LocalRefused: it holds something else
        """
        with self._root.private(file.FILES) as store:
            foreign = staging.list_foreign_names(store, number)
        for name in root.names_in(number):
            facts = root.find_stat(number, name)
            if facts is None or not stat.S_ISDIR(facts.st_mode):
                continue
            if self._root.mark_of((*parts, name)) is None:
                foreign.append(name)
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
