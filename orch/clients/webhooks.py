"""Sign requests to webhooks, and check their addresses.

Signatures are those of https://www.standardwebhooks.com, so that there are
libraries to check them.
"""

import base64
import binascii
import collections.abc
import hashlib
import hmac
import types
import typing
import urllib.parse

from orch import errors

PREFIX: typing.Final = "whsec_"
"""What a secret begins with that is base64 after it."""
MIN_KEY_BYTES: typing.Final = 16
"""Bytes of a secret, at least."""

_SCHEMES: typing.Final = ("http", "https")
_MAX_URL_LENGTH: typing.Final = 4096
_MAX_HOST_LENGTH: typing.Final = 253
_WORDS: typing.Final = types.MappingProxyType(
    {
        "ConnectTimeoutError": "no connection in time",
        "ConnectTimeout": "no connection in time",
        "NameResolutionError": "its name is not known",
        "NewConnectionError": "the connection is refused there",
        "ProtocolError": "the connection broke",
        "ReadTimeout": "nothing came in time",
        "ReadTimeoutError": "nothing came in time",
        "SSLError": "the connection cannot be trusted",
    }
)
"""What errors of connections mean, by their names."""


def signature_headers(
    keys: collections.abc.Iterable[bytes],
    message_id: str,
    moment: float,
    body: bytes,
) -> dict[str, str]:
    """Return the headers by which a receiver knows who sends.

    :param keys: the newest first; without any there is no signature
    :param message_id: the same whenever the message is sent again
    :param moment: when it is sent, seconds since 1970
    """
    second = str(int(moment))
    content = b".".join([message_id.encode(), second.encode(), body])
    found = {"webhook-id": message_id, "webhook-timestamp": second}
    signatures = " ".join(f"v1,{_signature(key, content)}" for key in keys)
    if signatures:
        found["webhook-signature"] = signatures
    return found


def parse_keys(text: str, place: str) -> list[bytes]:
    """Return the secrets in a text, one a line; the first is the newest.

    :param place: where it stands, for people
    :raises orch.errors.Invalid: there is none, or one is too short
    """
    keys = [
        parse_key(line.strip(), f"the secret in {place}")
        for line in text.splitlines()
        if line.strip()
    ]
    if not keys:
        raise errors.Invalid(f"there is no secret in {place}")
    return keys


def parse_key(text: str, named: str) -> bytes:
    """Return the bytes that a secret stands for.

    :param named: what people call it
    :raises orch.errors.Invalid: it is too short, or no base64
    """
    key = text.encode("utf-8", "surrogatepass")
    if text.startswith(PREFIX):
        try:
            key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
        except (binascii.Error, ValueError) as error:
            raise errors.Invalid(
                f"{named} begins with {PREFIX} and is no base64 after that"
            ) from error
    if len(key) < MIN_KEY_BYTES:
        raise errors.Invalid(f"{named} is shorter than {MIN_KEY_BYTES} bytes")
    return key


def find_fault(url: str) -> str | None:
    """Return why nothing can be sent to an address; ``None``: it can."""
    if len(url) > _MAX_URL_LENGTH:
        return f"it is longer than {_MAX_URL_LENGTH} characters"
    try:
        parts = urllib.parse.urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is no URL"
    if parts.scheme not in _SCHEMES or not host:
        return "it must be a URL that begins with https:// or http://"
    if len(host) > _MAX_HOST_LENGTH:
        return f"its host is longer than {_MAX_HOST_LENGTH} characters"
    if "@" in parts.netloc:
        return (
            "it may have no user name: every reader of the stack would see it"
        )
    if any(each.isspace() for each in url) or not url.isprintable():
        return "it holds a character that no URL has"
    return None


def describe_error(error: Exception) -> str:
    """Return an error without addresses that may hold secrets."""
    reason = getattr(error.args[0], "reason", None) if error.args else None
    kind = type(reason or error).__name__
    words = _WORDS.get(kind)
    return f"{words} ({kind})" if words else kind


def _signature(key: bytes, content: bytes) -> str:
    return base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
