"""Each way in which resources come about asks the rules of their types.

The table is doors by types: who asks is a member, and the rules let only
administrators have two of the types, one by its own name, one by its service.
"""

import re
import typing

import requests
import testscenarios

from tests.functional import type_doors
from tests.functional.cfn import querying
from tests.support import rest
from tests.support import waiting

load_tests = testscenarios.load_tests_apply_scenarios

Json = dict[str, typing.Any]


class DoorTests(type_doors.DoorsTestCase):
    """One test for each door and each type.

    :ivar told: why the member did not get what was asked for
    """

    scenarios = testscenarios.multiply_scenarios(
        [
            (door, {"door": f"through_{door}"})
            for door in (
                "create",
                "cfn_create",
                "create_of_alias",
                "create_of_child",
                "preview",
                "update",
                "patch",
                "preview_of_update",
                "plan",
                "applied_plan",
                "adoption",
                "adoption_of_child",
                "preview_of_adoption",
                "external_ids",
                "restore",
                "retry",
                "cancelled_update",
                "applied_rollback",
                "automatic_rollback",
                "resource_group",
                "resource_chain",
                "scaling_group",
                "file_found_late",
                "grown_group",
                "signal",
                "alarm",
                "move",
            )
        ],
        [
            (kind, {"kind": kind})
            for kind in (
                type_doors.FLAT,
                type_doors.OF_SERVICE,
                type_doors.ALLOWED,
            )
        ],
    )
    door: str
    kind: str

    def test_it_asks_the_rule_of_the_type(self) -> None:
        self.told = ""
        self.rows_before = 0

        stack = getattr(self, self.door)({"type": self.kind})

        rule = type_doors.RULES[self.kind]
        made = (
            []
            if stack is None
            else self.rows(stack, self.kind, type_doors.ALIAS)
        )
        if stack is not None and not self.told:
            self.told = str(self.ended(stack)["stack_status_reason"])
        if rule is None:
            self.assertNotIn("None of your roles", self.told)
            if stack is not None:
                self.assertGreater(len(made), self.rows_before)
                for each in made:
                    status = str(each["resource_status"])
                    self.assertEndsWith("COMPLETE", status)
                    self.assertNotEqual("INIT_COMPLETE", status)
        else:
            self.assertIn("None of your roles", self.told)
            self.assertIn(self.kind, self.told)
            self.assertIn(rule, self.told)
            self.assertEqual(self.rows_before, len(made), made)

    def assertEndsWith(self, end: str, text: str) -> None:  # noqa: N802
        self.assertEqual(end, text[-len(end) :], text)

    def ask(
        self, method: str, path: str, body: Json | None = None
    ) -> Json | None:
        """Return the answer to the member; ``None`` when it is refused."""
        try:
            return typing.cast(Json, self.member.ask(method, path, body) or {})
        except rest.RefusedError as error:
            self.assertEqual((403, "Forbidden"), (error.status, error.type))
            self.told = error.message
            return None

    def members(self, wanted: Json, **more: object) -> rest.Stack | None:
        """Return the stack that the member asks for, once it has ended."""
        body = {"stack_name": self.name, "template": wanted, **more}
        answer = self.ask("POST", "/stacks", body)
        if answer is None:
            return None
        stack = rest.Stack(self.name, answer["stack"]["id"])
        self.ended(stack)
        return stack

    def count_before(self, stack: rest.Stack) -> None:
        self.rows_before = len(self.rows(stack, self.kind))

    def acted(
        self,
        stack: rest.Stack,
        method: str,
        path: str,
        body: Json | None = None,
    ) -> rest.Stack:
        """Return a stack once what the member asks of it has ended."""
        self.ask(method, f"{stack.path}{path}", body)
        self.ended(stack)
        return stack

    def through_create(self, x: Json) -> rest.Stack | None:
        return self.members(type_doors.template(x=x))

    def through_cfn_create(self, x: Json) -> rest.Stack | None:
        """Ask by the CloudFormation-compatible API."""
        asked = querying.signed(
            self.cfn_port,
            querying.Key(),
            Action="CreateStack",
            StackName=self.name,
            TemplateBody=type_doors.text_of(x=x),
        )
        answer = querying.send(
            asked, headers={**asked.headers, "X-Roles": "member"}
        )
        if not answer.ok:
            self.assertEqual(
                (403, "AccessDenied"), querying.read_error(answer)
            )
            self.told = answer.text
            return None
        arn = re.search(r"<StackId>([^<]+)</StackId>", answer.text)
        assert arn is not None, answer.text
        stack = rest.Stack(self.name, arn[1].rpartition("/")[2])
        self.ended(stack)
        return stack

    def through_create_of_alias(self, x: Json) -> rest.Stack | None:
        registry = {"resource_registry": {type_doors.ALIAS: x["type"]}}
        return self.members(
            type_doors.template(x={"type": type_doors.ALIAS}),
            environment=registry,
        )

    def through_create_of_child(self, x: Json) -> rest.Stack | None:
        return self.members(
            type_doors.template(kid={"type": "kid.yaml"}),
            files={"kid.yaml": type_doors.text_of(x=x)},
        )

    def through_preview(self, x: Json) -> None:
        body = {"stack_name": self.name, "template": type_doors.template(x=x)}
        self.ask("POST", "/stacks/preview", body)

    def through_update(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.template())
        return self.acted(
            stack, "PUT", "", {"template": type_doors.template(x=x)}
        )

    def through_patch(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.template())
        return self.acted(
            stack, "PATCH", "", {"template": type_doors.template(x=x)}
        )

    def through_preview_of_update(self, x: Json) -> None:
        stack = self.admins(type_doors.template())
        body = {"template": type_doors.template(x=x)}
        self.ask("PUT", f"{stack.path}/preview", body)

    def through_plan(self, x: Json) -> None:
        stack = self.admins(type_doors.template())
        body = {"action": "update", "template": type_doors.template(x=x)}
        self.ask("POST", f"{stack.path}/plans", body)

    def through_applied_plan(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.template())
        plan = self.planned(
            stack, {"action": "update", "template": type_doors.template(x=x)}
        )
        return self.acted(stack, "POST", f"/plans/{plan}/apply")

    def planned(self, stack: rest.Stack, body: Json) -> str:
        """Return the id of a plan of the administrator."""
        answer = self.admin.ask("POST", f"{stack.path}/plans", body)
        return str(typing.cast(Json, answer)["plan"]["id"])

    def through_adoption(self, x: Json) -> rest.Stack | None:
        return self.adopted(
            {"template": type_doors.template(x=x), "resources": {}}
        )

    def through_adoption_of_child(self, x: Json) -> rest.Stack | None:
        held, later_kind = type_doors.later(x["type"])
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": {"type": later_kind}},
        }
        inner = {
            "template": type_doors.template(**{"0": x}),
            "resources": {
                "0": {"type": x["type"], "resource_id": f"id-{self.name}"}
            },
            "name": "inner",
        }
        return self.adopted(
            {
                "template": type_doors.template(held=held, group=group),
                "resources": {"group": inner},
            }
        )

    def adopted(self, document: Json) -> rest.Stack | None:
        body = {
            "stack_name": self.name,
            "adopt_stack_data": document,
            "adopt_missing": "create",
            "adopt_verify": "take",
        }
        answer = self.ask("POST", "/stacks", body)
        if answer is None:
            return None
        stack = rest.Stack(self.name, answer["stack"]["id"])
        self.ended(stack)
        return stack

    def through_preview_of_adoption(self, x: Json) -> None:
        document = {"template": type_doors.template(x=x), "resources": {}}
        body = {
            "stack_name": self.name,
            "adopt_stack_data": document,
            "adopt_missing": "create",
        }
        self.ask("POST", "/stacks/preview", body)

    def through_external_ids(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.template())
        body = {
            "template": type_doors.template(x=x),
            "external_ids": {"x": f"id-{self.name}"},
            "adopt_verify": "take",
        }
        return self.acted(stack, "PUT", "", body)

    def through_restore(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.template(x=x))
        taken = typing.cast(
            Json, self.admin.ask("POST", f"{stack.path}/snapshots", {})
        )
        self.admin.wait(stack, "SNAPSHOT_COMPLETE")
        self.change(self.admin, stack, type_doors.template())
        path = f"/snapshots/{taken['id']}/restore"
        return self.acted(stack, "POST", path)

    def through_retry(self, x: Json) -> rest.Stack:
        thing = {"type": "Test::World::Thing"}
        self.world.order(
            self.name, "create", "w", how="permanent", moment="before", times=1
        )
        wanted = type_doors.template(w=thing, x={**x, "depends_on": "w"})
        stack = self.admin.create(self.name, wanted)
        self.admin.wait(stack, "CREATE_FAILED")
        if type_doors.RULES[self.kind] is not None:
            self.count_before(stack)
        self.acted(stack, "POST", "/actions", {"retry": {}})
        for each in self.rows(stack, self.kind):
            is_made = each["resource_status"] == "CREATE_COMPLETE"
            self.assertEqual(type_doors.RULES[self.kind] is None, is_made)
        return stack

    def removed(self, x: Json) -> tuple[rest.Stack, Json]:
        """Return a stack that is to lose both, and how it is updated."""
        thing = {"type": "Test::World::Thing"}
        wanted = type_doors.template(w=thing, x={**x, "depends_on": "w"})
        return self.admins(wanted), {"template": type_doors.template()}

    def through_cancelled_update(self, x: Json) -> rest.Stack:
        stack, update = self.removed(x)
        self.world.order(self.name, "delete", "w")
        self.admin.ask("PUT", stack.path, update)
        self.wait_for_act("delete", "w")
        self.ask("POST", f"{stack.path}/actions", {"cancel_update": None})
        self.world.release(self.name)
        self.ended(stack)
        return stack

    def through_automatic_rollback(self, x: Json) -> rest.Stack:
        stack, update = self.removed(x)
        self.world.order(
            self.name, "delete", "w", how="permanent", moment="before", times=1
        )
        body = {**update, "disable_rollback": False}
        return self.acted(stack, "PUT", "", body)

    def through_applied_rollback(self, x: Json) -> rest.Stack:
        stack, update = self.removed(x)
        self.world.order(
            self.name, "delete", "w", how="permanent", moment="before", times=1
        )
        self.admin.ask("PUT", stack.path, update)
        self.admin.wait(stack, "UPDATE_FAILED")
        plan = self.planned(stack, {"action": "rollback"})
        return self.acted(stack, "POST", f"/plans/{plan}/apply")

    def through_resource_group(self, x: Json) -> rest.Stack | None:
        held, later_kind = type_doors.later(x["type"])
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": later_kind}},
        }
        return self.members(type_doors.template(held=held, group=group))

    def through_resource_chain(self, x: Json) -> rest.Stack | None:
        held, later_kinds = type_doors.later([x["type"]])
        chain = {
            "type": "OS::Heat::ResourceChain",
            "properties": {"resources": later_kinds},
        }
        return self.members(type_doors.template(held=held, chain=chain))

    def through_scaling_group(self, x: Json) -> rest.Stack | None:
        return self.members(type_doors.group_of(x["type"]))

    def through_file_found_late(self, x: Json) -> rest.Stack | None:
        return self.members(
            type_doors.group_of("kid.yaml"),
            files={"kid.yaml": type_doors.text_of(x=x)},
        )

    def through_grown_group(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.group_of(x["type"]))
        self.count_before(stack)
        body = {"template": type_doors.group_of(x["type"], 2)}
        return self.acted(stack, "PUT", "", body)

    def through_signal(self, x: Json) -> rest.Stack:
        stack = self.admins(type_doors.group_of(x["type"]))
        self.count_before(stack)
        self.ask("POST", f"{stack.path}/resources/policy/signal", {})
        return self.grown(stack)

    def through_alarm(self, x: Json) -> rest.Stack:
        """Whoever changed the stack last counts, for an address."""
        stack = self.admins(type_doors.group_of(x["type"]))
        self.touch(stack)
        self.count_before(stack)
        answer = self.alarm(stack)
        if not answer.ok:
            self.told = answer.json()["error"]["message"]
        return self.grown(stack)

    def alarm(self, stack: rest.Stack) -> requests.Response:
        url = str(self.admin.outputs(stack)["url"])
        return requests.post(url, json={}, timeout=30)

    def grown(self, stack: rest.Stack) -> rest.Stack:
        """Return a stack once the group in it is not busy."""
        if not self.told:
            waiting.wait_for(
                lambda: (
                    len(self.rows(stack, self.kind)) > self.rows_before
                    and all(
                        each["resource_status"] == "CREATE_COMPLETE"
                        for each in self.rows(stack, self.kind)
                    )
                ),
                "the group grows",
            )
        return stack

    def through_move(self, x: Json) -> rest.Stack:
        self.take_name()
        source = self.admins(type_doors.template(x=x))
        self.take_name()
        target = self.admins(type_doors.template())
        body = {
            "target": target.id,
            "resources": {"x": "x"},
            "source_template": type_doors.template(),
            "target_template": type_doors.template(x=x),
        }
        self.ask("POST", f"{source.path}/move", body)
        self.ended(source)
        self.ended(target)
        return target
