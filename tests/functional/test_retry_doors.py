"""Each request takes the parameter ``retry``; who may; what needs none."""

import pathlib
import time

import fixtures

from tests.support import failing
from tests.support import rest
from tests.support import serving
from tests.support import timestamps
from tests.support import waiting
from tests.support import world_templates


class DoorTests(failing.RetryTestCase):
    """R5: each request takes the parameter too."""

    def test_r5_create(self) -> None:
        stack = self.create_failed()

        answer = self.client.ask(
            "POST", "/stacks", {"stack_name": self.name, "retry": True}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        assert isinstance(answer, dict)
        self.assertEqual(stack.id, answer["stack"]["id"])
        self.assertEqual(["a", "b", "c"], self.names())

    def test_r5_update(self) -> None:
        for method in ("PUT", "PATCH"):
            stack = self.client.create(method, world_templates.chain())
            self.client.wait(stack, "CREATE_COMPLETE")
            self.world.order(
                *(method, "update", "b"),
                how="permanent",
                moment="before",
                times=1,
            )
            self.update(stack, world_templates.chain("new"))
            self.client.wait(stack, "UPDATE_FAILED")

            self.client.ask(method, stack.path, {"retry": True})
            self.client.wait(stack, "UPDATE_COMPLETE")

            self.assertEqual(
                {"new"},
                {each.label for each in self.world.physical_resources(method)},
            )

    def test_r5_delete(self) -> None:
        stack = self.create()
        self.fail("delete", "b")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.client.ask("DELETE", f"{stack.path}?retry=true")
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(1, self.calls().count(("delete", "c")))
        self.assertEqual(2, len(self.operations(stack)))

    def test_r5_suspend_resume_check(self) -> None:
        stack = self.create()
        for action in ("suspend", "resume", "check"):
            self.fail(action, "b")
            self.act(stack, **{action: None})
            self.client.wait(stack, f"{action.upper()}_FAILED")

            self.act(stack, **{action: {"retry": True}})
            self.client.wait(stack, f"{action.upper()}_COMPLETE")

            self.assertEqual(2, self.operations(stack)[0]["attempt"])

    def test_r5_another_action_than_the_failed_one(self) -> None:
        stack = self.create_failed()

        for method, path, body in (
            ("PUT", stack.path, {"retry": True}),
            ("PATCH", stack.path, {"retry": True}),
            ("DELETE", f"{stack.path}?retry=true", None),
            ("POST", f"{stack.path}/actions", {"suspend": {"retry": True}}),
            ("POST", f"{stack.path}/actions", {"resume": {"retry": True}}),
            ("POST", f"{stack.path}/actions", {"check": {"retry": True}}),
        ):
            status, _, text = self.refusal(self.client.ask, method, path, body)
            self.assertEqual(409, status, (method, path))
            self.assertIn("CREATE", text)
        self.assertEqual(
            "CREATE_FAILED", self.client.show(stack)["stack_status"]
        )

    def test_r5_a_retry_brings_nothing(self) -> None:
        stack = self.create_failed()

        for brought in (
            {"template": world_templates.chain()},
            {"parameters": {"p": 1}},
            {"environment": {"parameters": {}}},
            {"files": {"f": "x"}},
            {"environment_files": ["f"]},
            {"template_url": "http://127.0.0.1/t"},
            {"tags": "x"},
            {"skip": "b"},
        ):
            for method, path, body in (
                ("POST", "/stacks", {"stack_name": self.name, "retry": True}),
                ("PUT", stack.path, {"retry": True}),
                ("PATCH", stack.path, {"retry": True}),
                ("POST", f"{stack.path}/actions", {"retry": brought}),
            ):
                given = body if body == {"retry": brought} else body | brought
                refused = self.refusal(self.client.ask, method, path, given)
                self.assertEqual((400, "HTTPBadRequest"), refused[:2])
                self.assertIn(next(iter(brought)), refused[2])

    def test_r5_a_patch_without_anything_still_is_an_update(self) -> None:
        stack = self.create_failed()

        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())

    def test_r5_not_to_retry_is_the_request_without_it(self) -> None:
        stack = self.create_failed()

        self.client.ask("PATCH", stack.path, {"retry": False})

        self.client.wait(stack, "UPDATE_COMPLETE")


class PolicyTests(failing.RetryTestCase):
    """R6: a rule of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = pathlib.Path(cls.use(fixtures.TempDir()).path)
        rules = directory / "policy.yaml"
        rules.write_text(
            '"stacks:update": "!"\n"stacks:update_patch": "!"\n'
            '"stacks:create": "role:admin"\n"stacks:delete": "!"\n'
        )
        cls.options = {"oslo_policy": {"policy_file": rules}}
        super().setUpClass()

    def test_r6_who_may_retry_need_not_be_allowed_to_update(self) -> None:
        stack = self.create()
        self.fail("suspend", "b")
        self.act(stack, suspend=None)
        self.client.wait(stack, "SUSPEND_FAILED")

        forbidden = self.refusal(
            self.update, stack, world_templates.chain("new")
        )
        other = self.refusal(
            self.client.ask, "PUT", stack.path, {"retry": True}
        )
        self.retry(stack)
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual((403, "Forbidden"), forbidden[:2])
        self.assertEqual(409, other[0])


class AutomaticTests(failing.RetryTestCase):
    """R9: what passes by itself is tried again, visibly, and nobody asks."""

    defaults = serving.options(retry_first_pause=0.05, blocked_first_pause=1.0)

    def test_r9_a_transient_failure_is_tried_again(self) -> None:
        for kind in ("transient", "busy"):
            self.world.order(
                *(self.name, "create", "b"), how=kind, moment="before", times=1
            )

        stack = self.create()

        self.assertEqual(3, self.calls().count(("create", "b")))
        self.assertEqual(1, self.operations(stack)[0]["attempt"])

    def test_r9_a_quota_blocks_and_does_not_fail(self) -> None:
        self.world.order(
            *(self.name, "create", "b"), how="quota", moment="before", times=1
        )
        stack = self.client.create(self.name, world_templates.chain())

        seen = self.wait_for_block(stack)
        seen_at = time.time()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertIn("waiting for", str(seen["reason"]))
        due = timestamps.read_seconds(seen["next_try_at"])
        self.assertLessEqual(timestamps.read_seconds(seen["created_at"]), due)
        self.assertLessEqual(due, seen_at + 1)
        self.assertEqual(["a", "b", "c"], self.names())

    def wait_for_block(self, stack: rest.Stack) -> world_templates.Json:
        def find() -> world_templates.Json | None:
            (operation,) = self.operations(stack)
            return operation if operation["state"] == "BLOCKED" else None

        return waiting.wait_for(find, "the operation is blocked")
