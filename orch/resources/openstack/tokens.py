"""The place of a resource's token in an object of OpenStack.

In a text that people read too (``description``), behind what is given there,
or as the name, which is then the physical name: it ends with what makes it
this resource's.
"""

import collections.abc
import re
import typing

from orch.plugin import call_context

_NAME: typing.Final = "name"
_MAX_LENGTH: typing.Final = 255
_MARK: typing.Final = re.compile(r" ?\[orch [0-9A-Za-z-]*\]\Z")


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
    """
    if key == _NAME:
        return {**body, key: body.get(key) or context.physical_name}
    given = str(body.get(key) or "")
    marked = f"{given} {token_text(context)}".strip()
    return {**body, key: marked if len(marked) <= max_length else given}


def without_token(value: object) -> object:
    """Return a text without any token; other values as they are."""
    return _MARK.sub("", value) if isinstance(value, str) else value


def has_token_text(
    value: str, key: str, context: call_context.Context
) -> bool:
    """Whether what stands under a key tells whose the resource is."""
    if key == _NAME:
        return value == context.physical_name
    return value.endswith(token_text(context))
