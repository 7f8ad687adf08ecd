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


def of(server: calls.Body) -> str:
    """Return the state of a server, in upper case."""
    return str(server.get("status") or "").upper()


def task(server: calls.Body) -> str:
    """Return what the service is doing with a server; empty for nothing."""
    return str(server.get(_TASK) or "")


def judge(server: calls.Body) -> call_context.Pending | None:
    """Answer ``None`` where nothing is under way with a server.

    :raises InError: it has failed
    """
    state = of(server)
    if state == _ERROR and not task(server):
        raise in_error(server)
    if state in _PENDING or state == _ERROR or task(server):
        return call_context.Pending(note=f"{state} {task(server)}".strip())
    return call_context.DONE


def expect(server: calls.Body, wanted: str) -> call_context.Pending | None:
    """Answer ``None`` where a server is in the state that is wanted.

    :raises orch.errors.Permanent: it has failed, or rests in another state
    """
    pending = judge(server)
    if pending is None and of(server) != wanted:
        raise errors.Permanent(
            f"the server is {of(server)}, where {wanted} is expected"
        )
    return pending


def in_error(server: calls.Body) -> errors_.InError:
    """Return what is wrong with a server, in the words that Heat has."""
    fault = server.get("fault")
    told = fault if isinstance(fault, dict) else {}
    reason = (
        f"Message: {told.get('message', 'Unknown')}, Code:"
        f" {told.get('code', 'Unknown')}"
    )
    return errors_.InError.of(_ERROR, reason)
