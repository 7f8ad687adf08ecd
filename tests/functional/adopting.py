"""What tests of adoption and abandonment share: two installations."""

import itertools
import time
import typing

import fixtures

from tests import base
from tests.support import installations
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template

_NUMBERS = itertools.count()
_WRITING = frozenset({"create", "update", "delete", "made", "removed"})
Fixture = typing.TypeVar("Fixture", bound=fixtures.Fixture)


class AdoptingTestCase(base.TestCase):
    """Two servers a class, a stack a test.

    :ivar here: client of the installation that stacks leave
    :ivar there: of the one that they come to
    """

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.pair = cls.use(installations.Pair())
        cls.world = cls.pair.world
        cls.here = cls.pair.here.client
        cls.there = cls.pair.there.client

    @classmethod
    def use(cls, fixture: Fixture) -> Fixture:
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def setUp(self) -> None:
        super().setUp()
        self.name = f"m{next(_NUMBERS)}"
        self.addCleanup(self.world.forgive, self.name)

    @staticmethod
    def chain(label: str = "") -> Json:
        wanted = template(
            a=declare_resource(label=label, value="v"),
            b=declare_resource("a", label=label, refs=[{"get_resource": "a"}]),
            c=declare_resource("b", reads=[{"get_attr": ["a", "value"]}]),
        )
        wanted["outputs"] = {
            "first": {"value": {"get_resource": "a"}},
            "label": {"value": {"get_attr": ["b", "label"]}},
            "value": {"value": {"get_attr": ["a", "value"]}},
        }
        return wanted

    def created(self, wanted: Json, **body: object) -> rest.Stack:
        stack = self.here.create(self.name, wanted, **body)
        self.here.wait(stack, "CREATE_COMPLETE")
        return stack

    def ask(
        self, client: rest.Client, method: str, path: str, body: object = None
    ) -> Json:
        found = client.ask(method, path, typing.cast(Json | None, body))
        return typing.cast(Json, found)

    def export(self, stack: rest.Stack) -> Json:
        return self.ask(self.here, "GET", f"{stack.path}/export")

    def abandon(self, stack: rest.Stack) -> Json:
        return self.ask(self.here, "DELETE", f"{stack.path}/abandon")

    def begin_adopt(
        self,
        data: object,
        client: rest.Client | None = None,
        **body: object,
    ) -> rest.Stack:
        """Ask for an adoption; return once that is accepted."""
        request = {"stack_name": self.name, "adopt_stack_data": data, **body}
        answer = self.ask(client or self.there, "POST", "/stacks", request)
        made = typing.cast(dict[str, str], answer["stack"])
        return rest.Stack(str(request["stack_name"]), made["id"])

    def adopt(
        self, data: object, status: str = "ADOPT_COMPLETE", **body: object
    ) -> rest.Stack:
        """Adopt, and wait for the end."""
        stack = self.begin_adopt(data, **body)
        self.there.wait(stack, status)
        return stack

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.there.ask("PUT", stack.path, {"template": wanted, **body})

    def existing_names(self) -> list[str]:
        """Return the names of the things that exist, sorted."""
        return sorted(
            each.name for each in self.world.physical_resources(self.name)
        )

    def make_resources(
        self, *names: str, **properties: object
    ) -> dict[str, str]:
        """Make things that no stack knows; return their ids by name."""
        stack = self.created(
            template(
                **{name: declare_resource(**properties) for name in names}
            )
        )
        document = self.abandon(stack)
        self.wait_gone(stack)
        entries = typing.cast(dict[str, Json], document["resources"])
        return {
            name: str(entry["resource_id"]) for name, entry in entries.items()
        }

    def wait_gone(self, stack: rest.Stack) -> None:
        self.here.wait(stack, "DELETE_COMPLETE")

    def ids(self, client: rest.Client, stack: rest.Stack) -> dict[str, object]:
        rows = client.resources(stack)
        return {n: row["physical_resource_id"] for n, row in rows.items()}

    def statuses(self, stack: rest.Stack) -> dict[str, object]:
        rows = self.there.resources(stack)
        return {name: row["resource_status"] for name, row in rows.items()}

    def mark(self) -> int:
        """Return the number of the newest call; see :meth:`writes`."""
        return max((each.number for each in self.world.calls()), default=0)

    def writes(self, after: int) -> list[tuple[str, str]]:
        """Return what was done to things of the stack since a mark."""
        return [
            (each.act, each.name)
            for each in self.world.calls(self.name, after)
            if each.act in _WRITING
        ]

    def wait_for(self, act: str, name: str) -> None:
        limit = time.monotonic() + 15
        while (act, name) not in [
            (each.act, each.name) for each in self.world.calls(self.name)
        ]:
            self.assertLess(time.monotonic(), limit, f"no {act} of {name}")
            time.sleep(0.02)

    def refused(
        self,
        function: typing.Callable[..., object],
        *given: object,
        **more: object,
    ) -> tuple[int, str]:
        """Return status and error type of a request that must fail."""
        error = self.assertRaises(rest.RefusedError, function, *given, **more)
        body = typing.cast(dict[str, dict[str, str]], error.body)
        return error.status, body["error"]["type"]
