from orch import errors
from tests.unit.api import fakes

PATH = f"{fakes.STACK_PATH}/actions"


class ActionsTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.identify"] = fakes.IDENTITY
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
        self.ask(
            "POST",
            f"/v1/demo/stacks/other/{fakes.STACK_ID}/actions",
            404,
            json={"retry": {}},
        )

        self.assertEqual([], self.bus.casts)

    def test_a_retry_of_what_did_not_fail_answers_409(self) -> None:
        self.bus.answers["stack.retry"] = errors.Conflict("it is complete")

        answer = self.ask("POST", PATH, 409, json={"retry": {}})

        self.assert_error(answer, "HTTPConflict", "it is complete")

    def test_exactly_one_known_action_is_wanted(self) -> None:
        for body in ({}, {"retry": {}, "check": ""}, {"jump": None}):
            answer = self.ask("POST", PATH, 400, json=body)
            self.assert_error(answer, "HTTPBadRequest", "action")

    def test_actions_of_later_are_told_so(self) -> None:
        for action in (
            "suspend",
            "resume",
            "check",
            "cancel_update",
            "cancel_without_rollback",
        ):
            answer = self.ask("POST", PATH, 400, json={action: None})
            self.assert_error(answer, "NotSupported", action)
        self.assertEqual([], self.bus.calls)

    def test_each_action_has_a_rule_of_its_own(self) -> None:
        reader = {"X-Roles": "reader"}

        retry = self.ask("POST", PATH, 403, json={"retry": {}}, headers=reader)
        check = self.ask("POST", PATH, 400, json={"check": ""}, headers=reader)

        self.assert_error(retry, "Forbidden", "actions:retry")
        self.assert_error(check, "NotSupported", "check")
