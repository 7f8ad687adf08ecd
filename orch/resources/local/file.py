"""``Orch::Local::File``: a file with a content from the template."""

import collections.abc
import contextlib
import dataclasses
import hashlib
import os
import stat
import typing

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import schema
from orch.resources.local import contents
from orch.resources.local import existing
from orch.resources.local import file_snapshots
from orch.resources.local import path_base
from orch.resources.local import records
from orch.resources.local import root
from orch.resources.local import staging

FILES: typing.Final = "files"
"""Where the second names stand, below ``.orch``."""
_TRIES: typing.Final = 5
"""How often a parent may vanish under our hands before we give up."""


class File(path_base.PathResource):
    """A regular file below the allowed root of the worker's machine.

    It appears with its whole content or not at all, and never takes the
    place of a file that the resource did not make.
    """

    type_name = "Orch::Local::File"
    can_snapshot = True
    has_reality = True
    properties = (
        path_base.PATH,
        schema.Property(
            "content",
            schema.Type.STRING,
            "Its content, written as UTF-8.",
            default="",
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property(
            "mode",
            schema.Type.STRING,
            "Its permissions, four octal digits in quotes, such as '0600'.",
            default="0644",
            on_update=schema.OnUpdate.MODIFY,
            constraints=(
                schema.AllowedPattern(pattern=path_base.MODE_PATTERN),
            ),
        ),
    )
    attributes = (
        schema.Attribute("path", schema.Type.STRING, "Its absolute path."),
        schema.Attribute(
            "sha256",
            schema.Type.STRING,
            "SHA-256 of its current content, in hexadecimal digits.",
        ),
        schema.Attribute(
            "size", schema.Type.INTEGER, "Its size now, in bytes."
        ),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the file under its second name, then give it its path.

        A file at the path that an incarnation of this same resource made,
        which this one is to replace, is replaced.

        :raises root.LocalRefused: something stands at the path that is not
            ours
        """
        path, parts = path_base.resource_path(context)
        content, mode = _desired_content(context)
        try:
            with self._root.private(FILES) as store:
                staging.save_owner(store, context.token, _owner(context))
                staging.stage_file(store, context.token, content, mode)
                if not self._publish(store, context, parts):
                    staging.remove_names(store, context.token)
                    raise root.LocalRefused(
                        f"{path} exists already and was not made by this"
                        " resource; remove it or choose another path"
                    )
        except OSError as error:
            raise root.explain(error, path) from error
        return path

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return the path when the file there is this resource's."""
        path, parts = path_base.resource_path(context)
        with self._root.private(FILES) as store:
            try:
                with self._root.parent(parts, make=False) as parent:
                    if staging.is_owned_by(
                        store, context.token, parent, parts[-1]
                    ):
                        return path
            except FileNotFoundError:
                pass
            staging.remove_staged(store, context.token)
        return None

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Take the file for ours, as if we had made it; nothing is written.

        :raises root.LocalRefused: it is not there, or is another one
        """
        path, parts = existing.path_to_adopt(
            given.physical_id, context.properties["path"]
        )
        try:
            with (
                self._root.private(FILES) as store,
                staging.lock_names(store, context.token),
                self._root.parent(parts, make=False) as parent,
            ):
                contents.check_regular(parent, parts)
                known = staging.list_known_paths(store, parent, parts[-1])
                existing.check_spelling(path, known)
                staging.adopt_file(
                    store, context.token, _owner(context), parent, parts[-1]
                )
        except OSError as error:
            raise root.explain(error, path) from error
        return dataclasses.replace(given, physical_id=path)

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return path, content and mode as they are.

        Whoever wrote it: a file that has taken the place of ours is read as
        it is.

        :raises root.Gone: it is not there
        :raises root.LocalRefused: it holds no text, or too much
        """
        path, parts = existing.adopted_path(
            context.physical_id, context.properties.get("path")
        )
        try:
            with (
                self._root.private(FILES) as store,
                self._root.parent(parts, make=False) as parent,
            ):
                contents.check_regular(parent, parts)
                name = parts[-1]
                if not staging.is_owned_by(store, context.token, parent, name):
                    known = staging.list_known_paths(store, parent, name)
                    existing.check_spelling(path, known)
        except FileNotFoundError as error:
            raise root.Gone(f"{path} is not there") from error
        except OSError as error:
            raise root.explain(error, path) from error
        text, mode = contents.read_for_template(self._root, path, parts)
        return {"path": path, "content": text, "mode": f"{mode:04o}"}

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        desired: listing.PhysicalResourceFilter,
    ) -> list[listing.PhysicalResource]:
        """Return the regular files below the allowed root.

        :raises root.LocalRefused: the root cannot be read
        """
        return existing.list_existing(self._root, desired, stat.S_ISREG)

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Put a file with the new content or mode in the place of the old.

        Whoever reads meanwhile finds the one or the other, whole. A file
        that has vanished is written anew. One of somebody else's is replaced
        only where it is, to the byte, what ``before`` says: then it was
        looked at, and is to be put back (many editors write a new file).

        :raises root.LocalRefused: something else stands there that is not ours
        :raises orch.errors.Transient: another worker is at it
        """
        path, parts = path_base.resource_path(context)
        try:
            with (
                self._root.private(FILES) as store,
                staging.lock_names(store, context.token),
            ):
                self._rewrite(store, context, parts, before)
        except OSError as error:
            raise root.explain(error, path) from error

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether it stands there as it was written, or was accepted.

        :raises root.LocalRefused: it does not; the text says how it differs
        """
        if "path" not in context.properties:
            return super().check(context)
        content, mode = _bytes_and_mode(
            {**context.properties, **context.baseline}
        )
        if self._is_accepted(context):
            return call_context.DONE
        found, its_mode = self._read(context)
        path = context.properties["path"]
        if found != content:
            raise root.LocalRefused(
                f"{path} was changed from outside: its content is not what"
                " was written"
            )
        if its_mode != mode:
            raise root.LocalRefused(
                f"{path} was changed from outside: its mode is"
                f" {its_mode:04o}, not {mode:04o}"
            )
        return call_context.DONE

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Keep a copy of what stands there now, beside the second names.

        :raises root.LocalRefused: it is not there, or holds no text
        """
        found, mode = self._read(context)
        text = contents.decode_content(
            found,
            context.properties["path"],
            "such a file cannot be restored from a template, so no snapshot"
            " is made",
        )
        name = f"{snapshot_id}.{context.token}"
        return file_snapshots.save_copy(self._root, name, text, mode)

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object] | None:
        """Return the copy, if there is one."""
        return file_snapshots.find_copy(
            self._root, f"{snapshot_id}.{context.token}"
        )

    def delete_snapshot(
        self,
        context: call_context.Context,
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> None:
        """Remove the copy."""
        file_snapshots.remove_copy(self._root, snapshot_data)

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties with content and mode of that time.

        :raises root.LocalRefused: the copy does not exist any more
        """
        return {
            **properties,
            **file_snapshots.read_copy(self._root, snapshot_data),
        }

    def delete(self, context: call_context.Context) -> None:
        """Remove the file, and parents that were made for it.

        :raises root.LocalRefused: another file stands at the path
        """
        path, parts = path_base.resource_path(context)
        try:
            with self._root.private(FILES) as store:
                self._remove(store, context.token, parts)
                staging.remove_names(store, context.token)
        except OSError as error:
            raise root.explain(error, path) from error
        self._root.prune(parts)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the path, and size and digest of what stands there now."""
        parts = path_base.existing_parts(context)
        values: dict[str, object] = {"path": self._root.absolute(parts)}
        if {"sha256", "size"} & set(names):
            with contents.open_file(self._root, parts) as stream:
                values["size"] = os.fstat(stream.fileno()).st_size
                digest = hashlib.file_digest(stream, "sha256")
            values["sha256"] = digest.hexdigest()
        return values

    def show(self, context: call_context.Context) -> object:
        """Return what the file system says of the file."""
        parts = path_base.existing_parts(context)
        with self._root.parent(parts, make=False) as parent:
            facts = os.stat(parts[-1], dir_fd=parent, follow_symlinks=False)
        return {
            "path": self._root.absolute(parts),
            "size": facts.st_size,
            "mode": f"{facts.st_mode & 0o7777:04o}",
            "modified_at": facts.st_mtime,
        }

    def _publish(
        self, store: int, context: call_context.Context, parts: root.Parts
    ) -> bool:
        token, name = context.token, parts[-1]
        for _ in range(_TRIES):
            with (
                contextlib.suppress(FileNotFoundError),
                self._root.parent(parts, make=True) as parent,
            ):
                return staging.publish_file(
                    store, token, parent, name
                ) or staging.take_over(
                    store, token, _owner(context), parent, name
                )
        raise root.LocalRefused(
            f"{'/'.join(parts[:-1])} is removed again and again while the"
            " file is made; find out by whom"
        )

    def _remove(self, store: int, token: str, parts: root.Parts) -> None:
        try:
            with self._root.parent(parts, make=False) as parent:
                if root.find_stat(parent, parts[-1]) is None:
                    return
                if staging.is_owned_by(store, token, parent, parts[-1]):
                    os.unlink(parts[-1], dir_fd=parent)
                elif not staging.is_owned(store, parent, parts[-1]):
                    raise root.LocalRefused(
                        f"{'/'.join(parts)} is not the file that this"
                        " resource made; remove or move it, then delete again"
                    )
        except FileNotFoundError:
            return

    def _rewrite(
        self,
        store: int,
        context: call_context.Context,
        parts: root.Parts,
        before: collections.abc.Mapping[str, object],
    ) -> None:
        content, mode = _desired_content(context)
        token, name = context.token, parts[-1]
        with self._root.parent(parts, make=True) as parent:
            if staging.is_owned_by(store, token, parent, name):
                staging.replace_content(
                    store, token, content, mode, parent, name
                )
                return
            # Ours was removed or moved away: what it was is not to come back.
            records.remove_record(store, token)
            staging.stage_file(store, token, content, mode)
            if staging.publish_file(store, token, parent, name):
                return
            if staging.is_owned(store, parent, name) or not self._is_as(
                parts, before
            ):
                raise root.LocalRefused(
                    f"{'/'.join(parts)} is not the file that this resource"
                    " made; remove or move it, then update again"
                )
            staging.put_over(store, token, parent, name)

    def _is_accepted(self, context: call_context.Context) -> bool:
        """Whether a file stands there that was accepted in its place.

        Many editors write a new file.
        """
        known = {**context.properties, **context.baseline}
        if _bytes_and_mode(known) == _desired_content(context):
            return False
        _, parts = path_base.resource_path(context)
        with contextlib.suppress(OSError):
            return self._is_as(parts, context.baseline)
        return False

    def _is_as(
        self,
        parts: root.Parts,
        observed: collections.abc.Mapping[str, object],
    ) -> bool:
        """Whether a regular file stands there as it was seen."""
        with contents.open_file(self._root, parts) as stream:
            facts = os.fstat(stream.fileno())
            if not stat.S_ISREG(facts.st_mode):
                return False
            found = stream.read(contents.MAX_READ_BYTES + 1)
        mode = f"{facts.st_mode & 0o7777:04o}"
        return (
            found == str(observed.get("content")).encode()
            and mode == observed.get("mode")
            and "content" in observed
        )

    def _read(self, context: call_context.Context) -> tuple[bytes, int]:
        """Return content and mode of our file as it stands.

        :raises root.LocalRefused: it is not there, or another one is
        """
        path, parts = path_base.resource_path(context)
        try:
            with (
                self._root.private(FILES) as store,
                self._root.parent(parts, make=False) as parent,
            ):
                is_ours = staging.is_owned_by(
                    store, context.token, parent, parts[-1]
                )
                if not is_ours and root.find_stat(parent, parts[-1]):
                    raise root.LocalRefused(
                        f"{path} is not the file that this resource made"
                    )
            return contents.read_all(self._root, parts)
        except FileNotFoundError as error:
            raise root.Gone(f"{path} is not there any more") from error
        except OSError as error:
            raise root.explain(error, path) from error


def _desired_content(context: call_context.Context) -> tuple[bytes, int]:
    """Return content and mode as the properties have them."""
    return _bytes_and_mode(context.properties)


def _bytes_and_mode(
    values: collections.abc.Mapping[str, object],
) -> tuple[bytes, int]:
    return str(values["content"]).encode(), int(str(values["mode"]), 8)


def _owner(context: call_context.Context) -> dict[str, object]:
    """Return what all incarnations of a resource at one path share."""
    return {
        "stack": context.stack_id,
        "resource": context.name,
        "path": context.properties["path"],
    }
