"""A system whose acts fail to order, and whose failures are retried."""

import concurrent.futures
import typing

from tests.support import rest
from tests.support import serving
from tests.support import world_templates

Json = world_templates.Json

_ACTS = frozenset(
    {"create", "update", "delete", "suspend", "resume", "check", "snapshot"}
)


class RetryTestCase(serving.WorldTestCase):
    """A world in which acts fail to order; each test has one stack in it."""

    def fail(self, act: str, name: str, times: int = 1) -> None:
        """Let the next calls of an act fail for good."""
        self.world.order(
            self.name, act, name, how="permanent", moment="before", times=times
        )

    def create(self, wanted: Json | None = None, **body: object) -> rest.Stack:
        stack = self.client.create(
            self.name, wanted or world_templates.chain(), **body
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def create_failed(
        self, wanted: Json | None = None, **body: object
    ) -> rest.Stack:
        """Create a chain of which the middle one fails the first time."""
        self.fail("create", "b")
        stack = self.client.create(
            self.name, wanted or world_templates.chain(), **body
        )
        self.client.wait(stack, "CREATE_FAILED")
        return stack

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted, **body})

    def act(self, stack: rest.Stack, **body: object) -> None:
        answer = self.client.ask("POST", f"{stack.path}/actions", body)
        self.assertIsNone(answer)

    def retry(self, stack: rest.Stack, **options: object) -> None:
        self.act(stack, retry=options)

    def calls(self, after: int = 0) -> list[tuple[str, str]]:
        """Return act and name of each call, lookings left out."""
        return [
            (each.act, each.name)
            for each in self.world.calls(self.name, after)
            if each.act in _ACTS
        ]

    def last_call(self) -> int:
        return max(
            (each.number for each in self.world.calls(self.name)), default=0
        )

    def refusal(
        self, function: typing.Callable[..., object], *given: object
    ) -> tuple[int, str, str]:
        """Return status, error type and message of a request that fails."""
        error = self.assertRaises(rest.RefusedError, function, *given)
        return error.status, error.type, error.message

    def check_went_on(
        self, stack: rest.Stack, action: str, *expected: tuple[str, str]
    ) -> None:
        """Retry, and check that it went on and that nothing else ran."""
        failed = self.operations(stack)[0]
        self.assertEqual(
            (action, "FAILED"), (failed["action"], failed["state"])
        )
        before = self.last_call()

        self.retry(stack)
        shown = self.client.wait(stack, f"{action}_COMPLETE")

        self.assertEqual(list(expected), self.calls(before))
        self.assertEqual(
            f"Stack {action} completed successfully",
            shown["stack_status_reason"],
        )
        done = self.operations(stack)[0]
        self.assertEqual(
            (failed["id"], "COMPLETE", 2),
            (done["id"], done["state"], done["attempt"]),
        )


def race(endpoint: str, stack: rest.Stack, callers: int) -> list[int]:
    """Let several retry at once; return their statuses, sorted."""

    def ask(client: rest.Client) -> int:
        try:
            client.retry(stack)
        except rest.RefusedError as refused:
            return refused.status
        finally:
            client.close()
        return 200

    clients = [rest.Client(endpoint) for _ in range(callers)]
    with concurrent.futures.ThreadPoolExecutor(callers) as pool:
        return sorted(pool.map(ask, clients))
