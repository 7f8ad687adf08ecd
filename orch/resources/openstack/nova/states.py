"""What the state of a server means."""

import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import errors as errors_
from orch.resources.openstack.nova import calls

ACTIVE: typing.Final = "ACTIVE"
RESIZED: typing.Final = "VERIFY_RESIZE"
SUSPENDED: typing.Final = "SUSPENDED"
_ERROR: typing.Final = "ERROR"
_PENDING: typing.Final = frozenset(
    {
        "BUILD",
        "HARD_REBOOT",
        "MIGRATING",
        "PASSWORD",
        "REBOOT",
        "REBUILD",
        "RESIZE",
        "REVERT_RESIZE",
        "UNKNOWN",
    }
)
GONE: typing.Final = frozenset({"DELETED", "SOFT_DELETED"})
_TASK: typing.Final = "OS-EXT-STS:task_state"


def server_state(server: calls.Body) -> str:
    """Return the state of a server, in upper case."""
    return str(server.get("status") or "").upper()


def server_task(server: calls.Body) -> str:
    """Return what the service is doing with a server; empty for nothing."""
    return str(server.get(_TASK) or "")


def check_idle(server: calls.Body) -> call_context.Pending | None:
    """Answer ``None`` where nothing is under way with a server.

    :raises InError: it has failed
    """
    state = server_state(server)
    if state == _ERROR and not server_task(server):
        raise error_of(server)
    if state in _PENDING or state == _ERROR or server_task(server):
        return call_context.Pending(
            note=f"{state} {server_task(server)}".strip()
        )
    return call_context.DONE


def check_state(
    server: calls.Body, desired: str
) -> call_context.Pending | None:
    """Answer ``None`` where a server is in the state that is wanted.

    :raises orch.errors.Permanent: it has failed, or rests in another state
    """
    pending = check_idle(server)
    if pending is None and server_state(server) != desired:
        raise errors.Permanent(
            f"the server is {server_state(server)}, where {desired} is"
            " expected"
        )
    return pending


def error_of(server: calls.Body) -> errors_.InError:
    """Return what is wrong with a server, in the words that Heat has."""
    fault = server.get("fault")
    message = fault if isinstance(fault, dict) else {}
    reason = (
        f"Message: {message.get('message', 'Unknown')}, Code:"
        f" {message.get('code', 'Unknown')}"
    )
    return errors_.InError.of(_ERROR, reason)
