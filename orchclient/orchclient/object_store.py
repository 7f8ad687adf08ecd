"""Objects of the cloud (Swift) that somebody writes without an account."""

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
        """Speak to the service beside ours; nothing is sent yet.

        :raises orchclient.errors.LoginError: the login leads to no catalog
        """
        self._sender = sender.beside(SERVICE_TYPE)

    def address_for_writing(
        self, container: str, name: str, *, lasts_s: float
    ) -> str:
        """Return where a ``PUT`` writes an object, without any account.

        A container that is not there is made; the object is empty at first.

        :param lasts_s: how long the address is good for
        :raises orchclient.errors.ApiError: the store refuses that
        :raises orchclient.errors.Error: it gives no answer, or is not there
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
        """Remove an object, and its container too; gone already is success.

        :raises orchclient.errors.ConflictError: there is more in the
            container, and it stays
        """
        place = f"/{transport.quote_part(container)}"
        paths = [f"{place}/{transport.quote_part(name)}"]
        if with_container:
            paths.append(place)
        for path in paths:
            with contextlib.suppress(errors.NotFoundError):
                self._sender.send("DELETE", path)

    def _key_of(self, place: str) -> str:
        """Return what addresses in a container are signed with."""
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
