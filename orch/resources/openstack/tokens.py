"""The place of a resource's token in an object of OpenStack.

In a text that people read too (``description``), behind what is given there;
in a map (``extra.orch:token``), beside what is given there; or as the name,
which is then the physical name: it ends with what makes it this resource's.
"""

import collections.abc
import re
import typing

from orch.plugin import call_context
from orch.resources.openstack import wire

MARK: typing.Final = "orch:token"
"""The key of a map that holds the token."""
_NAME: typing.Final = "name"
_MAX_LENGTH: typing.Final = 255
_IN_TEXT: typing.Final = re.compile(r" ?\[orch [0-9A-Za-z-]*\]\Z")


def token_text(context: call_context.Context) -> str:
    """Return the token as it stands in a text."""
    return f"[orch {context.token}]"


def with_token(
    body: collections.abc.Mapping[str, object],
    key: str,
    context: call_context.Context,
    max_length: int = _MAX_LENGTH,
) -> dict[str, object]:
    """Return a request with the token under a key.

    A text that would be longer with it stays as it is.

    :param key: of the name, of a text, or of a map and of the token in it
    """
    if key == _NAME:
        return {**body, key: body.get(key) or context.physical_name}
    above, _, below = key.partition(".")
    if below:
        held = wire.to_mapping(body.get(above))
        return {**body, above: {**held, below: context.token}}
    given = str(body.get(key) or "")
    marked = f"{given} {token_text(context)}".strip()
    return {**body, key: marked if len(marked) <= max_length else given}


def without_token(body: wire.Body, key: str) -> wire.Body:
    """Return what an answer shows without any token under a key."""
    above, _, below = key.partition(".")
    held = body.get(above)
    if below and isinstance(held, collections.abc.Mapping):
        return {**body, above: {k: held[k] for k in held if k != below}}
    if isinstance(held, str):
        return {**body, above: _IN_TEXT.sub("", held)}
    return body


def has_token(
    body: wire.Body, key: str, context: call_context.Context
) -> bool:
    """Whether what is under a key is the token of the resource."""
    found = wire.find_value(body, key)
    if "." in key:
        return found == context.token
    if key == _NAME:
        return found == context.physical_name
    return str(found).endswith(token_text(context))
