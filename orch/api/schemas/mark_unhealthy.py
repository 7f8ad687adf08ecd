"""The body that says of a resource that it is not well."""

import dataclasses

from orch import errors
from orch.api import query
from orch.api.schemas import stacks

_MARK = "mark_unhealthy"
_REASON = "resource_status_reason"


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """What is said of a resource.

    :ivar is_unhealthy: False takes it back
    :ivar reason: why; ``None`` when nobody says so
    """

    is_unhealthy: bool
    reason: str | None


def mark_of(body: stacks.Body) -> Mark:
    """Return what the body says.

    :raises orch.errors.Invalid: it does not say it, or more than that
    """
    unknown = sorted(str(key)[:80] for key in set(body) - {_MARK, _REASON})
    if unknown:
        raise errors.Invalid(
            f"Unknown keys: {', '.join(unknown)}; send {_MARK} and, if you"
            f" like, {_REASON}."
        )
    if _MARK not in body:
        raise errors.Invalid(f"Send {_MARK}, true or false.")
    reason = body.get(_REASON)
    if reason is not None and not isinstance(reason, str):
        raise errors.Invalid(f"{_REASON} must be a text.")
    return Mark(query.parse_boolean(_MARK, body[_MARK]), reason)
