"""Searches that users save under a name."""

import typing

from orch.rpc.contract import rest

NAME_PATTERN: typing.Final = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"
MAX_DESCRIPTION_LENGTH: typing.Final = 255
MAX_SEARCHES: typing.Final = 100
"""Searches that a user may save in a project, and that a project shares."""
MAX_SEARCH_BYTES: typing.Final = 16_384
"""Bytes of the request of a saved search, as JSON."""


class SavedSearchInput(typing.TypedDict):
    """A search to be saved.

    ``search``: the body of the request, as REST has it.
    """

    name: str
    is_shared: bool
    description: str
    search: dict[str, object]


class SavedSearchFacts(typing.TypedDict):
    """A search that was saved under a name.

    :ivar is_shared: all users of the project find it; else the user alone
        who has saved it
    :ivar search: the request, as a body of REST without its cursor
    :ivar saved_by: id of the user who has saved it last
    :ivar saved_at: when that was
    """

    name: str
    is_shared: bool
    description: str
    search: dict[str, object]
    saved_by: str
    saved_at: rest.Time
