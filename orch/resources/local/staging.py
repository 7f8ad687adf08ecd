"""The second name of each file that we made, by which we know it again.

A file gets its content under the token of its resource, in ``.orch``; that
name is then linked to the path. As long as both names mean the same file, it
is ours, whatever happened in between, and no other file can pass for it.
"""

import contextlib
import os
import stat

from orch.resources.local import records
from orch.resources.local import root


def stage(store: int, token: str, content: bytes, mode: int) -> None:
    """Write the content under the token; what is in use already stays.

    :param store: open descriptor of the directory of second names
    """
    temporary = records.temporary_of(token)
    number = os.open(
        temporary,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
        dir_fd=store,
    )
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(number, mode)
            os.fsync(number)
        facts = root.find_stat(store, token)
        if facts is not None and facts.st_nlink == 1:
            os.rename(temporary, token, src_dir_fd=store, dst_dir_fd=store)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(temporary, token, src_dir_fd=store, dst_dir_fd=store)
    finally:
        records.remove(store, temporary)


def publish(store: int, token: str, parent: int, name: str) -> bool:
    """Give the staged file its path, never in place of anything.

    :returns: ``False`` when something else stands at the path
    """
    try:
        os.link(
            token,
            name,
            src_dir_fd=store,
            dst_dir_fd=parent,
            follow_symlinks=False,
        )
    except FileExistsError:
        return is_ours(store, token, parent, name)
    os.fsync(parent)
    return True


def is_ours(store: int, token: str, parent: int, name: str) -> bool:
    """Answer whether the file at a path is the one under the token."""
    ours = root.find_stat(store, token)
    there = root.find_stat(parent, name)
    if ours is None or there is None:
        return False
    return os.path.samestat(ours, there)


def foreign_names(store: int, directory: int) -> list[str]:
    """Return the names of regular files there that no resource made."""
    inodes = {entry.inode() for entry in os.scandir(store)}
    found = []
    for name in root.names_in(directory):
        facts = root.find_stat(directory, name)
        if facts is None or stat.S_ISDIR(facts.st_mode):
            continue
        if facts.st_ino not in inodes:
            found.append(name)
    return found


def unstage(store: int, token: str) -> None:
    """Remove what an attempt left that never came to give it a path."""
    records.sweep(store, token)
    facts = root.find_stat(store, token)
    if facts is not None and facts.st_nlink == 1:
        records.remove(store, token)
