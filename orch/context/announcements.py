"""Announcements: the new addresses of a stack that has moved.

The installation that adopts a stack writes them, and the one that has
abandoned it reads them. The document of the stack has a key, so only the
installation that adopted it can announce anything of that stack. See
``doc/adr/0010-old-addresses-are-passed-on.md``.
"""

import base64
import collections.abc
import hashlib
import hmac
import json
import typing

VERSION: typing.Final = 1
"""Of the form of announcements."""

SEAL: typing.Final = "seal"

_PURPOSE = b"orch announcement 1 "

Document = collections.abc.Mapping[str, object]


def announcement_key(seal_key: str, stack_id: str) -> str:
    """Return the key of one stack: 43 characters, the same each time.

    :param seal_key: a secret of the installation
    """
    text = _PURPOSE + stack_id.encode()
    return _text(hmac.digest(seal_key.encode(), text, hashlib.sha256))


def seal_announcement(key: str, document: Document) -> dict[str, object]:
    """Return the document with a seal over all that is in it."""
    return {**document, SEAL: _seal(key, document)}


def is_genuine(
    seal_keys: collections.abc.Iterable[str],
    stack_id: str,
    document: Document,
) -> bool:
    """Whether the sealer of a document had the key of the stack.

    :param seal_keys: secrets of this installation, of now and of before
    """
    given = document.get(SEAL)
    offered = given.encode() if isinstance(given, str) else b""
    bare = {name: value for name, value in document.items() if name != SEAL}
    found = False
    for each in seal_keys:
        expected_seal = _seal(announcement_key(each, stack_id), bare).encode()
        found |= hmac.compare_digest(expected_seal, offered)
    return found


def _seal(key: str, document: Document) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return _text(hmac.digest(key.encode(), text.encode(), hashlib.sha256))


def _text(found: bytes) -> str:
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()
