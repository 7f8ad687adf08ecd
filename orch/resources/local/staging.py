"""The second name of each file that we made, which identifies it.

A file gets its content under the token of its resource, in ``.orch``; that
name is then linked to the path. As long as both names mean the same file, it
is ours, whatever happened in between, and no other file can pass for it.

The owner of the file is stored next to it, so that a resource which is
replaced, path and all, passes its file to the one that replaces it.

A file is changed by another one that replaces it, which has a second name of
its own until then. So at every moment one of the two is ours.
"""

import collections.abc
import contextlib
import os
import stat
import typing

from orch.resources.local import locking
from orch.resources.local import records
from orch.resources.local import root

_NEXT: typing.Final = ".next"
"""The ending of the second name of what is to take the place of a file."""


def stage_file(store: int, token: str, content: bytes, mode: int) -> None:
    """Write the content under the token; what is in use already stays.

    :param store: open descriptor of the directory of second names
    """
    with _write_file(store, token, content, mode) as temporary:
        facts = root.find_stat(store, token)
        if facts is not None and facts.st_nlink == 1:
            os.rename(temporary, token, src_dir_fd=store, dst_dir_fd=store)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(temporary, token, src_dir_fd=store, dst_dir_fd=store)


def publish_file(store: int, token: str, parent: int, name: str) -> bool:
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
        return is_owned_by(store, token, parent, name)
    os.fsync(parent)
    return True


def save_owner(store: int, token: str, owner: records.Record) -> None:
    """Remember whose file it will be."""
    records.write_record(store, _owner(token), owner)


def take_over(
    store: int, token: str, owner: records.Record, parent: int, name: str
) -> bool:
    """Put the staged file in the place of one of the same owner.

    :returns: ``False`` when the file there is not such a one
    """
    for other in _tokens_of(store, parent, name):
        if records.read_record(store, _owner(other)) == owner:
            break
    else:
        return False
    put_over(store, token, parent, name)
    return True


def put_over(store: int, token: str, parent: int, name: str) -> None:
    """Put the staged file in the place of whatever file stands there."""
    temporary = records.temporary_name(token)
    try:
        os.link(token, temporary, src_dir_fd=store, dst_dir_fd=store)
        os.rename(temporary, name, src_dir_fd=store, dst_dir_fd=parent)
    finally:
        records.remove_record(store, temporary)
    os.fsync(parent)


def adopt_file(
    store: int, token: str, owner: records.Record, parent: int, name: str
) -> None:
    """Make a file that stands ours; whoever had it has it no longer."""
    others = _tokens_of(store, parent, name)
    save_owner(store, token, owner)
    if token not in others:
        records.remove_record(store, token)
        os.link(
            name,
            token,
            src_dir_fd=parent,
            dst_dir_fd=store,
            follow_symlinks=False,
        )
    for each in others:
        if each != token:
            remove_names(store, each)


def list_known_paths(store: int, parent: int, name: str) -> set[object]:
    """Return how those call the file at a path who made it, or took it."""
    found = (
        records.read_record(store, _owner(each))
        for each in _tokens_of(store, parent, name)
    )
    return {each["path"] for each in found if each and "path" in each}


def replace_content(
    store: int, token: str, content: bytes, mode: int, parent: int, name: str
) -> None:
    """Put another content at the path of our file, in one step.

    It may be called again after a crash. The caller holds the lock, and has
    seen that the file there is ours.
    """
    settle_names(store, token, parent, name)
    with _write_file(store, token, content, mode) as temporary:
        os.link(temporary, _next(token), src_dir_fd=store, dst_dir_fd=store)
        os.rename(temporary, name, src_dir_fd=store, dst_dir_fd=parent)
    os.fsync(parent)
    os.rename(_next(token), token, src_dir_fd=store, dst_dir_fd=store)


def settle_names(store: int, token: str, parent: int, name: str) -> None:
    """Let one second name be left, whatever a change was interrupted by."""
    if _is_same(store, _next(token), parent, name):
        os.rename(_next(token), token, src_dir_fd=store, dst_dir_fd=store)
    else:
        records.remove_record(store, _next(token))
    records.sweep_temporaries(store, token)


@contextlib.contextmanager
def lock_names(store: int, token: str) -> collections.abc.Iterator[None]:
    """Keep other workers from changing the same file.

    :raises orch.errors.Transient: another one goes on and on with it
    """
    lock = os.open(
        _lock(token),
        os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
        dir_fd=store,
    )
    try:
        locking.lock_file(
            lock, "the file is being changed by another worker; retry"
        )
        yield
    finally:
        os.close(lock)


def is_owned_by(store: int, token: str, parent: int, name: str) -> bool:
    """Whether the file at a path is one under the token."""
    return _is_same(store, token, parent, name) or _is_same(
        store, _next(token), parent, name
    )


def is_owned(store: int, parent: int, name: str) -> bool:
    """Whether some resource made the file at a path."""
    return bool(_tokens_of(store, parent, name))


def list_foreign_names(store: int, directory: int) -> list[str]:
    """Return the names of regular files there that no resource made."""
    inodes = _inodes(store)
    found = []
    for name in root.names_in(directory):
        facts = root.find_stat(directory, name)
        if facts is None or stat.S_ISDIR(facts.st_mode):
            continue
        if facts.st_ino not in inodes:
            found.append(name)
    return found


def remove_staged(store: int, token: str) -> None:
    """Remove what an attempt left that never came to give it a path."""
    records.sweep_temporaries(store, token)
    for each in (token, _next(token)):
        facts = root.find_stat(store, each)
        if facts is not None and facts.st_nlink == 1:
            records.remove_record(store, each)
    if root.find_stat(store, token) is None:
        records.remove_record(store, _owner(token))


def remove_names(store: int, token: str) -> None:
    """Remove all second names, once the file is gone."""
    records.sweep_temporaries(store, token)
    for each in (token, _next(token), _lock(token), _owner(token)):
        records.remove_record(store, each)


@contextlib.contextmanager
def _write_file(
    store: int, token: str, content: bytes, mode: int
) -> collections.abc.Iterator[str]:
    """Give a file that is whole on disk, under a name nobody uses."""
    temporary = records.temporary_name(token)
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
        yield temporary
    finally:
        records.remove_record(store, temporary)


def _is_same(store: int, second: str, parent: int, name: str) -> bool:
    ours = root.find_stat(store, second)
    there = root.find_stat(parent, name)
    if ours is None or there is None:
        return False
    return os.path.samestat(ours, there)


def _inodes(store: int) -> set[int]:
    return {entry.inode() for entry in os.scandir(store)}


def _tokens_of(store: int, parent: int, name: str) -> list[str]:
    """Return the tokens under which the file at a path is known."""
    facts = root.find_stat(parent, name)
    return [
        entry.name.removesuffix(_NEXT)
        for entry in os.scandir(store)
        if facts is not None and entry.inode() == facts.st_ino
    ]


def _next(token: str) -> str:
    return f"{token}{_NEXT}"


def _owner(token: str) -> str:
    return f"{token}.json"


def _lock(token: str) -> str:
    return f"{token}.lock"
