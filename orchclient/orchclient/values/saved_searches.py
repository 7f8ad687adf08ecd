# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: saved searches."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search that was saved under a name.

    :ivar is_shared: all users of the project find it; else the user alone who
        has saved it
    :ivar search: the request, as a body of REST without its cursor
    :ivar saved_by: id of the user who has saved it last
    :ivar saved_at: when that was
    """

    name: str
    is_shared: bool = False
    description: str = ""
    search: response_parser.Json = dataclasses.field(default_factory=dict)
    saved_by: str = ""
    saved_at: datetime.datetime

    @classmethod
    def of(cls, body: response_parser.Json) -> "SavedSearch":
        """Return the value that a body describes."""
        return cls(
            name=response_parser.required_text(body, "name"),
            is_shared=response_parser.get_boolean(body, "is_shared"),
            description=response_parser.get_text(body, "description"),
            search=response_parser.find_map(body, "search"),
            saved_by=response_parser.get_text(body, "saved_by"),
            saved_at=response_parser.required_time(body, "saved_at"),
        )
