"""Plug-ins judge requests that do not come to the address of a stack."""

import typing

from tests.functional import deploying
from tests.functional import lifecycle
from tests.functional import nesting
from tests.functional import unknown
from tests.functional.cfn import test_actions as cfn
from tests.support import lifecycle as support
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world

Json = dict[str, typing.Any]


class CloudFormationTests(
    lifecycle.LifecycleTestCase, cfn.CfnTestCase, nesting.NestedTestCase
):
    """A child stack is changed by its name, over the other API."""

    count = 1

    def kid(self) -> rest.Stack:
        stack = self.make({"kid": nesting.child_resource()})
        found = self.child_of(stack, "kid")
        self.plugins.order(1, "pre", "deny", text="frozen")
        return found

    def assert_denied(self, kid: rest.Stack) -> None:
        waiting.wait_for(
            lambda: self.operation(kid)["state"] == "FAILED", "the denial"
        )
        self.assertIn("frozen", str(self.operation(kid)["reason"]))
        self.assertEqual({"inner": "none", "last": ""}, self.labels())

    def test_an_update_of_a_child_is_denied(self) -> None:
        kid = self.kid()

        self.aws.update_stack(
            StackName=kid.id,
            UsePreviousTemplate=True,
            Parameters=[{"ParameterKey": "label", "ParameterValue": "new"}],
        )

        self.assert_denied(kid)

    def test_a_deletion_of_a_child_is_denied(self) -> None:
        kid = self.kid()

        self.aws.delete_stack(StackName=kid.id)

        self.assert_denied(kid)

    def test_a_change_set_of_a_child_is_denied(self) -> None:
        kid = self.kid()
        self.aws.create_change_set(
            StackName=kid.id,
            ChangeSetName="first",
            ChangeSetType="UPDATE",
            UsePreviousTemplate=True,
            Parameters=[{"ParameterKey": "label", "ParameterValue": "new"}],
        )

        self.aws.execute_change_set(StackName=kid.id, ChangeSetName="first")

        self.assert_denied(kid)


class SweepTests(lifecycle.LifecycleTestCase, nesting.NestedTestCase):
    """What was left over is removed by an operation."""

    count = 1

    def test_the_removal_of_a_child_that_was_left_is_denied(self) -> None:
        stack = self.make({"kid": nesting.child_resource()})
        self.world.order(
            *(self.name, "delete", "inner"),
            how="permanent",
            moment="before",
            times=99,
        )
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.client.ask(
            "POST",
            f"{stack.path}/actions",
            {"retry": {"orphan": ["kid"]}},
        )
        self.client.wait(stack, "DELETE_COMPLETE")
        self.world.forgive(self.name)
        (left,) = typing.cast(
            list[Json],
            self.client.get(f"/leftovers?stack={self.name}", "leftovers"),
        )
        self.plugins.order(1, "pre", "deny", text="frozen")

        self.client.ask("POST", f"/leftovers/{left['id']}/sweep", {})

        waiting.wait_for(
            lambda: ("pre", "1") in self.plugins.calls(self.name, "delete"),
            "the call",
        )
        self.assertEqual(
            {"inner"}, {each.name for each in self.physical_resources()}
        )


