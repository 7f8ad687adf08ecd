"""Values that tests of the console look at."""

import datetime
import typing

from orchclient import lifecycle
from orchclient import models
from orchclient import operations

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
ROOT = models.StackIdentity("web", "1", "demo")


def resource(
    name: str,
    status: str = "CREATE_COMPLETE",
    stack: models.StackIdentity = ROOT,
    nested: models.StackIdentity | None = None,
    **more: typing.Any,
) -> models.Resource:
    return models.Resource(
        name=name,
        type="Test::Thing",
        status=models.Status.of(status),
        stack=stack,
        nested=nested,
        **more,
    )


def hold(**more: typing.Any) -> lifecycle.Hold:
    """Return a hold that nobody has answered."""
    return lifecycle.Hold(
        **{
            "plugin": "freeze",
            "text": "it is\nFriday",
            "requested_at": NOW,
            "deadline_at": NOW + datetime.timedelta(hours=1),
            **more,
        }
    )


def child_hold(*path: str) -> operations.OpenHold:
    """Return a hold of a stack in the stack."""
    path = path or ("g", "0")
    name = "-".join(("web", *path))
    return operations.OpenHold(
        path=path, stack=models.StackIdentity(name, "id-2"), hold=hold()
    )


def operation(
    state: str = "RUNNING", **more: typing.Any
) -> operations.Operation:
    return operations.Operation(
        **{
            "id": "op-1",
            "stack": ROOT,
            "action": "CREATE",
            "state": state,
            "created_at": NOW,
            **more,
        }
    )
