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
_PRIVATE_MODE: typing.Final = 0o700
_OPEN: typing.Final = (
    os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
)
_ADVICE: typing.Final = {
    errno.EACCES: "; the worker's user has no right to it",
    errno.ENOSPC: "; make room and retry",
    errno.EROFS: "; the allowed root has to be writable",
    errno.EXDEV: "; it lies on another file system than the root",
    errno.ENAMETOOLONG: "; choose a shorter path",
}


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
    for is_wrong, problem in (
        (
            path.startswith("/"),
            "is absolute; give it relative to the allowed root",
        ),
        (".." in parts, "contains '..'; name the place directly"),
        ("\0" in path, "contains a zero byte"),
        (
            parts[:1] == (PRIVATE,),
            f"is in {PRIVATE}, which is reserved for Orch",
        ),
        (not parts, "names nothing below the allowed root"),
    ):
        if is_wrong:
            text = f"the {name} {path!r} {problem}"
            raise errors.Invalid(text, [errors.Problem(text, path=name)])
    return parts


class Root:
    """The allowed root."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Store the options; the root is opened when it is needed."""
        self._conf = conf

    def absolute(self, parts: Parts) -> str:
        """Return the path as other programs need it."""
        return str(pathlib.Path(self._conf.local.root, *parts))

    @contextlib.contextmanager
    def directory(
        self, parts: Parts, *, make: bool = False
    ) -> collections.abc.Iterator[int]:
        """Give an open directory, the root itself for no steps.

        :param make: make what is missing on the way; :meth:`prune` removes
            such directories again
        :raises FileNotFoundError: there is none, or it has just gone
        :raises LocalRefused: something else stands in the way
        """
        number = self._open()
        try:
            for index in range(len(parts)):
                step = self._step(number, parts[: index + 1], make=make)
                os.close(number)
                number = step
            yield number
        finally:
            os.close(number)

    def private(
        self, name: str
    ) -> contextlib.AbstractContextManager[int, bool | None]:
        """Give a directory below ``.orch``; it is made when missing."""
        return self.directory((PRIVATE, name), make=True)

    def walk(self) -> collections.abc.Iterator[tuple[Parts, int]]:
        """Yield what is below the root, and its mode, in any order.

        Links are not followed. What is Orch's own, and names that no
        template can hold, are left out.

        :raises LocalRefused: a directory cannot be read
        """
        with self.directory(()) as top:
            for place, directories, files, number in os.fwalk(
                ".", dir_fd=top, onerror=_raise_unless_gone
            ):
                here = pathlib.PurePath(place).parts
                directories[:] = [
                    name
                    for name in filter(_is_text, directories)
                    if (*here, name) != (PRIVATE,)
                ]
                for name in (*directories, *filter(_is_text, files)):
                    facts = find_stat(number, name)
                    if facts is not None:
                        yield (*here, name), facts.st_mode

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
            records.sweep_temporaries(marks, _key(parts))

    def prune(self, parts: Parts) -> None:
        """Remove the directories above a path that were made on the way.

        Those that hold anything, and those that Orch did not make so, stay.
        """
        while parts := parts[:-1]:
            mark = self.mark_of(parts)
            if mark is None or mark.get("token"):
                return
            try:
                with self.directory(parts[:-1]) as parent:
                    os.rmdir(parts[-1], dir_fd=parent)
            except FileNotFoundError:
                pass
            except OSError:
                return
            self.unmark(parts)

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

    def _step(self, number: int, here: Parts, *, make: bool) -> int:
        """Return the directory at the end of a path; make it where missing."""
        path, name = "/".join(here), here[-1]
        is_made = make and self._make(number, here)
        try:
            step = os.open(name, _OPEN, dir_fd=number)
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                raise
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise _refused(error, path) from error
            facts = find_stat(number, name)
            is_link = facts is not None and stat.S_ISLNK(facts.st_mode)
            what = "a symbolic link" if is_link else "not a directory"
            raise LocalRefused(
                f"{path} is {what}; links are never followed, put a directory"
                " there or choose another path"
            ) from error
        if is_made:
            is_private = here[0] == PRIVATE
            os.fchmod(step, _PRIVATE_MODE if is_private else _PARENT_MODE)
        return step

    def _make(self, number: int, here: Parts) -> bool:
        """Make a directory; return whether it was this call that did."""
        if find_stat(number, here[-1]) is not None:
            return False
        if here[0] != PRIVATE:
            with self.private(_DIRECTORIES) as marks:
                record = {"path": "/".join(here), "token": ""}
                records.add_record(marks, _key(here), record)
        try:
            os.mkdir(here[-1], _PRIVATE_MODE, dir_fd=number)
        except FileExistsError:
            return False
        return True


def find_stat(directory: int, name: str) -> os.stat_result | None:
    """Return the facts of an entry itself, never of what a link leads to."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def explain_errors(
    path: str, *, make: bool = False
) -> collections.abc.Iterator[None]:
    """Raise what the operating system said, for a reader of the stack.

    :param make: whether the act makes what is missing
    :raises Gone: it is not there, or a directory on the way is not
    :raises orch.errors.Transient: it has gone while it was made
    :raises LocalRefused: the operating system does not allow the act
    """
    try:
        yield
    except FileNotFoundError as error:
        if make:
            raise errors.Transient(
                f"a directory of {path} was removed meanwhile; retry"
            ) from error
        raise Gone(f"{path} is not there") from error
    except OSError as error:
        raise _refused(error, path) from error


def _refused(error: OSError, path: str) -> LocalRefused:
    number = error.errno or 0
    return LocalRefused(
        f"{path}: {os.strerror(number)}{_ADVICE.get(number, '')}"
    )


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise _refused(error, str(error.filename)) from error


def _is_text(name: str) -> bool:
    """Whether a template can hold the name."""
    return name == name.encode(errors="ignore").decode()


def _key(parts: Parts) -> str:
    return hashlib.sha256("/".join(parts).encode()).hexdigest()[:32]
