from orch import errors
from orch.context import request
from tests.unit.api import fakes

PATH = f"{fakes.STACK_PATH}/actions"


class ActionsTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.retry"] = fakes.ACCEPTED

    def test_a_retry_answers_null_and_wakes_the_workers_up(self) -> None:
        answer = self.ask("POST", PATH, 200, json={"retry": {}})

        self.assertEqual(b"null", answer.content)
        self.assertEqual(
            {"stack_id": fakes.STACK_ID, "options": {}},
            self.bus.sent("stack.retry"),
        )
        self.assertEqual({"operation_id": "op-1"}, self.bus.casts[0].args)

    def test_a_retry_may_bear_options(self) -> None:
        options = {"keep_going": True, "timeout_mins": 5}

        self.ask("POST", PATH, 200, json={"retry": options})

        self.assertEqual(options, self.bus.sent("stack.retry")["options"])

    def test_the_value_of_retry_may_be_null(self) -> None:
        self.ask("POST", PATH, 200, json={"retry": None})

        self.assertEqual({}, self.bus.sent("stack.retry")["options"])

    def test_a_wrong_value_of_retry_is_refused(self) -> None:
        for value in (7, ["x"], {"timeout_mins": "soon"}, {"tags": 5}):
            answer = self.ask("POST", PATH, 400, json={"retry": value})
            self.assert_error(answer, "HTTPBadRequest")

    def test_a_retry_under_another_name_is_not_found(self) -> None:
        self.bus.answers["stack.retry"] = errors.NotFound("other")

        self.ask(
            "POST",
            f"/v1/demo/stacks/other/{fakes.STACK_ID}/actions",
            404,
            json={"retry": {}},
        )

        (sent,) = self.bus.calls
        address = request.StackAddress("other", fakes.STACK_ID)
        self.assertEqual(address, sent.ctxt.address)
        self.assertEqual([], self.bus.casts)

    def test_a_retry_of_what_did_not_fail_answers_409(self) -> None:
        self.bus.answers["stack.retry"] = errors.Conflict("it is complete")

        answer = self.ask("POST", PATH, 409, json={"retry": {}})

        self.assert_error(answer, "HTTPConflict", "it is complete")

    def test_exactly_one_known_action_is_wanted(self) -> None:
        for body, word in (
            ({}, "one action"),
            ({"retry": {}, "check": ""}, "one action"),
            ({"jump": None}, "jump is unknown; known are accept_drift"),
            ({"retry": False}, "retry must be true"),
        ):
            answer = self.ask("POST", PATH, 400, json=body)
            self.assert_error(answer, "HTTPBadRequest", word)

    def test_an_act_answers_null_and_wakes_the_workers_up(self) -> None:
        for action in ("suspend", "resume", "check"):
            self.bus.answers["stack.act"] = fakes.ACCEPTED
            self.bus.calls.clear()

            answer = self.ask("POST", PATH, 200, json={action: ""})

            self.assertEqual(b"null", answer.content)
            self.assertEqual(
                {
                    "stack_id": fakes.STACK_ID,
                    "action": action.upper(),
                    "options": {},
                },
                self.bus.sent("stack.act"),
            )
        self.assertEqual(3, len(self.bus.casts))

    def test_what_is_so_already_wakes_nobody(self) -> None:
        self.bus.answers["stack.act"] = None

        answer = self.ask("POST", PATH, 200, json={"suspend": None})

        self.assertEqual(b"null", answer.content)
        self.assertEqual([], self.bus.casts)

    def test_a_map_says_how_an_act_runs_and_other_values_nothing(
        self,
    ) -> None:
        self.bus.answers["stack.act"] = fakes.ACCEPTED
        for value, wanted in (
            ({"keep_going": "true", "x": 1}, {"keep_going": True}),
            ({"timeout_mins": 5, "tags": "t"}, {"timeout_mins": 5}),
            (5, {}),
            (["keep_going"], {}),
        ):
            self.bus.calls.clear()

            self.ask("POST", PATH, 200, json={"suspend": value})

            self.assertEqual(wanted, self.bus.sent("stack.act")["options"])

    def test_a_wrong_value_in_the_map_is_refused(self) -> None:
        body = {"check": {"keep_going": "perhaps"}}

        answer = self.ask("POST", PATH, 400, json=body)

        self.assert_error(answer, "HTTPBadRequest", "keep_going")

    def test_an_act_that_is_retried_says_so(self) -> None:
        self.bus.answers["stack.act"] = fakes.ACCEPTED

        self.ask("POST", PATH, 200, json={"suspend": {"retry": True}})

        self.assertEqual(
            {"retry": True}, self.bus.sent("stack.act")["options"]
        )

    def test_a_cancellation_says_whether_the_stack_goes_back(self) -> None:
        for action, goes_back in (
            ("cancel_update", True),
            ("cancel_without_rollback", False),
        ):
            self.bus.answers["stack.cancel"] = fakes.ACCEPTED
            self.bus.calls.clear()

            answer = self.ask("POST", PATH, 200, json={action: None})

            self.assertEqual(b"null", answer.content)
            self.assertEqual(
                {"stack_id": fakes.STACK_ID, "rolls_back": goes_back},
                self.bus.sent("stack.cancel"),
            )
        self.assertEqual(2, len(self.bus.casts))

    def test_each_action_has_a_rule_of_its_own(self) -> None:
        reader = {"X-Roles": "reader"}

        self.bus.answers["stack.act"] = fakes.ACCEPTED

        member = {"X-Roles": "member"}
        self.ask("POST", PATH, 200, json={"check": ""}, headers=member)

        for action, value in (
            ("check", ""),
            ("observe", None),
            ("retry", {}),
            ("suspend", None),
            ("resume", None),
            ("cancel_update", None),
            ("cancel_without_rollback", None),
        ):
            answer = self.ask(
                "POST", PATH, 403, json={action: value}, headers=reader
            )
            self.assert_error(answer, "Forbidden", f"actions:{action}")
        retried = {"check": {"retry": True}}
        answer = self.ask("POST", PATH, 403, json=retried, headers=reader)
        self.assert_error(answer, "Forbidden", "actions:retry")
