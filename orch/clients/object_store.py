"""Objects of the cloud (Swift) that servers write without an account.

A container has a key of its own, by which addresses are signed: the holder of
such an address may write that one object, and nothing else. A container may
store older versions of an object, so that one address takes many messages.
"""

import base64
import collections.abc
import contextlib
import dataclasses
import hashlib
import hmac
import math
import secrets
import typing
import urllib.parse

import requests

from orch import clock
from orch import errors
from orch.clients import egress
from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection

_KEY: typing.Final = "X-Container-Meta-Temp-URL-Key"
_EXPIRES: typing.Final = 2**31 - 1
"""Addresses work until the key is gone, and so the container."""
_MAX_OBJECT_BYTES: typing.Final = 2**20
"""Bytes that are read of an object."""
_MAX_CONTAINER_BYTES: typing.Final = 2**24
"""Bytes that are read of all that was written to one object."""
_PAGE: typing.Final = 1000
_DIRECTORY: typing.Final = "application/directory"
"""What tools put beside objects whose names have slashes in them."""


class TooLarge(rest.CloudRefused):
    """An object is larger than any valid message."""

    code = "orch.cloud.object_too_large"


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """The location of an object.

    :ivar account: as its URL names it, ``AUTH_…``
    """

    account: str
    container: str
    name: str

    @classmethod
    def of_url(cls, url: str) -> typing.Self | None:
        """Return the place that an address leads to; ``None`` for nowhere."""
        try:
            path = urllib.parse.urlsplit(url).path
        except ValueError:
            return None
        parts = path.partition("/v1/")[2].split("/", 2)
        if len(parts) != 3 or not all(parts):
            return None
        return cls(*map(urllib.parse.unquote, parts))


@dataclasses.dataclass(frozen=True, slots=True)
class WrittenObject:
    """What was written to an object at one time.

    :ivar written_at: by the clock of the service; infinite where it does not
        say
    """

    content: bytes
    written_at: clock.Timestamp


