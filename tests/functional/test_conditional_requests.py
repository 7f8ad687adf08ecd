"""``If-Match`` on the requests beside updates and deletions of a stack."""

import typing

import requests

from tests.functional import holding
from tests.functional import test_conditions as base_case
from tests.support import rest
from tests.support import systems
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json


class Case(typing.NamedTuple):
    """A request, and its status when it is let pass."""

    method: str
    path: str
    body: Json | None
    status: int


def template(label: str = "") -> Json:
    """Return a chain of things, one beside it, and what takes signals."""
    wanted = world_templates.chain(label)
    rows = typing.cast(Json, wanted["resources"])
    rows["d"] = world_templates.declare_resource()
    rows["handle"] = {"type": "OS::Heat::WaitConditionHandle"}
    return wanted


class RequestsTests(base_case.ConditionsTestCase):
    """Stacks that may be adopted, and given up."""

    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
    }

    def take_snapshot(self, stack: rest.Stack) -> str:
        found = self.send("POST", f"{stack.path}/snapshots", {}).json()
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        return str(found["id"])

    def plan(self, stack: rest.Stack) -> str:
        answer = self.send("POST", f"{stack.path}/plans", {"action": "check"})
        return str(answer.json()["plan"]["id"])

    def refused_412(self, answer: requests.Response) -> None:
        self.assertEqual(412, answer.status_code, answer.text)
        self.assertEqual("orch.stack.changed", answer.json()["error_code"])

    def all_of(self, stack: rest.Stack) -> list[object]:
        """Return what the requests could change."""
        return [
            self.client.show(stack),
            self.operations(stack),
            self.client.resources(stack),
            self.client.events(stack),
            self.client.get(f"{stack.path}/snapshots", "snapshots"),
            self.client.get(f"{stack.path}/plans", "plans"),
            self.labels(),
        ]

    def make_resource(self) -> object:
        """Return the id of a thing that no stack has."""
        stack = self.created(
            world_templates.template(x=world_templates.declare_resource())
        )
        found = self.client.resources(stack)["x"]["physical_resource_id"]
        self.send("DELETE", f"{stack.path}/abandon")
        self.client.wait(stack, "DELETE_COMPLETE")
        return found

    def wait_for_end(self, stack: rest.Stack) -> None:
        """Return once nothing is under way with a stack."""
        waiting.wait_for(
            lambda: (
                str(self.client.show(stack)["stack_status"]).rpartition("_")[2]
                != "PROGRESS"
            ),
            "the end",
        )

    def cases(self, stack: rest.Stack) -> list[Case]:
        """Return each request that changes a stack, the last ends it."""
        snapshot, plan = self.take_snapshot(stack), self.plan(stack)
        applied = self.plan(stack)
        name = self.name
        self.take_name()
        target = self.created(
            world_templates.template(own=world_templates.declare_resource())
        )
        self.take_name()
        found = self.make_resource()
        self.name = name
        taken = template("two")
        rows = typing.cast(Json, taken["resources"])
        rows["e"] = world_templates.declare_resource()
        left = {**taken, "resources": {**rows}}
        moved = typing.cast(Json, left["resources"]).pop("d")
        return [
            Case("DELETE", f"/plans/{plan}", None, 204),
            Case("POST", f"/plans/{applied}/apply", None, 202),
            Case("POST", "/resources/handle/signal", {"id": "1"}, 200),
            Case("DELETE", "/resources/handle/signal", None, 204),
            Case("POST", f"/snapshots/{snapshot}/restore", None, 202),
            Case("DELETE", f"/snapshots/{snapshot}", None, 204),
            Case(
                "PUT",
                "",
                {"template": taken, "external_ids": {"e": found}},
                202,
            ),
            Case(
                "POST",
                "/move",
                {
                    "target": target.id,
                    "resources": ["d"],
                    "source_template": left,
                    "target_template": world_templates.template(
                        own=world_templates.declare_resource(), d=moved
                    ),
                },
                202,
            ),
            Case("POST", "/abandon", {"prepare": None}, 200),
            Case("DELETE", "/abandon", None, 200),
        ]

    def test_with_a_stale_tag_nothing_is_done(self) -> None:
        stack = self.created(template())
        stale = self.tag(stack)
        cases = self.cases(stack)
        before = self.all_of(stack)

        for each in cases:
            answer = self.send(
                each.method, stack.path + each.path, each.body, If_Match=stale
            )
            with self.subTest(method=each.method, path=each.path):
                self.refused_412(answer)
                self.assertEqual(before, self.all_of(stack))

    def test_with_the_tag_of_now_each_is_done(self) -> None:
        stack = self.created(template())

        for each in self.cases(stack):
            answer = self.send(
                each.method,
                stack.path + each.path,
                each.body,
                If_Match=self.tag(stack),
            )
            self.assertEqual(
                each.status, answer.status_code, f"{each}: {answer.text}"
            )
            self.wait_for_end(stack)

    def test_an_update_is_cancelled_by_its_own_tag_only(self) -> None:
        stack = self.create("old")
        stale = self.tag(stack)
        self.world.order(self.name, "update", "b")
        self.update(stack, world_templates.chain("new"))
        self.wait_for_act("updated", "b")
        path = f"{stack.path}/actions"

        for action in ("cancel_update", "cancel_without_rollback"):
            answer = self.send("POST", path, {action: None}, If_Match=stale)
            self.refused_412(answer)
        self.assertEqual(
            "UPDATE_IN_PROGRESS", self.client.show(stack)["stack_status"]
        )
        answer = self.send(
            "POST", path, {"cancel_update": None}, If_Match=self.tag(stack)
        )

        self.assertEqual(200, answer.status_code, answer.text)
        self.world.release(self.name)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

    def test_what_giving_up_stops_itself_is_no_reason_to_refuse(self) -> None:
        stack = self.create("old")
        self.world.order(self.name, "update", "b")
        self.update(stack, world_templates.chain("new"))
        self.wait_for_act("updated", "b")

        answer = self.send(
            "DELETE", f"{stack.path}/abandon", If_Match=self.tag(stack)
        )

        self.assertEqual(200, answer.status_code, answer.text)
        self.assertEqual(["a", "b", "c"], sorted(answer.json()["resources"]))
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())

    def test_a_breakpoint_is_cleared_by_the_tag_of_now_only(self) -> None:
        stack = self.created(world_templates.chain())
        environment = holding.hooks(b="pre-update")
        stale = self.tag(stack)
        self.update(
            stack, world_templates.chain("new"), environment=environment
        )
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED",
            "the breakpoint",
        )
        path = f"{stack.path}/resources/b/signal"
        body = {"unset_hook": "pre-update"}

        self.refused_412(self.send("POST", path, body, If_Match=stale))
        answer = self.send("POST", path, body, If_Match=self.tag(stack))

        self.assertEqual(200, answer.status_code, answer.text)
        self.client.wait(stack, "UPDATE_COMPLETE")
