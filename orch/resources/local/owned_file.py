"""The second name of each file that we made, which identifies it.

A file gets its content in ``.orch``, under the token of its resource, and
that name is then linked to the path. As long as both names mean the same
file, it is ours, whatever happened in between, and no other file can pass for
it. The owner of the file is stored next to it, so that a resource which is
replaced, path and all, passes its file to the one that replaces it.

A file is changed by another one that replaces it, which has a second name of
its own until then. So at every moment one of the two is ours.
"""

import collections.abc
import contextlib
import dataclasses
import io
import os
import stat
import typing

from orch.resources.local import path_base
from orch.resources.local import records
from orch.resources.local import root

FILES: typing.Final = "files"
"""Where the second names stand, below ``.orch``."""
_NEXT: typing.Final = ".next"
"""The ending of the second name of what is to take the place of a file."""


@dataclasses.dataclass(frozen=True, slots=True)
class OwnedFile:
    """The file at a path, as the resource of a token may have it.

    :ivar store: open descriptor of the directory of second names
    :ivar parent: that of the directory of the path, ``None`` if there is none
    :ivar name: the last step of the path
    :ivar path: for people
    """

    store: int
    token: str
    parent: int | None
    name: str
    path: str

    def find_facts(self) -> os.stat_result | None:
        """Return the facts of the path, of the link itself if it is one."""
        if self.parent is None:
            return None
        return root.find_stat(self.parent, self.name)

    def get_facts(self) -> os.stat_result:
        """Return the facts of a regular file.

        :raises root.Gone: nothing is there
        :raises root.LocalRefused: something else is
        """
        facts = self.find_facts()
        if facts is None:
            raise root.Gone(f"{self.path} is not there")
        if not stat.S_ISREG(facts.st_mode):
            raise root.LocalRefused(f"{self.path} is not a regular file")
        return facts

    def is_ours(self) -> bool:
        """Whether the file there is one under the token."""
        return self._is(self.token) or self._is(self._next)

    def owners(self) -> dict[str, records.Record]:
        """Return who made or adopted the file there, by token."""
        facts = self.find_facts()
        inode = None if facts is None else facts.st_ino
        tokens = [
            entry.name.removesuffix(_NEXT)
            for entry in os.scandir(self.store)
            if entry.inode() == inode
        ]
        return {
            token: records.read_record(self.store, f"{token}.json") or {}
            for token in tokens
        }

    def check_ours(self) -> None:
        """Raise LocalRefused if another file is there."""
        if not self.is_ours():
            raise root.LocalRefused(
                f"{self.path} is not the file that this resource made; remove"
                " or move it, then try again"
            )

    def check_spelling(self) -> None:
        """Raise LocalRefused if who has it calls it otherwise."""
        if not self.is_ours():
            owners = self.owners().values()
            path_base.check_spelling(
                self.path, [each["path"] for each in owners if "path" in each]
            )

    @contextlib.contextmanager
    def open(self) -> collections.abc.Iterator[io.BufferedReader]:
        """Open the file to read it; a pipe is not awaited.

        :raises root.LocalRefused: no regular file is there
        """
        self.get_facts()
        number = os.open(
            self.name,
            os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            dir_fd=self.parent,
        )
        with os.fdopen(number, "rb") as stream:
            yield stream

    def read(self, max_bytes: int = -1) -> tuple[bytes, int]:
        """Return content and mode.

        :raises root.LocalRefused: no regular file is there
        """
        with self.open() as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            return stream.read(max_bytes), mode

    def save_owner(self, owner: records.Record) -> None:
        """Note whose the file is, before it is."""
        records.write_record(self.store, f"{self.token}.json", owner)

    def put(self, content: bytes, mode: int, *, replace: bool) -> None:
        """Put a new file of ours at the path, in one step.

        It may be called again after a crash. The caller holds the lock.

        :param replace: whether it may take the place of what is there
        :raises FileExistsError: something is there
        """
        assert self.parent is not None
        self._settle()
        with records.write_temporary(
            self.store, self.token, content, mode
        ) as temporary:
            os.link(
                temporary,
                self._next,
                src_dir_fd=self.store,
                dst_dir_fd=self.store,
            )
            place = os.rename if replace else os.link
            place(
                temporary,
                self.name,
                src_dir_fd=self.store,
                dst_dir_fd=self.parent,
            )
        os.fsync(self.parent)
        self._settle()

    def adopt(self, owner: records.Record) -> None:
        """Make the file there ours; a former owner loses it."""
        others = self.owners().keys() - {self.token}
        self._settle()
        self.save_owner(owner)
        if not self.is_ours():
            records.remove_record(self.store, self.token)
            os.link(
                self.name,
                self.token,
                src_dir_fd=self.parent,
                dst_dir_fd=self.store,
                follow_symlinks=False,
            )
        for other in others:
            dataclasses.replace(self, token=other).forget()

    def remove(self) -> None:
        """Remove our file, and forget it; already gone is success.

        :raises root.LocalRefused: a file is there that no resource made
        """
        if self.find_facts() is not None and not self.owners():
            self.check_ours()
        if self.is_ours():
            os.unlink(self.name, dir_fd=self.parent)
        self.forget()

    def forget(self) -> None:
        """Remove the second names of the token, and what belongs to them."""
        for ending in ("", _NEXT, ".lock", ".json"):
            records.remove_record(self.store, f"{self.token}{ending}")
        records.sweep_temporaries(self.store, self.token)

    def _settle(self) -> None:
        """Let one second name be left, however a change was interrupted."""
        if self._is(self._next):
            os.rename(
                self._next,
                self.token,
                src_dir_fd=self.store,
                dst_dir_fd=self.store,
            )
        records.remove_record(self.store, self._next)
        records.sweep_temporaries(self.store, self.token)

    def _is(self, second_name: str) -> bool:
        facts = self.find_facts()
        ours = root.find_stat(self.store, second_name)
        return bool(facts and ours and os.path.samestat(facts, ours))

    @property
    def _next(self) -> str:
        return f"{self.token}{_NEXT}"


def list_foreign_names(store: int, directory: int) -> list[str]:
    """Return the names in a directory of files that no resource made.

    :param store: open descriptor of the directory of second names
    """
    inodes = {entry.inode() for entry in os.scandir(store)}
    return [
        entry.name
        for entry in os.scandir(directory)
        if not entry.is_dir(follow_symlinks=False)
        and entry.inode() not in inodes
    ]
