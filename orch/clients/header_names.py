"""Names of headers that users may set in requests of ours.

Headers that frame a message, or that belong to one connection, decide where a
request ends and which server takes it; the library that sends it sets them.
"""

import collections.abc
import re
import typing

from orch import errors

_TOKEN: typing.Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OF_CONNECTION: typing.Final = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1, and what frames."""


def check_names(names: collections.abc.Iterable[str], path: str) -> None:
    """Raise Invalid if users may not set one of these headers.

    :param path: where they are, for the message
    :raises orch.errors.Invalid: names the first of them
    """
    for name in names:
        reason = None
        if name.lower() in _OF_CONNECTION:
            reason = "it belongs to the connection, and cannot be set"
        elif not _TOKEN.fullmatch(name):
            reason = "it is no name of a header"
        if reason is not None:
            raise errors.property_error(
                path, f"may not have {name[:100]!r}: {reason}"
            )
