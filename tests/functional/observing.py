"""What tests of the observer share."""

import typing

from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

OPTIONS: typing.Final[Json] = {
    "enabled": True,
    "period": 0.5,
    "max_period": 0.5,
    "scan_interval": 0.1,
    "claim_ttl": 2.0,
    "calls_per_second": 1000.0,
    "call_burst": 1000,
    "repair_first_pause": 1.0,
    "repair_max_pause": 1.0,
}
"""Of group ``[observer]``: looks soon and often."""


def listed(label: str = "l") -> Json:
    """Return a thing that is listed with others."""
    return _declare_resource("Listed", label)


def single(label: str = "l") -> Json:
    """Return a thing that is read by itself."""
    return _declare_resource("Single", label)


def _declare_resource(kind: str, label: str) -> Json:
    return {
        "type": f"Test::World::{kind}",
        "properties": {"value": "v", "label": label},
    }


def read(client: rest.Client, stack: rest.Stack) -> Json:
    """Return what is known of the drift of a tree."""
    return typing.cast(Json, client.get(f"{stack.path}/drift", "drift"))


def drifted(client: rest.Client, stack: rest.Stack) -> list[str]:
    """Return the paths of the things that have drifted."""
    return sorted(
        thing["path"]
        for each in read(client, stack)["stacks"]
        for thing in each["resources"]
        if thing["state"] == "drifted"
    )


def set_policy(client: rest.Client, stack: rest.Stack, policy: Json) -> None:
    """Say what is to be done about drift."""
    client.ask("PUT", f"{stack.path}/drift/policy", {"policy": policy})


def wait_for_look(
    client: rest.Client, stack: rest.Stack, limit_s: float = waiting.END_S
) -> Json:
    """Return the drift as seen by a look that began after this call."""
    before = read(client, stack)["observed_at"], _mark(client, stack)

    def has_looked() -> bool:
        return (read(client, stack)["observed_at"], _mark(client, stack)) != (
            before
        )

    waiting.wait_for(has_looked, "a look", limit_s)
    return read(client, stack)


def _mark(client: rest.Client, stack: rest.Stack) -> object:
    """Return what is another one after each look, within a second too."""
    return read(client, stack)["due_at"]
