"""Objects of Swift that can be written without an account."""

import contextlib
import hashlib
import hmac
import secrets
import time
import typing
import urllib.parse

from orchclient import errors
from orchclient import transport

SERVICE_TYPE: typing.Final = "object-store"
_KEY: typing.Final = "X-Container-Meta-Temp-URL-Key"


class ObjectStore:
    """The containers of the project that the client has logged in to."""

    def __init__(self, sender: transport.Transport) -> None:
        """Use the service of the same cloud; nothing is sent yet.

        :raises orchclient.errors.LoginError: the login leads to no catalog
        """
        self._sender = sender.beside(SERVICE_TYPE)

    def address_for_writing(
        self, container: str, name: str, *, lasts_s: float
    ) -> str:
        """Return a signed address whose ``PUT`` writes an object.

        A container that does not exist is created; the object is empty at
        first.

        :param lasts_s: how long the address is valid
        :raises orchclient.errors.ApiError: the store refuses that
        :raises orchclient.errors.Error: it gives no answer, or does not exist
        """
        place = f"/{transport.quote_part(container)}"
        key = self._key_of(place)
        path = f"{place}/{transport.quote_part(name)}"
        self._sender.send("PUT", path, headers={"Content-Length": "0"})
        url = self._sender.endpoint() + path
        expires = int(time.time() + lasts_s)
        # What is signed is the path as it is after its parts are unquoted.
        signed = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        text = f"PUT\n{expires}\n{signed}".encode()
        signature = hmac.new(key.encode(), text, hashlib.sha256).hexdigest()
        return f"{url}?temp_url_sig={signature}&temp_url_expires={expires}"

    def remove(
        self, container: str, name: str, *, with_container: bool
    ) -> None:
        """Remove an object and its container, if they still exist.

        :raises orchclient.errors.ConflictError: the container is not empty,
            and remains
        """
        place = f"/{transport.quote_part(container)}"
        paths = [f"{place}/{transport.quote_part(name)}"]
        if with_container:
            paths.append(place)
        for path in paths:
            with contextlib.suppress(errors.NotFoundError):
                self._sender.send("DELETE", path)

    def _key_of(self, place: str) -> str:
        """Return the key that signs addresses in a container."""
        try:
            found: str | None = self._sender.send("HEAD", place).headers.get(
                _KEY
            )
        except errors.NotFoundError:
            found = None
        if found is None:
            found = secrets.token_hex(32)
            # One that is there keeps all that is in it.
            self._sender.send("PUT", place, headers={_KEY: found})
        return found
