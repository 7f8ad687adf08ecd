"""Lifecycle plug-ins and what they say, as the library tells them."""

import datetime

from orchclient import errors
from orchclient import lifecycle
from orchclient import models
from tests import base
from tests.unit.orchclient import answering

_MOMENT = "2026-11-21T10:00:00Z"
_HOLD = {
    "plugin": "freeze",
    "text": "it is Friday",
    "requested_at": _MOMENT,
    "deadline_at": "2026-11-22T10:00:00Z",
    "answer": None,
    "answered_by": None,
    "answered_at": None,
    "answer_text": "",
}
_OPERATION = {
    "id": "op-1",
    "action": "UPDATE",
    "state": "BLOCKED",
    "created_at": _MOMENT,
    "lifecycle": [
        {
            "plugin": "counts",
            "attempt": 2,
            "verb": "update",
            "phase": "pre",
            "ruling": "warn",
            "text": "many servers",
            "error": None,
            "began_at": _MOMENT,
            "seconds": 0.25,
            "is_repeat": True,
        }
    ],
    "hold": _HOLD,
}
_STACK = {
    "id": answering.STACK_ID,
    "stack_name": "shop",
    "stack_status": "UPDATE_IN_PROGRESS",
    "links": [answering.link("self", answering.STACK)],
    "verdicts": [{"plugin": "counts", "ruling": "warn", "text": "many"}],
}


class LifecycleTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.orch = answering.connected(self.service)
        self.service.lay(
            f"GET {answering.STACK}", answering.Answer({"stack": _STACK})
        )
        self.stack = self.orch.stacks.show(
            models.StackIdentity("shop", answering.STACK_ID)
        ).identity

    def test_plug_ins_come_as_values(self) -> None:
        self.service.lay(
            "GET /lifecycle/plugins",
            answering.Answer(
                {
                    "plugins": [
                        {
                            "name": "freeze",
                            "ordinal": 50,
                            "before": ["counts"],
                            "after": [],
                            "scope": "every stack",
                            "verbs": ["create"],
                            "supports_preview": True,
                            "time_limit": 2.5,
                            "is_fail_open": True,
                            "is_legacy": False,
                            "load_error": None,
                        },
                        {"name": "counts", "ordinal": 60, "verbs": None},
                    ]
                }
            ),
        )

        first, second = self.orch.lifecycle.plugins()

        self.assertEqual(
            ("freeze", 50, ("counts",), "every stack", ("create",), 2.5),
            (
                first.name,
                first.ordinal,
                first.before,
                first.scope,
                first.verbs,
                first.time_limit_s,
            ),
        )
        self.assertTrue(first.is_fail_open)
        self.assertIsNone(second.verbs)

    def test_what_is_held_in_the_project_comes_as_values(self) -> None:
        inner = f"{answering.STACK}/operations/op-1"
        self.service.lay(
            "GET /lifecycle/holds",
            answering.Answer(
                {
                    "holds": [
                        {
                            "path": ["kid"],
                            "stack_name": "shop-kid",
                            "stack_id": answering.STACK_ID,
                            "root_name": "shop",
                            "links": [
                                {
                                    "rel": "stack",
                                    "href": f"http://o/v1/p{answering.STACK}",
                                },
                                answering.link("root", "/stacks/shop/1"),
                                {"rel": "operation", "href": inner},
                            ],
                            "operation_id": "op-1",
                            "action": "UPDATE",
                            "requested_by": "ann",
                            "hold": _HOLD,
                        }
                    ]
                }
            ),
        )

        (held,) = self.orch.lifecycle.holds()

        self.assertEqual(
            (("kid",), answering.STACK_ID, "shop", "op-1", "UPDATE", "ann"),
            (
                held.path,
                held.stack.id,
                held.root_name,
                held.operation_id,
                held.action,
                held.requested_by,
            ),
        )
        self.assertEqual(answering.STACK_ID, held.which)
        self.assertTrue(held.hold.is_open)

    def test_holds_of_all_projects_are_requested_by_a_parameter(self) -> None:
        self.service.lay(
            "GET /lifecycle/holds", answering.Answer({"holds": []})
        )

        self.assertEqual((), self.orch.lifecycle.holds(all_projects=True))

        self.assertEqual(
            "GET /lifecycle/holds?all_projects=true", self.service.paths()[-1]
        )

    def test_an_operation_has_its_calls_and_its_hold(self) -> None:
        path = f"{answering.STACK}/operations/op-1"
        self.service.lay(
            f"GET {path}",
            answering.Answer({"operation": _OPERATION}),
            answering.Answer(
                {
                    "operation": {
                        **_OPERATION,
                        "hold": {**_HOLD, "answer": "approved"},
                    }
                }
            ),
        )

        held = self.orch.operations.show(self.stack, "op-1")
        answered = self.orch.operations.show(self.stack, "op-1")

        moment = datetime.datetime(2026, 11, 21, 10, tzinfo=datetime.UTC)
        self.assertEqual(
            (
                lifecycle.Call(
                    plugin="counts",
                    attempt=2,
                    verb="update",
                    phase="pre",
                    ruling="warn",
                    text="many servers",
                    began_at=moment,
                    seconds=0.25,
                    is_repeat=True,
                ),
            ),
            held.calls,
        )
        self.assertEqual(
            lifecycle.Hold(
                plugin="freeze",
                text="it is Friday",
                requested_at=moment,
                deadline_at=moment + datetime.timedelta(days=1),
            ),
            held.hold,
        )
        self.assertEqual((True, False), (held.is_held, answered.is_held))

    def test_a_service_without_them_tells_of_none(self) -> None:
        path = f"{answering.STACK}/operations/op-1"
        told = {
            key: _OPERATION[key]
            for key in ("id", "action", "state", "created_at")
        }
        self.service.lay(f"GET {path}", answering.Answer({"operation": told}))

        found = self.orch.operations.show(self.stack, "op-1")

        self.assertEqual(((), None), (found.calls, found.hold))
        self.assertFalse(found.is_held)

    def test_a_stack_has_verdicts(self) -> None:
        shown = self.orch.stacks.show(self.stack)

        self.assertEqual(
            (lifecycle.Verdict(plugin="counts", ruling="warn", text="many"),),
            shown.verdicts,
        )
        self.assertEqual("counts: warn: many", shown.verdicts[0].line)

    def test_answers_bear_what_is_said(self) -> None:
        path = f"{answering.STACK}/actions"
        self.service.lay(f"POST {path}", answering.Answer(None))

        self.orch.lifecycle.approve(self.stack, "go", operation_id="op-1")
        self.orch.lifecycle.reject(self.stack)

        self.assertEqual(
            [
                {"approve": {"text": "go", "operation_id": "op-1"}},
                {"reject": {}},
            ],
            [each.body for each in self.service.requests[-2:]],
        )

    def test_what_is_not_held_is_a_conflict(self) -> None:
        self.service.lay(
            f"POST {answering.STACK}/actions",
            answering.Answer({"error": {"message": "not held"}}, 409),
        )

        error = self.assertRaises(
            errors.ConflictError, self.orch.lifecycle.approve, self.stack
        )

        self.assertIn("not held", str(error))
