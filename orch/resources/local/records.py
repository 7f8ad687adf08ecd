"""Small JSON records in a directory, each written atomically."""

import collections.abc
import contextlib
import json
import os
import secrets

Record = collections.abc.Mapping[str, object]


def read_record(directory: int, name: str) -> Record | None:
    """Return a record, or ``None`` when there is none.

    :param directory: open descriptor of the directory
    """
    try:
        number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=directory)
    except FileNotFoundError:
        return None
    with os.fdopen(number, encoding="utf-8") as stream:
        found = json.load(stream)
    return found if isinstance(found, dict) else None


def write_record(directory: int, name: str, record: Record) -> None:
    """Put a record on disk, in place of an older one of that name."""
    with _write_temporary(directory, name, record) as temporary:
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)


def add_record(directory: int, name: str, record: Record) -> bool:
    """Put a record on disk, unless there is one of that name.

    :returns: whether it was ours that was put there
    """
    with _write_temporary(directory, name, record) as temporary:
        try:
            os.link(
                temporary, name, src_dir_fd=directory, dst_dir_fd=directory
            )
        except FileExistsError:
            return False
    return True


def remove_record(directory: int, name: str) -> None:
    """Remove a record; none is success."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)


def sweep_temporaries(directory: int, name: str) -> None:
    """Remove what writers of a name left who died while they wrote."""
    for found in os.listdir(directory):
        if found.startswith(f".{name}."):
            remove_record(directory, found)


def temporary_name(name: str) -> str:
    """Return an unused name that :func:`sweep_temporaries` recognises."""
    return f".{name}.{secrets.token_hex(4)}"


@contextlib.contextmanager
def _write_temporary(
    directory: int, name: str, record: Record
) -> collections.abc.Iterator[str]:
    temporary = temporary_name(name)
    number = os.open(
        temporary,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW,
        0o600,
        dir_fd=directory,
    )
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            json.dump(record, stream)
            stream.flush()
            os.fsync(number)
        yield temporary
    finally:
        remove_record(directory, temporary)
