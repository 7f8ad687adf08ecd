"""Creates, follows, retries and deletes a stack, straight by the workers.

Usage::

    python rpc_client.py rabbit://guest:guest@127.0.0.1/ retry.yaml

When the creation fails it says why, waits for a line on its standard input
(mend the cause before you send it), and goes on where the stack has stopped.
Needs nothing of Orch but ``orch.rpc``.
"""

import argparse
import pathlib
import sys
import time

from orch.rpc import connection
from orch.rpc import contract

PAUSE_S = 0.2
OVER = ("COMPLETE", "FAILED", "SUPERSEDED")


def main() -> int:
    """Run the example; 0 when the stack was complete in the end."""
    parser = argparse.ArgumentParser(description="A client of the workers.")
    parser.add_argument("url", help="of the broker, as the workers have it")
    parser.add_argument("template", type=pathlib.Path)
    parser.add_argument("--project", default="demo")
    parser.add_argument("--name", default="made-by-rpc")
    given = parser.parse_args()
    with connection.connect(given.url) as orch:
        return play(orch, given.project, given.name, given.template)


def play(
    orch: connection.Connection,
    project: str,
    name: str,
    template: pathlib.Path,
) -> int:
    """Take a stack through its life."""
    me = connection.ask_as(project, user_name="rpc-example")
    story = Story(orch, me)
    ended = story.tell(
        orch.stacks.create(me, name, {"template": template.read_text()}, {})
    )
    if ended["state"] == "FAILED":
        print("Mend that, then send a line.", flush=True)
        sys.stdin.readline()
        ended = story.tell(orch.stacks.retry(me, story.stack_id, {}))
    shown = orch.stacks.show(me, story.stack_id)
    for output in shown["outputs"]:
        print(f"output {output['key']}: {output.get('value')}", flush=True)
    deletion = orch.stacks.delete(me, story.stack_id)
    if deletion is not None:
        story.tell(deletion)
    return 0 if ended["state"] == "COMPLETE" else 1


class Story:
    """Prints what happens to a stack, each event once."""

    def __init__(
        self, orch: connection.Connection, me: connection.Context
    ) -> None:
        self._orch = orch
        self._me = me
        self._position: str | None = None
        self.stack_id = ""

    def tell(self, accepted: contract.Accepted) -> contract.OperationFacts:
        """Return an operation once it is over."""
        self.stack_id = accepted["identity"]["stack_id"]
        operation_id = accepted["operation_id"]
        # A hint: without it a worker finds the operation a little later.
        self._orch.operations.run(self._me, operation_id)
        while True:
            found = self._orch.operations.show(
                self._me, self.stack_id, operation_id
            )
            # After the question, so that no event of its end is left out.
            self._print_events()
            if found["state"] in OVER:
                break
            time.sleep(PAUSE_S)
        print(f"{found['action']} is {found['state']}", flush=True)
        for failure in found.get("failed_resources", []):
            where = "/".join(failure["path"])
            print(f"failed {where}: {failure['reason']}", flush=True)
        return found

    def _print_events(self) -> None:
        found = self._orch.events.follow(
            self._me, self.stack_id, after=self._position, nested_depth=5
        )
        for each in found["events"]:
            event = each["event"]
            self._position = each["position"]
            print(
                f"event {event['resource_name']}"
                f" {event['action']}_{event['status']}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
