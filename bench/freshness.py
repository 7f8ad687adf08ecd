"""How soon a change of a stack is found, from its commit to an answer.

All over REST. The tags of one stack change again and again; a change is
committed, at the earliest, when the last answer was asked for that did not
show it, and found when an answer of a search has come that does. So what is
told is rather more than it took.
"""

import contextlib
import pathlib
import statistics
import tempfile
import time

from bench import forms
from bench import lifecycle
from tests.functional.search import finding
from tests.support import rest
from tests.support import systems

CHANGES = 50
_SIZE = 20
_STACKS = 20
"""That are there beside the one which changes."""
_POLL_S = 0.005
_LIMIT_S = 30.0
_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {f"r{n}": {"type": "OS::Heat::None"} for n in range(_SIZE)},
}


def measure(form: str, target: pathlib.Path) -> None:
    """Keep a line with the median and the maximum of all changes."""
    with (
        tempfile.TemporaryDirectory() as directory,
        _running(form, pathlib.Path(directory)) as system,
    ):
        stacks = [
            system.client.create(f"s{number}", _TEMPLATE)
            for number in range(_STACKS + 1)
        ]
        for each in stacks:
            system.client.wait(each, "CREATE_COMPLETE", timeout_s=120)
            _wait_found(system.client, f"stack_id:{each.id}", _SIZE + 1)
        # The first one only warms up.
        taken = [
            _change(system.client, stacks[0], f"turn{number}")
            for number in range(CHANGES + 1)
        ][1:]
    lifecycle.save_result(
        target,
        {
            "op": "found after a commit",
            "changes": CHANGES,
            "median_ms": round(1000 * statistics.median(taken)),
            "max_ms": round(1000 * max(taken)),
        },
    )


def _running(
    form: str, directory: pathlib.Path
) -> contextlib.AbstractContextManager[systems.System]:
    return forms.running(
        form, directory, searchers=0 if form == "embedded" else 1
    )


def _change(client: rest.Client, stack: rest.Stack, tag: str) -> float:
    """Return seconds from the commit of a change until it is found."""
    committed_at = time.monotonic()
    client.ask("PATCH", stack.path, {"tags": tag})
    end = time.monotonic() + _LIMIT_S
    while True:
        requested_at = time.monotonic()
        if client.show(stack)["stack_status"] == "UPDATE_COMPLETE":
            break
        committed_at = requested_at
        if requested_at > end:
            raise TimeoutError(f"{stack.name} is not updated")
        time.sleep(_POLL_S)
    _wait_found(client, f"kind:stack tag:{tag} status:UPDATE_COMPLETE", 1)
    return time.monotonic() - committed_at


def _wait_found(client: rest.Client, q: str, count: int) -> None:
    end = time.monotonic() + _LIMIT_S
    while finding.search(client, q, limit=0)["total"] != count:
        if time.monotonic() > end:
            raise TimeoutError(f"{q} is not found")
        time.sleep(_POLL_S)
