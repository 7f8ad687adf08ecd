import json

from orch.lifecycle_plugins import wire
from orch.plugin import lifecycle
from tests import base
from tests.support import patterns


class WrittenTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        inner = patterns.stack(patterns.resource("0"), stack_id="stack-2")
        self.operation = patterns.make_operation(
            patterns.stack(
                patterns.resource("net", "OS::Neutron::Net", {"mtu": 9000}),
                patterns.resource(
                    "group", "OS::Heat::ResourceGroup", child_stack=inner
                ),
            ),
            decided={"hook": {"net": {"rack": 1}}, "other": {"net": 2}},
            plan={"added": ["net", "group"]},
        )

    def test_a_pre_op_tells_the_whole_pattern(self) -> None:
        found = json.loads(wire.written(self.operation, "hook", wire.PARTS))

        self.assertEqual(1, found["version"])
        self.assertEqual("operation-1.1.pre.hook", found["id"])
        self.assertEqual("pre", found["phase"])
        self.assertEqual(
            {
                "id": "operation-1",
                "action": "CREATE",
                "verb": "create",
                "attempt": 1,
                "paths": [],
                "is_preview": False,
                "cause": "request",
                "project_id": "project-1",
                "user_id": "user-1",
                "user_name": "ann",
                "roles": ["member"],
                "policy_user_id": "",
                "policy_user_name": "",
                "request_id": "req-1",
            },
            found["operation"],
        )
        self.assertIsNone(found["before"])
        resources = found["after"]["resources"]
        self.assertEqual({"mtu": 9000}, resources["net"]["properties"])
        inner = resources["group"]["child_stack"]
        self.assertEqual("group/0", inner["resources"]["0"]["path"])
        self.assertEqual({"added": ["net", "group"]}, found["plan"])
        self.assertEqual({"net": {"rack": 1}}, found["decisions"])
        self.assertNotIn("ended", found)

    def test_a_post_op_tells_how_it_has_ended(self) -> None:
        ended = lifecycle.OperationResult(
            outcome=lifecycle.Outcome.TIMED_OUT,
            reason="too slow",
            failures=({"name": "net", "reason": "no"},),
        )

        found = json.loads(
            wire.written(self.operation, "hook", wire.PARTS, ended)
        )

        self.assertEqual("operation-1.1.post.hook", found["id"])
        self.assertEqual(
            {
                "outcome": "timed out",
                "is_failure": True,
                "reason": "too slow",
                "corrects": None,
                "failures": [{"name": "net", "reason": "no"}],
            },
            found["ended"],
        )

    def test_a_corrected_outcome_is_another_call(self) -> None:
        ended = lifecycle.OperationResult(
            outcome=lifecycle.Outcome.FAILED,
            reason="billing failed",
            corrects=lifecycle.Outcome.COMPLETE,
        )

        found = json.loads(wire.written(self.operation, "hook", (), ended))

        self.assertEqual("operation-1.1.post.hook.corrected", found["id"])
        self.assertEqual("complete", found["ended"]["corrects"])

    def test_parts_may_be_left_out(self) -> None:
        found = json.loads(wire.written(self.operation, "hook", ["plan"]))

        self.assertNotIn("before", found)
        self.assertNotIn("after", found)
        self.assertIn("plan", found)

    def test_a_preview_is_known_by_its_request(self) -> None:
        operation = patterns.make_operation(
            request=patterns.asking(operation_id="")
        )

        self.assertEqual(
            "preview-req-1.1.pre.hook", wire.call_id(operation, "hook")
        )

    def test_another_attempt_is_another_call(self) -> None:
        operation = patterns.make_operation(request=patterns.asking(attempt=2))

        self.assertEqual(
            "operation-1.2.pre.hook", wire.call_id(operation, "hook")
        )


class VerdictTest(base.TestCase):
    def test_nothing_allows(self) -> None:
        self.assertEqual(lifecycle.allow(), wire.verdict(b" \n"))

    def test_each_ruling_is_taken(self) -> None:
        found = {
            ruling: wire.verdict(
                json.dumps({"ruling": ruling, "text": "so"}).encode()
            ).ruling
            for ruling in ("allow", "warn", "deny", "hold")
        }

        self.assertEqual(
            {each.value: each for each in lifecycle.Ruling}, found
        )

    def test_all_of_it_is_taken(self) -> None:
        answer = {
            "ruling": "hold",
            "text": "wait for ann",
            "decisions": {"web": {"rack": "r1"}},
            "deadline_s": 60,
            "needs_other": True,
            "is_separate": True,
        }

        found = wire.verdict(json.dumps(answer).encode())

        self.assertEqual(
            lifecycle.hold(
                *("wait for ann", 60, {"web": {"rack": "r1"}}),
                needs_other=True,
                is_separate=True,
            ),
            found,
        )

    def test_what_is_no_verdict_is_an_error(self) -> None:
        for answer in (
            b"yes",
            b"[]",
            b"{}",
            b'{"ruling": "maybe"}',
            b'{"ruling": "deny"}',
            b'{"ruling": "deny", "text": ""}',
            b'{"ruling": "allow", "txet": "x"}',
            b'{"ruling": "hold", "text": "x", "deadline_s": 0}',
            b'{"ruling": "hold", "text": "x", "needs_other": "yes"}',
            b'{"ruling": "hold", "text": "x", "is_separate": 1}',
            b'{"ruling": "allow", "decisions": []}',
            b"\xff",
            b"[" * 100_000,
        ):
            error = self.assertRaises(wire.BadAnswer, wire.verdict, answer)
            self.assertIn("the answer is no", error.message)
