"""A Heat whose answers tests write, and what is read of it."""

import typing

import yaml
from heatclient import exc

from orch.search import document
from orch_search_heat import reader
from tests import base

Json = dict[str, typing.Any]

CANARY = "canary-heat-77d1"
HIDDEN_TAG = "secret-service"
ROOT = "11111111-1111-4111-8111-111111111111"


class Answer:
    """What python-heatclient makes of a map."""

    def __init__(self, told: Json) -> None:
        self._body = told

    def to_dict(self) -> Json:
        return self._body


class Heat:
    """An API with some stacks, asked as python-heatclient asks.

    :ivar hidden_stacks: ids of stacks that only lists with hidden ones have
    :ivar calls: what was asked for
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.hidden_stacks: set[str] = set()
        self._stacks: dict[str, Json] = {}
        self._templates: dict[str, object] = {}
        self._rows: dict[str, list[Json]] = {}
        self._events: dict[str, list[Json]] = {}
        self._registries: dict[str, Json] = {}
        # As the client has them: a manager for each noun.
        self.stacks = self.resources = self.events = self

    def put(
        self,
        stack_id: str,
        template: str | None,
        *rows: Json,
        events: list[Json] | None = None,
        registry: Json | None = None,
        **more: object,
    ) -> None:
        """Have a stack; ``None`` for a template that it does not show."""
        self._stacks[stack_id] = {
            "id": stack_id,
            "stack_name": f"stack-{stack_id[:4]}",
            "stack_status": "CREATE_COMPLETE",
            "stack_status_reason": "Stack CREATE completed successfully",
            "project": "p1",
            **more,
        }
        if template is not None:
            self._templates[stack_id] = yaml.safe_load(template)
        for each in rows:
            each["links"] = [
                {"rel": "stack", "href": f"http://h/v1/p1/stacks/s/{stack_id}"}
            ]
            inner = each.pop("inner", "")
            if inner:
                each["physical_resource_id"] = inner
                link = f"http://h/v1/p1/stacks/inner/{inner}"
                each["links"].append({"rel": "nested", "href": link})
        self._rows[stack_id] = list(rows)
        self._events[stack_id] = events or []
        self._registries[stack_id] = registry or {}

    def get(self, stack_id: str) -> Answer:
        self.calls.append(("get", stack_id))
        if stack_id not in self._stacks:
            raise exc.HTTPNotFound
        return Answer(self._stacks[stack_id])

    def template(self, stack_id: str) -> object:
        self.calls.append(("template", stack_id))
        if stack_id not in self._templates:
            raise exc.HTTPForbidden
        return self._templates[stack_id]

    def environment(self, stack_id: str) -> Json:
        self.calls.append(("environment", stack_id))
        return {"resource_registry": self._registries[stack_id]}

    def list(self, stack_id: str, **options: object) -> list[Answer]:
        if "resource_status" in options:
            return [Answer(each) for each in self._events[stack_id]]
        self.calls.append(("list", stack_id))
        rows = list(self._rows.get(stack_id, []))
        if options.get("nested_depth"):
            for row in rows:
                inner = row["physical_resource_id"]
                rows += self._rows.get(inner, [])
        return [Answer(each) for each in rows]

    def find(self, stack_id: str) -> Json | None:
        return self._stacks.get(stack_id)

    def is_listed(self, stack_id: str) -> bool:
        return stack_id not in self.hidden_stacks


def row(
    name: str, type_name: str = "OS::Nova::Server", **more: object
) -> Json:
    """Return a resource as the API shows it."""
    return {
        "resource_name": name,
        "resource_type": type_name,
        "resource_status": "CREATE_COMPLETE",
        "resource_status_reason": "state changed",
        "physical_resource_id": more.pop("id", f"id-of-{name}"),
        "attributes": {},
        **more,
    }


class TestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.heat = Heat()

    def read_tree(self, stack_id: str = ROOT) -> reader.Contents:
        reading = reader.Reading(
            self.heat,
            self.heat.find,
            self.heat.is_listed,
            frozenset({HIDDEN_TAG}),
        )
        found = reading.read(stack_id)
        assert found is not None
        return found

    def read(self, stack_id: str = ROOT) -> dict[str, document.Document]:
        """Return the documents by name; none of them has the secret."""
        told = self.read_tree(stack_id)
        self.assertNotIn(CANARY, repr(told))
        return {each.name: each for each in told.documents}
