from orch import errors
from tests.unit.api import fakes

PATH = f"{fakes.STACK_PATH}/operations"
FACTS = {
    "id": "op-1",
    "action": "CREATE",
    "state": "FAILED",
    "attempt": 2,
    "reason": "it broke",
    "total": 5,
    "done": 3,
    "failures": [{"name": "net", "reason": "it broke"}],
    "superseded_by": None,
    "cause": "repair",
    "requested_by": "ann",
    "policy_set_by": "pam",
    "worker": None,
    "attempts": [
        {
            "number": 2,
            "requested_by": "ann",
            "state": "FAILED",
            "reason": "it broke",
            "started_at": None,
            "finished_at": None,
        }
    ],
    "inputs_hash": "f" * 64,
    "skip": ["a"],
    "orphan": [],
    "replace": [],
    "keep_going": True,
    "plan_id": None,
    "next_try_at": None,
    "expected_at": 1763632801.0,
    "created_at": 1763632800.0,
    "started_at": 1763632801.0,
    "finished_at": None,
    "lifecycle": [
        {
            "plugin": "freeze",
            "attempt": 2,
            "verb": "create",
            "phase": "pre",
            "ruling": "hold",
            "text": "it is Friday",
            "error": None,
            "began_at": 1763632801.0,
            "seconds": 0.5,
            "is_repeat": False,
            "enforcement": "soft-mandatory",
            "overridden_by": "ann",
            "override_reason": "INC-4711",
        }
    ],
    "hold": {
        "plugin": "freeze",
        "text": "it is Friday",
        "requested_at": 1763632800.0,
        "deadline_at": 1763632801.0,
        "answer": "approved",
        "answered_by": "ann",
        "answered_at": 1763632801.0,
        "answer_text": "go",
        "needs_other": True,
    },
}
VIEW = {
    **FACTS,
    "links": [
        {"href": f"{fakes.STACK_URL}/operations/op-1", "rel": "self"},
        {"href": fakes.STACK_URL, "rel": "stack"},
    ],
    "expected_at": "2025-11-20T10:00:01Z",
    "created_at": "2025-11-20T10:00:00Z",
    "started_at": "2025-11-20T10:00:01Z",
    "lifecycle": [
        {**FACTS["lifecycle"][0], "began_at": "2025-11-20T10:00:01Z"},
    ],
    "hold": {
        **FACTS["hold"],
        "requested_at": "2025-11-20T10:00:00Z",
        "deadline_at": "2025-11-20T10:00:01Z",
        "answered_at": "2025-11-20T10:00:01Z",
    },
}


class OperationsTest(fakes.ApiTestCase):
    def test_a_list_shows_each_operation(self) -> None:
        self.bus.answers["operation.list"] = [FACTS]

        self.assertEqual({"operations": [VIEW]}, self.get(PATH).json)

    def test_an_operation_is_shown(self) -> None:
        step = {"kind": "create", "resource_name": "net", "state": "FAILED"}
        done = {
            "name": "net",
            "type_name": "A::B::C",
            "action": "CREATE",
            "status": "FAILED",
            "reason": "it broke",
            "started_at": 1763632800.0,
            "finished_at": 1763632801.0,
        }
        self.bus.answers["operation.show"] = {
            **FACTS,
            "steps": [step],
            "resources": [done],
            "child_holds": [
                {
                    "path": ["group"],
                    "stack": fakes.IDENTITY,
                    "hold": FACTS["hold"],
                }
            ],
        }

        shown = self.get(f"{PATH}/op-1").json["operation"]

        self.assertEqual([step], shown.pop("steps"))
        self.assertEqual(
            [
                {
                    "path": ["group"],
                    "stack_name": "web",
                    "links": [{"href": fakes.STACK_URL, "rel": "stack"}],
                    "hold": VIEW["hold"],
                }
            ],
            shown.pop("child_holds"),
        )
        self.assertEqual(
            [
                {
                    "resource_name": "net",
                    "resource_type": "A::B::C",
                    "resource_status": "CREATE_FAILED",
                    "resource_status_reason": "it broke",
                    "started_at": "2025-11-20T10:00:00Z",
                    "finished_at": "2025-11-20T10:00:01Z",
                }
            ],
            shown.pop("resources"),
        )
        self.assertEqual(VIEW, shown)
        self.assertEqual(
            {"stack_id": fakes.STACK_ID, "operation_id": "op-1"},
            self.bus.sent("operation.show"),
        )

    def test_an_unknown_operation_answers_404(self) -> None:
        self.bus.answers["operation.show"] = errors.NotFound("no op-2")

        answer = self.get(f"{PATH}/op-2", 404)

        self.assert_error(answer, "EntityNotFound", "no op-2")
