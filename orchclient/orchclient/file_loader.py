"""Reads files and URLs, and joins their names.

A place is an absolute path or a URL of the web.
"""

import base64
import os
import pathlib
import posixpath
import typing
import urllib.parse
import urllib.request

import requests

from orchclient import errors

_WEB: typing.Final = ("http", "https")
_TIMEOUT_S: typing.Final = 30.0
_MAX_BYTES: typing.Final = 16 * 2**20
_CHUNK: typing.Final = 2**16


class Loader:
    """Reads the files of packages.

    :param timeout_s: how long a web server may be silent
    :param max_bytes: that one file may have
    """

    def __init__(
        self,
        *,
        timeout_s: float = _TIMEOUT_S,
        max_bytes: int = _MAX_BYTES,
    ) -> None:
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes

    def text(self, place: str) -> str:
        """Read a text.

        :raises orchclient.errors.PackagingError: it cannot be read, or is
            none
        """
        try:
            return self.read(place).decode("utf-8")
        except UnicodeDecodeError as error:
            raise errors.PackagingError(
                place, "This is no text in UTF-8."
            ) from error

    def content(self, place: str) -> str:
        """Read a text; anything else as base64.

        :raises orchclient.errors.PackagingError: it cannot be read
        """
        found = self.read(place)
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError:
            return base64.b64encode(found).decode("ascii")

    def read(self, place: str) -> bytes:
        """Read the content of a place.

        :raises orchclient.errors.PackagingError: it cannot be read
        """
        try:
            found = self._fetch(place) if is_web(place) else self._open(place)
        except (OSError, ValueError) as error:
            # Those of requests are among them.
            why = getattr(error, "strerror", None) or str(error)
            raise errors.PackagingError(place, f"{why}.") from error
        if len(found) > self._max_bytes:
            raise errors.PackagingError(
                place, f"It has more than {self._max_bytes} bytes."
            )
        return found

    def _open(self, place: str) -> bytes:
        path = pathlib.Path(place)
        if path.exists() and not path.is_file():
            raise ValueError("This is no file")
        with path.open("rb") as file:
            return file.read(self._max_bytes + 1)

    def _fetch(self, place: str) -> bytes:
        found = bytearray()
        with requests.get(
            place, timeout=self._timeout_s, stream=True
        ) as answer:
            if not answer.ok:
                raise ValueError(f"HTTP {answer.status_code} {answer.reason}")
            for chunk in answer.iter_content(_CHUNK):
                found += chunk
                if len(found) > self._max_bytes:
                    break
        return bytes(found)


def is_web(place: str) -> bool:
    """Whether a place is a URL of the web."""
    return place.partition(":")[0].lower() in _WEB


def place_of(given: str | pathlib.Path) -> str:
    """Return the place of a path or a URL."""
    text = os.fspath(given)
    if is_web(text):
        return text
    if text.lower().startswith("file:"):
        path = urllib.parse.urlsplit(text).path
        text = urllib.request.url2pathname(path)
    return os.path.abspath(pathlib.Path(text).expanduser())  # noqa: PTH100 - a link stays the place that it was named by


def parent_of(place: str) -> str:
    """Return the directory of a place, with a separator at its end."""
    if is_web(place):
        return urllib.parse.urljoin(place, ".")
    return str(pathlib.Path(place).parent) + os.sep


def join_place(base: str, name: str) -> str:
    """Return the place that a name in a document refers to."""
    if is_web(name) or name.lower().startswith("file:"):
        return place_of(name)
    if is_web(base):
        return urllib.parse.urljoin(base, name)
    return place_of(pathlib.Path(parent_of(base)) / name)


def name_from(base: str, place: str) -> str:
    """Return the name of a place in a package.

    :param base: the directory of its template
    """
    if is_web(place):
        return place
    if is_web(base):
        return pathlib.Path(place).as_uri()
    return posixpath.join(*pathlib.Path(os.path.relpath(place, base)).parts)


def check_reach(document: str, place: str) -> None:
    """Raise PackagingError if a document must not include a place.

    :raises orchclient.errors.PackagingError: it came from the web, and would
        have a file of this machine sent
    """
    if is_web(document) and not is_web(place):
        raise errors.PackagingError(
            document,
            f"It includes a file of this machine, {place}. A document from"
            " the web may not; download it first.",
        )
