"""Writes the files of commands."""

import os
import pathlib
import typing

from orchclient.console import exit_codes

_SECRET: typing.Final = 0o600


def write_file(target: str, text: str) -> None:
    """Write a file.

    :raises orchclient.console.exit_codes.UsageError: it cannot be written
    """
    try:
        pathlib.Path(target).write_text(text, encoding="utf-8")
    except OSError as error:
        raise exit_codes.UsageError(f"{target}: {error.strerror}") from error


def write_secret_file(target: str, text: str) -> None:
    """Write a file durably, readable by its owner only.

    What exists and is no regular file, such as a pipe, retains its mode.

    :raises orchclient.console.exit_codes.UsageError: it cannot be written
    """
    path = pathlib.Path(target)
    try:
        path.touch(_SECRET)
        is_file = path.is_file()
        if is_file:
            path.chmod(_SECRET)
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if is_file:
                os.fsync(file.fileno())
    except OSError as error:
        raise exit_codes.UsageError(f"{target}: {error.strerror}") from error
