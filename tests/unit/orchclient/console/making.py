"""Values that tests of the console look at."""

import datetime
import typing

from orchclient import operations
from orchclient import rulings
from orchclient import values

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
ROOT = values.StackIdentity("web", "1", "demo")


def resource(
    name: str,
    status: str = "CREATE_COMPLETE",
    stack: values.StackIdentity = ROOT,
    nested: values.StackIdentity | None = None,
    **more: typing.Any,
) -> values.Resource:
    return values.Resource(
        name=name,
        type="Test::Thing",
        status=values.Status.of(status),
        stack=stack,
        nested=nested,
        **more,
    )


def hold(**more: typing.Any) -> rulings.Hold:
    """Return a hold that nobody has answered."""
    return rulings.Hold(
        **{
            "plugin": "freeze",
            "text": "it is\nFriday",
            "asked_at": NOW,
            "deadline_at": NOW + datetime.timedelta(hours=1),
            **more,
        }
    )


def inner_hold(*path: str) -> operations.OpenHold:
    """Return a hold of a stack in the stack."""
    path = path or ("g", "0")
    name = "-".join(("web", *path))
    return operations.OpenHold(
        path=path, stack=values.StackIdentity(name, "id-2"), hold=hold()
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
