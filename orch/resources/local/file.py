"""``Orch::Local::File``: a file with a content from the template."""

import collections.abc
import contextlib
import hashlib
import io
import os
import typing

from oslo_config import cfg

from orch.plugin import resource
from orch.plugin import schema
from orch.resources.local import records
from orch.resources.local import root
from orch.resources.local import staging

FILES: typing.Final = "files"
"""Where the second names stand, below ``.orch``."""
COPIES: typing.Final = "snapshots"
"""Where stored contents stand, below ``.orch``."""
_TRIES: typing.Final = 5
"""How often a parent may vanish under our hands before we give up."""

MODE_PATTERN: typing.Final = "0[0-7]{3}"


PATH: typing.Final = schema.Property(
    "path",
    schema.Type.STRING,
    "Where it stands, relative to the allowed root; missing parents"
    " are made, and removed with it once they are empty.",
    required=True,
    constraints=(schema.Length(minimum=1, maximum=1024),),
)


class File(resource.Resource):
    """A regular file below the allowed root of the worker's machine.

    It appears with its whole content or not at all, and never takes the
    place of a file that the resource did not make.
    """

    type_name = "Orch::Local::File"
    is_local = True
    can_snapshot = True
    properties = (
        PATH,
        schema.Property(
            "content",
            schema.Type.STRING,
            "What stands in it, written as UTF-8.",
            default="",
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property(
            "mode",
            schema.Type.STRING,
            "Its permissions, four octal digits in quotes, such as '0600'.",
            default="0644",
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.AllowedPattern(pattern=MODE_PATTERN),),
        ),
    )
    attributes = (
        schema.Attribute("path", schema.Type.STRING, "Its absolute path."),
        schema.Attribute(
            "sha256",
            schema.Type.STRING,
            "SHA-256 of what stands in it now, in hexadecimal digits.",
        ),
        schema.Attribute(
            "size", schema.Type.INTEGER, "Its size now, in bytes."
        ),
    )

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; nothing is opened yet."""
        super().__init__(conf)
        self._root = root.Root(conf)

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a path that leads out of the allowed root."""
        if "path" in properties:
            root.parse(str(properties["path"]))

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Write the file under its second name, then give it its path.

        A file at the path that an incarnation of this same resource made,
        which this one is to replace, is replaced.

        :raises root.Refused: something stands at the path that is not ours
        """
        path, parts = _place(context)
        content, mode = _wanted(context)
        try:
            with self._root.private(FILES) as store:
                staging.note_owner(store, context.token, _owner(context))
                staging.stage(store, context.token, content, mode)
                if not self._publish(store, context, parts):
                    staging.forget(store, context.token)
                    raise root.Refused(
                        f"{path} exists already and was not made by this"
                        " resource; remove it or choose another path"
                    )
        except OSError as error:
            raise root.explain(error, path) from error
        return path

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Return the path when the file there is this resource's."""
        path, parts = _place(context)
        with self._root.private(FILES) as store:
            try:
                with self._root.parent(parts, make=False) as parent:
                    if staging.is_ours(
                        store, context.token, parent, parts[-1]
                    ):
                        return path
            except FileNotFoundError:
                pass
            staging.unstage(store, context.token)
        return None

    def update(
        self,
        context: resource.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Put a file with the new content or mode in the place of the old.

        Whoever reads meanwhile finds the one or the other, whole. A file
        that has vanished is written anew.

        :raises root.Refused: something stands at the path that is not ours
        :raises orch.errors.Transient: another worker is at it
        """
        path, parts = _place(context)
        try:
            with (
                self._root.private(FILES) as store,
                staging.locked(store, context.token),
            ):
                self._rewrite(store, context, parts)
        except OSError as error:
            raise root.explain(error, path) from error

    def check(self, context: resource.Context) -> resource.Pending | None:
        """Look whether it stands there as it was written.

        :raises root.Refused: it does not; the text says how it differs
        """
        content, mode = _wanted(context)
        found, its_mode = self._read(context)
        path = context.properties["path"]
        if found != content:
            raise root.Refused(
                f"{path} was changed by somebody else: its content is not"
                " what was written"
            )
        if its_mode != mode:
            raise root.Refused(
                f"{path} was changed by somebody else: its mode is"
                f" {its_mode:04o}, not {mode:04o}"
            )
        return resource.DONE

    def snapshot(
        self, context: resource.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Keep a copy of what stands there now, beside the second names.

        :raises root.Refused: it is not there, or holds no text
        """
        found, mode = self._read(context)
        try:
            text = found.decode()
        except UnicodeDecodeError as error:
            raise root.Refused(
                f"{context.properties['path']} holds bytes that are no"
                " UTF-8; such a file cannot be restored from a template, so"
                " no snapshot is made"
            ) from error
        name = f"{snapshot_id}.{context.token}"
        with self._root.private(COPIES) as copies:
            records.add(copies, name, {"content": text, "mode": f"{mode:04o}"})
        return {"copy": name}

    def delete_snapshot(
        self,
        context: resource.Context,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Remove the copy."""
        name = str(kept["copy"])
        with self._root.private(COPIES) as copies:
            records.remove(copies, name)
            records.sweep(copies, name)

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        kept: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties with content and mode of that time.

        :raises root.Refused: the copy is not there any more
        """
        name = str(kept["copy"])
        with self._root.private(COPIES) as copies:
            found = records.read(copies, name)
        if found is None:
            raise root.Refused(
                f"the copy {name} is gone from the machine; without it the"
                " file cannot be restored"
            )
        return {**properties, **found}

    def delete(self, context: resource.Context) -> None:
        """Remove the file, and parents that were made for it.

        :raises root.Refused: another file stands at the path
        """
        path, parts = _place(context)
        try:
            with self._root.private(FILES) as store:
                self._remove(store, context.token, parts)
                staging.forget(store, context.token)
        except OSError as error:
            raise root.explain(error, path) from error
        self._root.prune(parts)

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the path, and size and digest of what stands there now."""
        _, parts = _place(context)
        values: dict[str, object] = {"path": self._root.absolute(parts)}
        if {"sha256", "size"} & set(names):
            with self._opened(parts) as stream:
                values["size"] = os.fstat(stream.fileno()).st_size
                digest = hashlib.file_digest(stream, "sha256")
            values["sha256"] = digest.hexdigest()
        return values

    def show(self, context: resource.Context) -> object:
        """Return what the file system says of the file."""
        _, parts = _place(context)
        with self._root.parent(parts, make=False) as parent:
            facts = os.stat(parts[-1], dir_fd=parent, follow_symlinks=False)
        return {
            "path": self._root.absolute(parts),
            "size": facts.st_size,
            "mode": f"{facts.st_mode & 0o7777:04o}",
            "modified_at": facts.st_mtime,
        }

    def _publish(
        self, store: int, context: resource.Context, parts: root.Parts
    ) -> bool:
        token, name = context.token, parts[-1]
        for _ in range(_TRIES):
            with (
                contextlib.suppress(FileNotFoundError),
                self._root.parent(parts, make=True) as parent,
            ):
                return staging.publish(
                    store, token, parent, name
                ) or staging.take_over(
                    store, token, _owner(context), parent, name
                )
        raise root.Refused(
            f"{'/'.join(parts[:-1])} is removed again and again while the"
            " file is made; find out by whom"
        )

    def _remove(self, store: int, token: str, parts: root.Parts) -> None:
        try:
            with self._root.parent(parts, make=False) as parent:
                if root.find_stat(parent, parts[-1]) is None:
                    return
                if staging.is_ours(store, token, parent, parts[-1]):
                    os.unlink(parts[-1], dir_fd=parent)
                elif not staging.is_known(store, parent, parts[-1]):
                    raise root.Refused(
                        f"{'/'.join(parts)} is not the file that this"
                        " resource made; remove or move it, then delete again"
                    )
        except FileNotFoundError:
            return

    def _rewrite(
        self, store: int, context: resource.Context, parts: root.Parts
    ) -> None:
        content, mode = _wanted(context)
        token, name = context.token, parts[-1]
        with self._root.parent(parts, make=True) as parent:
            if staging.is_ours(store, token, parent, name):
                staging.replace(store, token, content, mode, parent, name)
                return
            # Ours was removed or moved away: what it was is not to come back.
            records.remove(store, token)
            staging.stage(store, token, content, mode)
            if not staging.publish(store, token, parent, name):
                raise root.Refused(
                    f"{'/'.join(parts)} is not the file that this resource"
                    " made; remove or move it, then update again"
                )

    def _read(self, context: resource.Context) -> tuple[bytes, int]:
        """Return content and mode of our file as it stands.

        :raises root.Refused: it is not there, or another one is
        """
        path, parts = _place(context)
        try:
            with (
                self._root.private(FILES) as store,
                self._root.parent(parts, make=False) as parent,
            ):
                is_ours = staging.is_ours(
                    store, context.token, parent, parts[-1]
                )
                if not is_ours and root.find_stat(parent, parts[-1]):
                    raise root.Refused(
                        f"{path} is not the file that this resource made"
                    )
            with self._opened(parts) as stream:
                mode = os.fstat(stream.fileno()).st_mode & 0o7777
                return stream.read(), mode
        except FileNotFoundError as error:
            raise root.Refused(f"{path} is not there any more") from error
        except OSError as error:
            raise root.explain(error, path) from error

    @contextlib.contextmanager
    def _opened(
        self, parts: root.Parts
    ) -> collections.abc.Iterator[io.BufferedReader]:
        with self._root.parent(parts, make=False) as parent:
            number = os.open(
                parts[-1],
                os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
                dir_fd=parent,
            )
            with os.fdopen(number, "rb") as stream:
                yield stream


def _place(context: resource.Context) -> tuple[str, root.Parts]:
    path = str(context.properties["path"])
    return path, root.parse(path)


def _wanted(context: resource.Context) -> tuple[bytes, int]:
    """Return content and mode as the properties have them."""
    content = str(context.properties["content"]).encode()
    return content, int(str(context.properties["mode"]), 8)


def _owner(context: resource.Context) -> dict[str, object]:
    """Return what all incarnations of a resource at one path share."""
    return {
        "stack": context.stack_id,
        "resource": context.name,
        "path": context.properties["path"],
    }
