"""What tests of unknown outcomes share: a service that drops its answers."""

import itertools
import typing

from tests.functional.test_lost_answers import ItemService
from tests.support import rest
from tests.support import serving

Json = dict[str, typing.Any]

_SERVICES = itertools.count()

FIND: typing.Final[Json] = {"path": "/things?tag={token}"}
CHILD: typing.Final = "child.yaml"


class DroppingService(ItemService):
    """A service that makes things, and may not say so.

    :ivar drops: so many creations get no answer
    :ivar makes: those make their thing all the same
    """

    def __init__(self) -> None:
        super().__init__()
        self.drops = 0
        self.makes = True
        self._prefix = f"t{next(_SERVICES)}-"
        self._made = 0
        self.keys: dict[str, tuple[int, object]] = {}

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        if method != "POST":
            return super().find_answer(method, path, body)
        key = self.requests[-1].headers["idempotency-key"]
        is_lost = self.drops > 0
        self.drops -= is_lost
        if is_lost and not self.makes:
            return 0, None
        if key not in self.keys:
            self._made += 1
            self.items[self.id_of(self._made)] = body
            self.keys[key] = 201, {"id": self.id_of(self._made)}
        return (0, None) if is_lost else self.keys[key]

    def id_of(self, number: int) -> str:
        """Return the id of a thing, by how many were made until then."""
        return f"{self._prefix}{number}"

    def forget(self) -> None:
        """Have nothing, and know of no key."""
        self.items.clear()
        self.keys.clear()

    def calls(self, *methods: str) -> list[str]:
        """Return methods and paths of the requests that change something."""
        wanted = methods or ("POST", "PUT", "DELETE")
        return [
            f"{each.method} {each.path}"
            for each in self.requests
            if each.method in wanted
        ]


class UnknownTestCase(serving.ServerTestCase):
    """A stack with one resource of the service, and another beside it."""

    options: typing.ClassVar = {
        **serving.options(retry_first_pause=0.05),
        "http_resource": {"connect_timeout": 0.5, "read_timeout": 0.5},
    }

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(DroppingService())
        self.name = self.service.id_of(0)
        self.first, self.second = map(self.service.id_of, (1, 2))

    def item(self, **properties: object) -> Json:
        """Return the declaration of a resource that no one can look for."""
        return {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": self.service.url,
                "create": {"path": "/things", "body": {"tag": "{token}"}},
                "read": {},
                **properties,
            },
        }

    def template(self, **resources: Json) -> Json:
        return {"heat_template_version": "2021-04-16", "resources": resources}

    def lose(
        self, *, is_made: bool = True, **properties: object
    ) -> rest.Stack:
        """Return a stack, the answer to whose creation was lost."""
        self.service.drops, self.service.makes = 1, is_made
        stack = self.client.create(
            self.name, self.template(b=self.item(**properties))
        )
        self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("orch resource outcome", self.reason(stack))
        return stack

    def row(self, stack: rest.Stack, name: str = "b") -> Json:
        return self.client.resources(stack)[name]

    def reason(self, stack: rest.Stack, name: str = "b") -> str:
        return str(self.row(stack, name)["resource_status_reason"])

    def answer(
        self, stack: rest.Stack, name: str = "b", **body: object
    ) -> Json:
        path = f"{stack.path}/resources/{name}/outcome"
        return self.client.post(path, "resource", **body)

    def refused(
        self, stack: rest.Stack, name: str = "b", **body: object
    ) -> tuple[int, str]:
        """Return the status of an answer that is refused, and why."""
        error = self.assertRaises(
            rest.RefusedError, self.answer, stack, name, **body
        )
        return error.status, error.message

    def retry(self, stack: rest.Stack, status: str) -> None:
        self.client.retry(stack)
        self.client.wait(stack, status)

    def update(
        self,
        stack: rest.Stack,
        template: Json,
        status: str = "UPDATE_COMPLETE",
        method: str = "PUT",
    ) -> None:
        self.client.ask(method, stack.path, {"template": template})
        self.client.wait(stack, status)

    def delete(
        self, stack: rest.Stack, status: str = "DELETE_COMPLETE"
    ) -> None:
        self.client.delete(stack)
        self.client.wait(stack, status)

    def plan(self, stack: rest.Stack, template: Json) -> dict[str, str]:
        """Return the reasons of what an update would do, by kind."""
        plan = self.client.post(
            f"{stack.path}/plans", "plan", action="update", template=template
        )
        return {each["kind"]: each["reason"] for each in plan["changes"]}

    def hint(self, stack: rest.Stack) -> str:
        (found,) = self.client.show(stack)["failed_resources"]
        return str(found["hint"])
