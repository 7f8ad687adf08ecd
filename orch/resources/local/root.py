"""The allowed root of local resources, and the checks to stay in it.

Every step of a path is opened from the step before, and a symbolic link is
never followed, so no link leads out of the root, whenever it is made.
Records of Orch itself are in ``.orch`` below the root.
"""

import collections.abc
import contextlib
import errno
import hashlib
import os
import pathlib
import stat
import typing

from oslo_config import cfg

from orch import errors
from orch.plugin import reality
from orch.resources.local import records

Parts = tuple[str, ...]

PRIVATE: typing.Final = ".orch"
_DIRECTORIES: typing.Final = "directories"
_PARENT_MODE: typing.Final = 0o755
"""Of directories that are made on the way, whatever the umask is."""
_OPEN: typing.Final = (
    os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
)


class LocalRefused(errors.Permanent):
    """The machine, or an existing file, does not allow the action."""

    code = "orch.local.refused"


class Gone(LocalRefused, reality.Vanished):
    """The file or directory does not exist any more."""

    code = "orch.local.gone"


def parse_path(path: str, name: str = "path") -> Parts:
    """Return the steps of a path below the root.

    :param name: the property it comes from, for the error
    :raises orch.errors.Invalid: it leads out of the root, or nowhere
    """
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    wrong = ""
    if path.startswith("/"):
        wrong = "is absolute; give it relative to the allowed root"
    elif ".." in parts:
        wrong = "contains '..'; name the place directly"
    elif "\0" in path:
        wrong = "contains a zero byte"
    elif parts[:1] == (PRIVATE,):
        wrong = f"is in {PRIVATE}, which is reserved for Orch"
    elif not parts:
        wrong = "names nothing below the allowed root"
    if wrong:
        text = f"the {name} {path!r} {wrong}"
        raise errors.Invalid(text, [errors.Problem(text, path=name)])
    return parts


class Root:
    """The allowed root; the caller closes every descriptor that it returns."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Store the options; the root is opened when it is needed."""
        self._conf = conf

    def absolute(self, parts: Parts) -> str:
        """Return the path as other programs need it."""
        return str(pathlib.Path(self._conf.local.root, *parts))

    @contextlib.contextmanager
    def parent(
        self, parts: Parts, *, make: bool
    ) -> collections.abc.Iterator[int]:
        """Give the open directory that holds the last step of a path.

        :param make: make what is missing on the way; :meth:`prune` removes
            such directories again
        :raises FileNotFoundError: there is none, or it has just gone
        :raises LocalRefused: something else stands in the way
        """
        with self.directory(parts[:-1], make=make) as number:
            yield number

    @contextlib.contextmanager
    def directory(
        self, parts: Parts, *, make: bool = False
    ) -> collections.abc.Iterator[int]:
        """Give an open directory, the root itself for no steps.

        :param make: make what is missing on the way
        :raises FileNotFoundError: there is none, or it has just gone
        :raises LocalRefused: something else stands in the way
        """
        with contextlib.ExitStack() as opened:
            number = _add_descriptor(opened, self._open())
            for index, part in enumerate(parts):
                here = parts[: index + 1]
                is_made = make and self._make(number, here)
                number = _add_descriptor(
                    opened, self._step(number, part, here)
                )
                if is_made:
                    os.fchmod(number, _PARENT_MODE)
            yield number

    @contextlib.contextmanager
    def private(self, name: str) -> collections.abc.Iterator[int]:
        """Give a directory below ``.orch``; it is made when missing."""
        with contextlib.ExitStack() as opened:
            number = _add_descriptor(opened, self._open())
            for part in (PRIVATE, name):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=number)
                number = _add_descriptor(
                    opened, self._step(number, part, (PRIVATE, name))
                )
            yield number

    def mark_of(self, parts: Parts) -> records.Record | None:
        """Return who made a directory: ``token``, empty for a mere parent.

        :returns: ``None`` when Orch did not make it
        """
        with self.private(_DIRECTORIES) as marks:
            return records.read_record(marks, _key(parts))

    def mark(self, parts: Parts, token: str, **owner: str) -> None:
        """Note who makes a directory, before it is made.

        :param owner: more facts of the maker, as texts
        """
        with self.private(_DIRECTORIES) as marks:
            record = {"path": "/".join(parts), "token": token, **owner}
            records.write_record(marks, _key(parts), record)

    def unmark(self, parts: Parts) -> None:
        """Forget who made a directory, once it is gone."""
        with self.private(_DIRECTORIES) as marks:
            records.remove_record(marks, _key(parts))

    def prune(self, parts: Parts) -> None:
        """Remove the directories above a path that were made on the way.

        Those that hold anything, and those that Orch did not make so, stay.
        """
        while parts := parts[:-1]:
            mark = self.mark_of(parts)
            if mark is None or mark.get("token"):
                return
            try:
                with self.parent(parts, make=False) as parent:
                    os.rmdir(parts[-1], dir_fd=parent)
            except FileNotFoundError:
                pass
            except OSError:
                return
            self.unmark(parts)

    def _make(self, number: int, here: Parts) -> bool:
        """Make a directory; return whether it was this call that did."""
        if find_stat(number, here[-1]) is not None:
            return False
        with self.private(_DIRECTORIES) as marks:
            record = {"path": "/".join(here), "token": ""}
            records.add_record(marks, _key(here), record)
        try:
            os.mkdir(here[-1], _PARENT_MODE, dir_fd=number)
        except FileExistsError:
            return False
        return True

    def _open(self) -> int:
        path = pathlib.Path(self._conf.local.root)
        if not path.is_absolute():
            raise LocalRefused(
                f"the allowed root {path} is not absolute; the operator has"
                " to correct [local] root"
            )
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise LocalRefused(
                f"the allowed root cannot be used: {error}; the operator has"
                " to correct [local] root or its permissions"
            ) from error

    def _step(self, number: int, part: str, here: Parts) -> int:
        try:
            return os.open(part, _OPEN, dir_fd=number)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise LocalRefused(_in_the_way(number, part, here)) from error
            if isinstance(error, FileNotFoundError):
                raise
            raise explain(error, "/".join(here)) from error


def find_stat(directory: int, name: str) -> os.stat_result | None:
    """Return the facts of an entry itself, never of what a link leads to."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None


def names_in(directory: int) -> list[str]:
    """Return the names of an open directory's entries, sorted."""
    return sorted(os.listdir(directory))


def explain(error: OSError, path: str) -> LocalRefused:
    """Return what the operating system said, for a reader of the stack."""
    advice = {
        errno.EACCES: "; the worker's user has no right to it",
        errno.ENOSPC: "; make room and retry",
        errno.EROFS: "; the allowed root has to be writable",
        errno.EXDEV: "; it lies on another file system than the root",
        errno.ENAMETOOLONG: "; choose a shorter path",
    }
    text = os.strerror(error.errno or 0)
    return LocalRefused(f"{path}: {text}{advice.get(error.errno or 0, '')}")


def _in_the_way(number: int, part: str, here: Parts) -> str:
    facts = find_stat(number, part)
    path = "/".join(here)
    if facts is not None and stat.S_ISLNK(facts.st_mode):
        return (
            f"{path} is a symbolic link; links are never followed, put a"
            " directory there or choose another path"
        )
    return f"{path} is not a directory; remove it or choose another path"


def _add_descriptor(opened: contextlib.ExitStack, number: int) -> int:
    opened.callback(os.close, number)
    return number


def _key(parts: Parts) -> str:
    return hashlib.sha256("/".join(parts).encode()).hexdigest()[:32]
