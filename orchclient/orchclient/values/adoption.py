# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: adoption."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OldAddress:
    """A signal address of an abandoned stack.

    :ivar kind: ``signal``, ``waitcondition`` or ``metadata``
    :ivar new_address: ``None`` until it was announced
    :ivar signals_waiting: received signals that are not yet forwarded
    :ivar last_used_at: when the old address was last used
    :ivar last_notified_at: when a user of it was last told the new one
    :ivar has_moved: the last user of it knows the new one
    :ivar resource: names from the stack down, ``/`` between
    :ivar problem: why the last signal was not forwarded, or was refused
    """

    resource_type: str = ""
    kind: str = ""
    old_address: str = ""
    new_address: str | None = None
    signals_waiting: int = 0
    last_used_at: datetime.datetime | None = None
    last_notified_at: datetime.datetime | None = None
    has_moved: bool = False
    resource: str
    problem: str | None

    @classmethod
    def of(cls, body: response_parser.Json) -> "OldAddress":
        """Return the value that a body describes."""
        return cls(
            resource_type=response_parser.get_text(body, "resource_type"),
            kind=response_parser.get_text(body, "kind"),
            old_address=response_parser.get_text(body, "old_address"),
            new_address=response_parser.find_text(body, "new_address"),
            signals_waiting=response_parser.get_integer(
                body, "signals_waiting"
            ),
            last_used_at=response_parser.find_time(body, "last_used_time"),
            last_notified_at=response_parser.find_time(
                body, "last_notified_at"
            ),
            has_moved=response_parser.get_boolean(body, "moved"),
            resource=response_parser.get_text(body, "resource"),
            problem=response_parser.find_text(body, "problem"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OmittedResource:
    """A listed physical resource that the generated template leaves out.

    :ivar reason: why, for people
    """

    type: str = ""
    resource_id: str = ""
    reason: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "OmittedResource":
        """Return the value that a body describes."""
        return cls(
            type=response_parser.get_text(body, "type"),
            resource_id=response_parser.get_text(body, "resource_id"),
            reason=response_parser.get_text(body, "reason"),
        )
