"""Read the content of a regular file, and its mode; change nothing."""

import collections.abc
import contextlib
import io
import os
import stat
import typing

from orch.resources.local import root

MAX_READ_BYTES: typing.Final = 1 << 20
"""Bytes of a file that become a property; a template holds no more."""


@contextlib.contextmanager
def open_file(
    root_: root.Root, parts: root.Parts
) -> collections.abc.Iterator[io.BufferedReader]:
    """Open the file to read it; a link is not followed, a pipe not awaited."""
    with root_.parent(parts, make=False) as parent:
        number = os.open(
            parts[-1],
            os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            dir_fd=parent,
        )
        with os.fdopen(number, "rb") as stream:
            yield stream


def file_mode(stream: io.BufferedReader) -> int:
    """Return the permissions of an open file."""
    return os.fstat(stream.fileno()).st_mode & 0o7777


def read_all(root_: root.Root, parts: root.Parts) -> tuple[bytes, int]:
    """Return content and mode."""
    with open_file(root_, parts) as stream:
        mode = file_mode(stream)
        return stream.read(), mode


def read_for_template(
    root_: root.Root, path: str, parts: root.Parts
) -> tuple[str, int]:
    """Return content and mode of a file that a template is to declare.

    :raises root.Gone: it has just gone
    :raises root.LocalRefused: it holds no text, or too much
    """
    try:
        with open_file(root_, parts) as stream:
            mode = file_mode(stream)
            content = stream.read(MAX_READ_BYTES + 1)
    except FileNotFoundError as error:
        raise root.Gone(f"{path} is not there") from error
    except OSError as error:
        raise root.explain(error, path) from error
    if len(content) > MAX_READ_BYTES:
        raise root.LocalRefused(
            f"{path} is larger than {MAX_READ_BYTES} bytes, too large for a"
            " template"
        )
    return decode_content(content, path, "no template can say them"), mode


def decode_content(content: bytes, path: object, consequence: str) -> str:
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


def check_regular(parent: int, parts: root.Parts) -> None:
    """Return only if a regular file stands there.

    :raises root.Gone: nothing does
    :raises root.LocalRefused: something else does
    """
    facts = root.find_stat(parent, parts[-1])
    path = "/".join(parts)
    if facts is None:
        raise root.Gone(f"{path} is not there")
    if not stat.S_ISREG(facts.st_mode):
        raise root.LocalRefused(f"{path} is not a regular file")
