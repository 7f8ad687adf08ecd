"""The body that says of a resource that it is not well."""

import dataclasses
import typing

from orch import errors
from orch.api import query
from orch.api.schemas import stacks

MARK: typing.Final = "mark_unhealthy"
REASON: typing.Final = "resource_status_reason"


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """What is said of a resource.

    :ivar is_unhealthy: False takes it back
    :ivar reason: why; ``None`` when none is given
    """

    is_unhealthy: bool
    reason: str | None


def mark_of(body: stacks.Body) -> Mark:
    """Return what the body says.

    :raises orch.errors.Invalid: it does not say it, or more than that
    """
    unknown = sorted(str(key)[:80] for key in set(body) - {MARK, REASON})
    if unknown:
        raise errors.Invalid(
            f"Unknown keys: {', '.join(unknown)}; send {MARK} and, if you"
            f" like, {REASON}."
        )
    if MARK not in body:
        raise errors.Invalid(f"Send {MARK}, true or false.")
    reason = body.get(REASON)
    if reason is not None and not isinstance(reason, str):
        raise errors.Invalid(f"{REASON} must be a text.")
    return Mark(query.parse_boolean(MARK, body[MARK]), reason)
