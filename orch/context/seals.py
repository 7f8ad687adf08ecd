"""Seals, which prove that an address for signals is genuine.

The holder of the address may send signals to one resource, and nothing else;
so it can be given to a server, which then needs no account. A seal does not
prove that the resource still exists.
"""

import base64
import collections.abc
import hashlib
import hmac
import json
import typing

SIGNAL: typing.Final = "signal"
WAIT_CONDITION: typing.Final = "waitcondition"

SIGNAL_ID: typing.Final = "X-Orch-Signal-Id"
"""Header that identifies a signal: a repeated one changes nothing."""
HOPS: typing.Final = "X-Orch-Signal-Hops"
"""Header with the number of times a signal was forwarded."""

SHORTEST_KEY: typing.Final = 32
"""Characters that a key has at least."""

_FORM = "orch-seal-1"


class Sealed(typing.NamedTuple):
    """The contents of an address; all of it is sealed.

    :ivar kind: :data:`SIGNAL` or :data:`WAIT_CONDITION`
    :ivar resource_id: of the one incarnation that the address is for
    :ivar expires_at: seconds since 1970 UTC; 0 for never
    """

    kind: str
    project_id: str
    stack_name: str
    stack_id: str
    resource_name: str
    resource_id: str
    expires_at: int


def seal_address(key: str, what: Sealed) -> str:
    """Return the seal: 43 characters that fit into an address."""
    text = json.dumps([_FORM, *what], separators=(",", ":"))
    digest = hmac.digest(key.encode(), text.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_genuine(
    keys: collections.abc.Iterable[str], what: Sealed, given: str
) -> bool:
    """Whether the seal was made with one of the keys.

    Each comparison takes the same time, whatever was given.
    """
    offered = given.encode()
    found = False
    for key in keys:
        found |= hmac.compare_digest(seal_address(key, what).encode(), offered)
    return found