class ObjectStore:
    """The containers of one project."""

    def __init__(self, cloud: "connection.Connection") -> None:
        """Speak to the service; nothing is sent yet."""
        self._service = rest.service_of(cloud, "object-store")

    def make_container(self, name: str, *, is_versioned: bool) -> None:
        """Make a container with a key; one that is there keeps its own.

        :param is_versioned: what is written over is kept beside
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        if self._find_key(name) is not None:
            return
        headers = {_KEY: secrets.token_hex(32)}
        if is_versioned:
            headers["X-Versions-Location"] = rest.path_segment(name)
        self._ask("PUT", rest.path_segment(name), headers=headers)

    def has_container(self, name: str) -> bool:
        """Whether there is such a container, with a key."""
        return self._find_key(name) is not None

    def address_for_writing(self, container: str, name: str) -> str:
        """Return where a ``PUT`` writes an object, without any account.

        :raises orch.clients.rest.CloudNotFound: there is no such container
        """
        return self._address("PUT", container, name)

    def address_for_reading(self, container: str, name: str) -> str:
        """Return where a ``GET`` reads an object, without any account.

        :raises orch.clients.rest.CloudNotFound: there is no such container
        """
        return self._address("GET", container, name)

    def _address(self, method: str, container: str, name: str) -> str:
        key = self._find_key(container)
        if key is None:
            raise rest.CloudNotFound(f"there is no container {container}")
        endpoint = rest.endpoint_of(self._service)
        path = f"{rest.path_segment(container)}/{rest.path_segment(name)}"
        url = f"{endpoint}/{path}"
        # What is signed is the path as it is after its parts are unquoted.
        path = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        signed = f"{method}\n{_EXPIRES}\n{path}".encode()
        signature = hmac.new(key.encode(), signed, hashlib.sha256).hexdigest()
        query = f"temp_url_sig={signature}&temp_url_expires={_EXPIRES}"
        return f"{url}?{query}"

    def check_is_ours(self, place: Place) -> None:
        """Return only if the place is in this project.

        :raises orch.clients.rest.CloudRefused: it is another one's
        """
        path = urllib.parse.urlsplit(rest.endpoint_of(self._service)).path
        account = urllib.parse.unquote(path.rstrip("/").rpartition("/")[2])
        if account != place.account:
            raise rest.CloudRefused(
                f"the container {place.container} belongs to {place.account},"
                f" and this stack may read {account} alone"
            )

    def read_all(self, container: str, name: str) -> list[WrittenObject]:
        """Return all that was written to an object, the oldest first.

        :raises orch.clients.rest.CloudNotFound: there is no such container
        :raises TooLarge: an object or all of them are too large
        """
        # What is kept has the bytes of the name, in three digits of base
        # 16, before the name, and the moment behind it.
        prefix = f"{len(name.encode()):03x}{name}/"
        old = sorted(self._list(container, prefix))
        found: list[WrittenObject] = []
        size = 0
        for each in (*old, name):
            answer = self._get(container, each)
            if answer is None:
                continue
            moment = (
                each.removeprefix(prefix)
                if each in old
                else answer.headers.get("X-Timestamp", "")
            )
            size += len(answer.content)
            if size > _MAX_CONTAINER_BYTES:
                raise TooLarge(
                    f"more than {_MAX_CONTAINER_BYTES} bytes were written to"
                    " the"
                    f" object {container}/{name}, which no signals have"
                )
            found.append(WrittenObject(answer.content, _parse_time(moment)))
        return found

    def read(self, container: str, name: str) -> bytes | None:
        """Return what an object holds; ``None`` where there is none.

        :raises TooLarge: it holds too much
        """
        answer = self._get(container, name)
        return None if answer is None else answer.content

    def _get(self, container: str, name: str) -> requests.Response | None:
        path = f"{rest.path_segment(container)}/{rest.path_segment(name)}"
        head = self._find("HEAD", path)
        if head is None:
            return None
        if int(head.headers.get("Content-Length", "0")) > _MAX_OBJECT_BYTES:
            raise TooLarge(
                f"the object {container}/{name} has more than"
                f" {_MAX_OBJECT_BYTES}"
                " bytes, which no signal has"
            )
        return self._find("GET", path)

    def read_texts(
        self,
        container: str,
        without: collections.abc.Collection[str],
        max_bytes: int,
    ) -> dict[str, str]:
        """Return what all objects of a container hold, by their names.

        What is no text is in base64, as clients send it.

        :param without: names of those that are not wanted
        :param max_bytes: of all of them together; -1 for no limit
        :raises orch.clients.rest.CloudNotFound: there is no such container
        :raises TooLarge: they are too many, or hold too much
        """
        params = {"format": "json", "limit": str(_PAGE + 1)}
        answer = self._ask("GET", rest.path_segment(container), params=params)
        desired = {
            str(each["name"]): int(each.get("bytes") or 0)
            for each in answer.json()
            if each.get("content_type") != _DIRECTORY and "name" in each
        }
        if len(desired) > _PAGE:
            raise TooLarge(
                f"The container {container} has more than {_PAGE} objects."
            )
        left = _Allowance(container, max_bytes)
        left.take(
            sum(desired[name] for name in desired.keys() - set(without)),
            is_stored=False,
        )
        found = {}
        for name in sorted(desired.keys() - set(without)):
            content = self._read_within(container, name, left)
            if content is not None:
                found[name] = _text(content)
        return found

    def _read_within(
        self, container: str, name: str, left: "_Allowance"
    ) -> bytes | None:
        """Return what an object holds; ``None`` where it is gone."""
        path = f"/{rest.path_segment(container)}/{rest.path_segment(name)}"
        try:
            answer = rest.send_request(
                self._service, "GET", path, is_secret=True, is_streamed=True
            )
        except rest.CloudNotFound:
            return None
        content = bytearray()
        with answer:
            # What the container says is not what a manifest leads to.
            for piece in egress.iterate_body(answer):
                left.take(len(piece))
                content += piece
        return bytes(content)

    def write(self, container: str, name: str, content: bytes) -> None:
        """Put an object in place of what was there."""
        path = f"{rest.path_segment(container)}/{rest.path_segment(name)}"
        self._ask("PUT", path, data=content)

    def delete_object(self, container: str, name: str) -> None:
        """Remove an object, and its container with the last one.

        Already gone is success.
        """
        self._find(
            "DELETE",
            f"{rest.path_segment(container)}/{rest.path_segment(name)}",
        )
        # 409: it holds something else, and stays.
        with contextlib.suppress(errors.Busy):
            self._find("DELETE", rest.path_segment(container))

    def delete_container(self, name: str) -> None:
        """Remove a container with all that is in it; gone is success.

        :raises orch.errors.Busy: another client writes to it meanwhile
        """
        # Without that each object removed would bring an older one back.
        headers = {"X-Remove-Versions-Location": "x"}
        if (
            self._find("POST", rest.path_segment(name), headers=headers)
            is None
        ):
            return
        while listed := self._list(name, ""):
            for each in listed:
                self._find(
                    "DELETE",
                    f"{rest.path_segment(name)}/{rest.path_segment(each)}",
                )
        self._find("DELETE", rest.path_segment(name))

    def _list(self, container: str, prefix: str) -> list[str]:
        """Return names of objects, at most a page in a container's order."""
        found: list[str] = []
        while True:
            params = {"format": "json", "limit": str(_PAGE), "prefix": prefix}
            if found:
                params["marker"] = found[-1]
            answer = self._ask(
                "GET", rest.path_segment(container), params=params
            )
            page = [str(each["name"]) for each in answer.json()]
            found += page
            if len(page) < _PAGE or not prefix:
                return found

    def _find_key(self, container: str) -> str | None:
        answer = self._find("HEAD", rest.path_segment(container))
        return None if answer is None else answer.headers.get(_KEY)

    def _find(
        self,
        method: str,
        path: str,
        headers: collections.abc.Mapping[str, str] | None = None,
    ) -> requests.Response | None:
        """Send a request; return ``None`` where there is no such resource."""
        try:
            return self._ask(method, path, headers=headers)
        except rest.CloudNotFound:
            return None

    def _ask(
        self,
        method: str,
        path: str,
        *,
        headers: collections.abc.Mapping[str, str] | None = None,
        params: collections.abc.Mapping[str, str] | None = None,
        data: bytes | None = None,
    ) -> requests.Response:
        return rest.send_request(
            self._service,
            method,
            f"/{path}",
            headers=headers,
            params=params,
            data=data,
            is_secret=True,  # containers tell their keys
        )


def _parse_time(moment: str) -> clock.Timestamp:
    """Return a moment as the service writes it, ``1700000000.12345_00``."""
    try:
        return clock.Timestamp(float(moment.partition("_")[0]))
    except ValueError:
        return clock.Timestamp(math.inf)


class _Allowance:
    """The bytes that may still be read of a container."""

    def __init__(self, container: str, max_bytes: int) -> None:
        self._container = container
        self._max_bytes = max_bytes
        self._read_bytes = 0

    def take(self, size: int, *, is_stored: bool = True) -> None:
        """Count so many bytes.

        :param is_stored: they count from now on
        :raises TooLarge: they are too many
        """
        if 0 <= self._max_bytes < self._read_bytes + size:
            raise TooLarge(
                f"The objects of the container {self._container} hold more"
                f" than {self._max_bytes} bytes in all."
            )
        self._read_bytes += size if is_stored else 0


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(content).decode("ascii")
