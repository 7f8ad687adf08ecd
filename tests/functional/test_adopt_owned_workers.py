"""Two workers, and stacks that want the same physical resource."""

import concurrent.futures
import contextlib
import typing

from tests import base
from tests.support import installations
from tests.support import lifecycle
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, typing.Any]
template = world_templates.template

_LINKED: typing.Final = "Test::World::Linked"
_LIMIT_S: typing.Final = 60
_ROUNDS: typing.Final = 5
_OWNING: typing.Final = {
    "CREATE_COMPLETE",
    "UPDATE_COMPLETE",
    "ADOPT_COMPLETE",
}


class OwnedTests(base.TestCase):
    """Workers on RabbitMQ and PostgreSQL."""

    limit_s = 300

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.plugins = self.useFixture(lifecycle.Plugins(2))
        self.system = self.useFixture(
            running.Distributed(
                {
                    **installations.OPTIONS,
                    **installations.SWITCHED_ON,
                    **self.plugins.options,
                },
                {**self.world.environment, **self.plugins.environment},
            )
        ).system
        self.client = self.system.client

    def former(self, name: str) -> tuple[rest.Stack, str]:
        """Return a stack, and the id of the thing that it owns."""
        stack = self.client.create(name, template(a={"type": _LINKED}))
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=_LIMIT_S)
        row = self.client.resources(stack)["a"]
        return stack, str(row["physical_resource_id"])

    def adopt(self, name: str, physical_id: str) -> rest.Stack:
        entry = {"type": _LINKED, "resource_id": physical_id}
        answer = self.client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": name,
                "adopt_stack_data": {
                    "template": template(a={"type": _LINKED}),
                    "resources": {"a": entry},
                },
                "adopt_owned": True,
            },
        )
        return rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])

    def owners(
        self, physical_id: str, stacks: typing.Iterable[rest.Stack]
    ) -> list[str]:
        """Return the stacks that have a thing for good."""
        return [
            each.name
            for each in stacks
            for row in self.client.resources(each).values()
            if row["physical_resource_id"] == physical_id
            and row["resource_status"] in _OWNING
        ]

    def test_one_of_several_has_it_at_last(self) -> None:
        for number in range(_ROUNDS):
            former, physical_id = self.former(f"f{number}")
            names = [f"n{number}-{each}" for each in range(3)]
            with concurrent.futures.ThreadPoolExecutor() as pool:
                asked = [
                    pool.submit(self.adopt, name, physical_id)
                    for name in names
                ]
                pool.submit(self.client.ask, "PATCH", former.path, {})
            stacks = [former]
            for each in asked:
                with contextlib.suppress(rest.RefusedError):
                    stacks.append(each.result())
            for each in stacks:
                waiting.wait_for(
                    lambda each=each: not self.is_busy(each),
                    f"{each.name} is idle",
                    _LIMIT_S,
                )

            owners = self.owners(physical_id, stacks)

            self.assertEqual(1, len(owners), owners)

    def is_busy(self, stack: rest.Stack) -> bool:
        status = str(self.client.show(stack)["stack_status"])
        return status.endswith("IN_PROGRESS")

    def test_another_worker_goes_on_with_what_was_taken(self) -> None:
        former, physical_id = self.former("f")
        self.world.order("n", "check", "a")
        stack = self.adopt("n", physical_id)
        waiting.wait_for(
            lambda: "a" not in self.client.resources(former), "it is taken"
        )

        for each in self.system.engines:
            each.kill()
        for each in self.system.engines:
            each.start()
        self.world.forgive("n")
        self.client.wait(stack, "ADOPT_COMPLETE", timeout_s=_LIMIT_S)

        self.assertEqual(["n"], self.owners(physical_id, [former, stack]))
        self.client.delete(former)
        self.client.wait(former, "DELETE_COMPLETE", timeout_s=_LIMIT_S)
        self.assertEqual(["a"], self.world.names())

    def test_another_worker_calls_the_post_ops_of_the_former_owner(
        self,
    ) -> None:
        former, physical_id = self.former("f")
        self.world.order("n", "check", "a")
        stack = self.adopt("n", physical_id)
        waiting.wait_for(
            lambda: "a" not in self.client.resources(former), "it is taken"
        )
        (pid,) = {each["pid"] for each in self.plugins.lines("n")}
        (holder,) = [each for each in self.system.engines if each.pid == pid]

        holder.kill()
        self.world.forgive("n")
        self.client.wait(stack, "ADOPT_COMPLETE", timeout_s=_LIMIT_S)

        waiting.wait_for(
            lambda: len(self.plugins.outcomes(former, "release")) > 1,
            "the post-ops of the release",
        )
        found = [
            (each["phase"], each["plugin"], each.get("outcome"))
            for each in self.plugins.lines(former)
            if each["verb"] == "release"
        ]
        self.assertEqual(
            [
                ("pre", "orch-test-1", None),
                ("pre", "orch-test-2", None),
                ("post", "orch-test-2", "complete"),
                ("post", "orch-test-1", "complete"),
            ],
            found,
        )
