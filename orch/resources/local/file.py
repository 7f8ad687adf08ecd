"""``Orch::Local::File``: a file with a content from the template."""

import collections.abc
import contextlib
import dataclasses
import hashlib
import os
import stat
import typing

from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.local import owned_file
from orch.resources.local import path_base
from orch.resources.local import records
from orch.resources.local import root

_MAX_READ_BYTES: typing.Final = 1 << 20
"""Bytes of a file that become a property; a template holds no more."""
_SNAPSHOTS: typing.Final = "snapshots"
"""Where copies of files stand, below ``.orch``."""
_COPY: typing.Final = "copy"


@type_files.described("Orch::Local::File")
class File(path_base.PathResource):
    """A regular file below the allowed root of the worker's machine.

    It appears with its whole content or not at all, and never takes the
    place of a file that the resource did not make.
    """

    file_type = stat.S_IFREG

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the file under its second name, then give it its path.

        A file at the path that an incarnation of this same resource made,
        which this one is to replace, is replaced.

        :raises root.LocalRefused: something stands at the path that is not
            ours
        """
        content, mode = _bytes_and_mode(context.properties)
        owner = _owner(context)
        with self._open(context, make=True, lock=True) as found:
            if not found.is_ours():
                is_handed_over = owner in found.owners().values()
                found.save_owner(owner)
                try:
                    found.put(content, mode, replace=is_handed_over)
                except FileExistsError as error:
                    found.forget()
                    raise root.LocalRefused(
                        f"{found.path} exists already and was not made by this"
                        " resource; remove it or choose another path"
                    ) from error
        return found.path

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return the path when the file there is this resource's."""
        with self._open(context, lock=True) as found:
            if found.is_ours():
                return found.path
            found.forget()
        return None

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Take the file for ours, as if we had made it; nothing is written.

        :raises root.LocalRefused: it is not there, or is another one
        """
        with self._open(context, lock=True) as found:
            path_base.check_id(given.physical_id, found.path)
            path_base.check_spelling(given.physical_id, [found.path])
            found.get_facts()
            found.check_spelling()
            found.adopt(_owner(context))
        return dataclasses.replace(given, physical_id=found.path)

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return path, content and mode as they are.

        Whoever wrote it: a file that has taken the place of ours is read as
        it is.

        :raises root.Gone: it is not there
        :raises root.LocalRefused: it holds no text, or too much
        """
        with self._open(context) as found:
            path_base.check_id(context.physical_id, found.path)
            found.check_spelling()
            content, mode = found.read(_MAX_READ_BYTES + 1)
        if len(content) > _MAX_READ_BYTES:
            raise root.LocalRefused(
                f"{found.path} is larger than {_MAX_READ_BYTES} bytes, too"
                " large for a template"
            )
        text = _decode(content, found.path, "no template can say them")
        return {"path": found.path, "content": text, "mode": f"{mode:04o}"}

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Put a file with the new content or mode in the place of the old.

        Whoever reads meanwhile finds the one or the other, whole. A file
        that has vanished is written anew. One of another owner is replaced
        only where it is, to the byte, what ``before`` says: then it was
        looked at, and is to be put back (many editors write a new file).

        :raises root.LocalRefused: something else stands there that is not ours
        :raises orch.errors.Transient: another worker is at it
        """
        content, mode = _bytes_and_mode(context.properties)
        with self._open(context, make=True, lock=True) as found:
            replace = found.is_ours() or (
                not found.owners() and _is_as(found, before)
            )
            try:
                found.put(content, mode, replace=replace)
            except FileExistsError:
                found.check_ours()

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Check that it is as it was written, or as it was accepted.

        One that was accepted may be another file: many editors write anew.

        :raises root.LocalRefused: it does not; the text says how it differs
        """
        if "path" not in context.properties:
            return super().check(context)
        known = {**context.properties, **context.baseline}
        content, mode = _bytes_and_mode(known)
        is_accepted = (content, mode) != _bytes_and_mode(context.properties)
        with self._open(context) as found:
            its_content, its_mode = found.read()
            if not (
                is_accepted and (its_content, its_mode) == (content, mode)
            ):
                found.check_ours()
        if its_content != content:
            raise root.LocalRefused(
                f"{found.path} was changed from outside: its content is not"
                " what was written"
            )
        if its_mode != mode:
            raise root.LocalRefused(
                f"{found.path} was changed from outside: its mode is"
                f" {its_mode:04o}, not {mode:04o}"
            )
        return call_context.DONE

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Store a copy of its present content, beside the second names.

        :raises root.LocalRefused: it is not there, or holds no text
        """
        with self._open(context) as found:
            content, mode = found.read()
            found.check_ours()
        text = _decode(
            content,
            found.path,
            "such a file cannot be restored from a template, so no snapshot"
            " is made",
        )
        name = f"{snapshot_id}.{context.token}"
        copy = {"content": text, "mode": f"{mode:04o}"}
        with self._root.private(_SNAPSHOTS) as copies:
            records.add_record(copies, name, copy)
        return {_COPY: name}

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object] | None:
        """Return the copy, if there is one."""
        name = f"{snapshot_id}.{context.token}"
        with self._root.private(_SNAPSHOTS) as copies:
            return root.find_stat(copies, name) and {_COPY: name}

    def delete_snapshot(
        self,
        context: call_context.Context,
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> None:
        """Remove the copy."""
        name = str(snapshot_data[_COPY])
        with self._root.private(_SNAPSHOTS) as copies:
            records.remove_record(copies, name)
            records.sweep_temporaries(copies, name)

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties with content and mode of that time.

        :raises root.LocalRefused: the copy does not exist any more
        """
        name = str(snapshot_data[_COPY])
        with self._root.private(_SNAPSHOTS) as copies:
            copy = records.read_record(copies, name)
        if copy is None:
            raise root.LocalRefused(
                f"the copy {name} is gone from the machine; without it the"
                " file cannot be restored"
            )
        return {**properties, **copy}

    def delete(self, context: call_context.Context) -> None:
        """Remove the file, and parents that were made for it.

        :raises root.LocalRefused: another file stands at the path
        """
        with self._open(context, lock=True) as found:
            found.remove()
        self._root.prune(root.parse_path(found.path))

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the path, and size and digest of the present content."""
        _, parts = path_base.resource_path(context)
        values: dict[str, object] = {"path": self._root.absolute(parts)}
        if {"sha256", "size"} & set(names):
            with self._open(context) as found, found.open() as stream:
                values["size"] = os.fstat(stream.fileno()).st_size
                digest = hashlib.file_digest(stream, "sha256")
            values["sha256"] = digest.hexdigest()
        return values

    def show(self, context: call_context.Context) -> object:
        """Return what the file system says of the file."""
        with self._open(context) as found:
            facts = found.get_facts()
        return {
            "path": self._root.absolute(root.parse_path(found.path)),
            "size": facts.st_size,
            "mode": f"{stat.S_IMODE(facts.st_mode):04o}",
            "modified_at": facts.st_mtime,
        }

    @contextlib.contextmanager
    def _open(
        self,
        context: call_context.Context,
        *,
        make: bool = False,
        lock: bool = False,
    ) -> collections.abc.Iterator[owned_file.OwnedFile]:
        """Give the file of a resource, whether it is there or not.

        :param make: make missing parents
        :param lock: keep other workers from changing it
        :raises root.LocalRefused: the operating system refuses an act on it
        :raises orch.errors.Transient: another worker is at it
        """
        path, parts = path_base.resource_path(context)
        token = context.token
        with contextlib.ExitStack() as opened:
            opened.enter_context(root.explain_errors(path, make=make))
            store = opened.enter_context(self._root.private(owned_file.FILES))
            if lock:
                busy = "the file is being changed by another worker; retry"
                opened.enter_context(
                    records.lock_file(store, f"{token}.lock", busy)
                )
            parent = None
            try:
                parent = opened.enter_context(
                    self._root.directory(parts[:-1], make=make)
                )
            except FileNotFoundError:
                if make:
                    raise
            yield owned_file.OwnedFile(store, token, parent, parts[-1], path)


def _is_as(
    found: owned_file.OwnedFile,
    observed: collections.abc.Mapping[str, object],
) -> bool:
    """Whether a regular file is there as it was observed."""
    return (
        found.find_facts() is not None
        and {"content", "mode"} <= observed.keys()
        and found.read(_MAX_READ_BYTES + 1) == _bytes_and_mode(observed)
    )


def _bytes_and_mode(
    values: collections.abc.Mapping[str, object],
) -> tuple[bytes, int]:
    return str(values["content"]).encode(), int(str(values["mode"]), 8)


def _decode(content: bytes, path: str, consequence: str) -> str:
    """Return a content as the text that it is.

    :param consequence: what follows where it is none, for people
    :raises root.LocalRefused: it is none
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise root.LocalRefused(
            f"{path} holds bytes that are no UTF-8; {consequence}"
        ) from error


def _owner(context: call_context.Context) -> dict[str, object]:
    """Return what all incarnations of a resource at one path share."""
    return {
        "stack": context.stack_id,
        "resource": context.name,
        "path": context.properties["path"],
    }