class DeploymentTests(lifecycle.LifecycleTestCase):
    """The deployment of a stack is changed by its own address."""

    count = 1

    def setUp(self) -> None:
        super().setUp()
        self.stack = self.client.create(
            self.name, deploying.template(signal_transport="NO_SIGNAL")
        )
        self.client.wait(self.stack, "CREATE_COMPLETE")
        found = self.client.resources(self.stack)["deployment"]
        self.path = f"/software_deployments/{found['physical_resource_id']}"

    def other_config(self) -> Json:
        """Return a change to another config."""
        made = self.client.ask("POST", "/software_configs", {"name": "other"})
        found = typing.cast(Json, made)["software_config"]
        return {"config_id": found["id"]}

    def calls(self, verb: str) -> list[tuple[object, object, object]]:
        return [
            (each["phase"], each["paths"], each.get("outcome"))
            for each in self.plugins.lines(self.stack)
            if each["verb"] == verb
        ]

    def test_a_change_and_a_deletion_are_denied(self) -> None:
        change = self.other_config()
        before = self.client.ask("GET", self.path)
        self.plugins.order(1, "pre", "deny", text="frozen")

        for method, body, verb in (
            ("PUT", change, "update deployment"),
            ("PUT", {"output_values": {"result": 1}}, "update deployment"),
            ("DELETE", None, "delete deployment"),
        ):
            error = self.assertRaises(
                rest.RefusedError, self.client.ask, method, self.path, body
            )

            self.assertEqual(
                (403, f"Lifecycle plug-in orch-test-1 denied the {verb}"),
                (error.status, error.message.rpartition(": ")[0]),
            )
        self.assertEqual(before, self.client.ask("GET", self.path))

    def test_what_is_allowed_is_done_and_reported_once(self) -> None:
        change = self.other_config()

        self.client.ask("PUT", self.path, change)
        changed = typing.cast(Json, self.client.ask("GET", self.path))
        self.client.ask("PUT", self.path, change)
        self.client.ask("DELETE", self.path)

        self.assertEqual(
            change["config_id"],
            changed["software_deployment"]["config_id"],
        )
        for verb in ("update_deployment", "delete_deployment"):
            self.assertEqual(
                [
                    ("pre", ["deployment"], None),
                    ("post", ["deployment"], "complete"),
                ],
                self.calls(verb),
            )

    def test_one_without_a_stack_is_not_judged(self) -> None:
        change = self.other_config()
        made = self.client.ask(
            "POST", "/software_deployments", {**change, "server_id": "web"}
        )
        found = typing.cast(Json, made)["software_deployment"]
        self.plugins.order(1, "pre", "deny", text="frozen")

        path = f"/software_deployments/{found['id']}"
        self.client.ask("PUT", path, {"status_reason": "other"})
        self.client.ask("DELETE", path)

        self.assertEqual([], self.calls("update_deployment"))
        self.assertEqual([], self.calls("delete_deployment"))


class OutcomeTestCase(unknown.UnknownTestCase):
    """A service has dropped its answer; there is one plug-in.

    :cvar level: what a denial of the plug-in does
    """

    level: typing.ClassVar[str] = "mandatory"

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = cls.use(world.World())
        cls.plugins = cls.use(support.Plugins(1, levels={1: cls.level}))
        cls.options = {**cls.options, **cls.plugins.options}
        super().setUpClass()

    @classmethod
    def environment(cls) -> running.Environment:
        return {**cls.world.environment, **cls.plugins.environment}

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.plugins.forgive)


class OutcomeTests(OutcomeTestCase):
    def test_a_post_op_sees_what_was_before_the_answer(self) -> None:
        stack = self.lose()
        self.plugins.order(1, "post", "", verb="answer_outcome", looks=True)

        self.answer(stack, physical_id=self.first)

        (line,) = [
            each
            for each in self.plugins.lines(stack)
            if (each["verb"], each["phase"]) == ("answer_outcome", "post")
        ]
        self.assertEqual(
            (None, self.first),
            tuple(
                typing.cast(Json, line[side])["resources"]["b"]["physical_id"]
                for side in ("before", "after")
            ),
        )

    def test_an_answer_about_an_outcome_is_denied(self) -> None:
        stack = self.lose()
        before = self.row(stack)
        self.plugins.order(1, "pre", "deny", text="frozen")

        status, message = self.refused(stack, physical_id=self.first)

        self.assertEqual(403, status)
        self.assertEqual(
            "Lifecycle plug-in orch-test-1 denied the answer outcome: frozen",
            message,
        )
        self.assertEqual(before, self.row(stack))
