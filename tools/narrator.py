"""Tells what the engine says: events as they come, and facts after them.

Lines that start with ``$`` say what the demo does; every other line is an
answer of the REST API.
"""

import collections.abc
import textwrap
import time

from tests.support import rest

Rows = collections.abc.Mapping[str, rest.Json]

_POLL_S = 0.2
_ENDS = ("COMPLETE", "FAILED")


def act(what: str) -> None:
    """Print what the demo does now."""
    print(f"\n$ {what}", flush=True)


def say(*words: object) -> None:
    """Print facts that were read."""
    text = " ".join(str(word) for word in words)
    print(textwrap.indent(text, "    "), flush=True)


class Follower:
    """Prints the events of one stack as they appear.

    It keeps its place, so that it goes on where it was after the server was
    away.
    """

    def __init__(self, client: rest.Client, stack: rest.Stack) -> None:
        self._client = client
        self._stack = stack
        self._last: str | None = None

    def read(self) -> str | None:
        """Print what is new; return the stack's status once it ended."""
        ended = None
        for event in self._client.events(self._stack, self._last):
            self._last = str(event["id"])
            status = str(event["resource_status"])
            say(
                str(event["event_time"])[11:19],
                f"{event['resource_name']:<14}",
                f"{status:<20}",
                _shorten(event["resource_status_reason"]),
            )
            is_stack = event["physical_resource_id"] == self._stack.id
            if is_stack and status.endswith(_ENDS):
                ended = status
        return ended

    def follow(self, *, timeout_s: float = 40) -> str:
        """Print events until the stack's action ends; return its status.

        :raises TimeoutError: it did not end in time
        """
        limit = time.monotonic() + timeout_s
        while time.monotonic() < limit:
            ended = self.read()
            if ended:
                return ended
            time.sleep(_POLL_S)
        raise TimeoutError(f"{self._stack.name} did not end")


def _shorten(reason: object) -> str:
    text = " ".join(str(reason or "").split())
    return text if len(text) <= 72 else text[:69] + "..."


def say_resources(rows: Rows) -> None:
    """Print each resource with its physical id and its time of creation."""
    for name, row in sorted(rows.items()):
        say(
            f"{name:<14}",
            f"{row['resource_status']:<20}",
            row["creation_time"],
            str(row["physical_resource_id"])[:40],
        )


def say_hits(hits: collections.abc.Iterable[rest.Json]) -> None:
    """Print what a search has found, by the paths of resources."""
    for each in sorted(hits, key=lambda hit: str(hit["path"])):
        say(
            f"{each['path']!s:<22}",
            f"{each['type']!s:<24}",
            f"{each['action']}_{each['status']}",
            str(each["physical_id"])[:40],
        )


def say_unchanged(before: Rows, after: Rows) -> None:
    """Print how many resources are the same as before, and which.

    :raises SystemExit: one that was complete is another one now
    """
    kept = [
        name
        for name, row in before.items()
        if row["resource_status"] == "CREATE_COMPLETE"
    ]
    for name in kept:
        for key in ("physical_resource_id", "creation_time"):
            if before[name][key] != after[name][key]:
                raise SystemExit(f"the demo failed: {name} was made again")
    say(
        f"{len(kept)} of {len(after)} kept their physical id and creation"
        f" time: {', '.join(sorted(kept))}"
    )


def say_drift(report: rest.Json) -> None:
    """Print what was seen of a stack, property by property."""
    say(f"{report['state']}, coverage {report['coverage']} %")
    for stack in _maps(report["stacks"]):
        for each_resource in _maps(stack["resources"]):
            if each_resource["state"] == "nothing":
                continue
            say(f"{each_resource['path']!s:<14}", each_resource["state"])
            for each in _maps(each_resource["differences"]):
                say("  -", f"{each['property']}: {_line(each['expected'])}")
                say("  +", f"{each['property']}: {_line(each['live'])}")


def _maps(rows: object) -> list[rest.Json]:
    assert isinstance(rows, list)
    return rows


def _line(value: object) -> str:
    return _shorten(value) if isinstance(value, str) else repr(value)
