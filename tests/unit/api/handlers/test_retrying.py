"""The parameter ``retry`` of each request, and the rule that it needs."""

from tests.unit.api import fakes

STACKS = "/v1/demo/stacks"
READER = {"X-Roles": "reader"}


class RetryingTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        for name in ("create", "update", "delete", "retry"):
            self.bus.answers[f"stack.{name}"] = fakes.ACCEPTED

    def test_a_creation_goes_on_under_its_name(self) -> None:
        self.ask(
            "POST", STACKS, 201, json={"stack_name": "web", "retry": True}
        )

        self.assertEqual(
            {"name": "web", "inputs": {}, "options": {"retry": True}},
            self.bus.sent("stack.create"),
        )
        self.assertEqual({"operation_id": "op-1"}, self.bus.casts[0].args)

    def test_an_update_goes_on_without_a_template(self) -> None:
        for method in ("PUT", "PATCH"):
            self.bus.calls.clear()
            self.ask(method, fakes.STACK_PATH, 202, json={"retry": "true"})

            self.assertEqual(
                {
                    "stack_id": fakes.STACK_ID,
                    "inputs": {},
                    "options": {"retry": True},
                },
                self.bus.sent("stack.update"),
            )

    def test_a_deletion_goes_on(self) -> None:
        query = "?retry=true&skip=a&skip=b,c&orphan=d&keep_going=true"
        self.ask("DELETE", fakes.STACK_PATH + query, 204)

        self.assertEqual(
            {
                "retry": True,
                "skip": ["a", "b,c"],
                "orphan": ["d"],
                "keep_going": True,
            },
            self.bus.sent("stack.delete")["options"],
        )

    def test_a_creation_is_retried_with_replacements(self) -> None:
        self.ask(
            "POST",
            f"{fakes.STACK_PATH}/actions",
            200,
            json={"retry": {"replace": ["a", "b"]}},
        )

        self.assertEqual(
            ["a", "b"],
            self.bus.sent("stack.retry")["options"]["replace"],
        )

    def test_a_deletion_may_keep_going(self) -> None:
        self.ask("DELETE", fakes.STACK_PATH + "?keep_going=true", 204)

        self.assertEqual(
            {"keep_going": True}, self.bus.sent("stack.delete")["options"]
        )

    def test_the_options_stand_beside_or_in_the_value(self) -> None:
        options = {"skip": ["a"], "timeout_mins": 3}
        for body in ({"retry": True, **options}, {"retry": options}):
            self.bus.calls.clear()
            self.ask("PUT", fakes.STACK_PATH, 202, json=body)

            self.assertEqual(
                {"retry": True, **options},
                self.bus.sent("stack.update")["options"],
            )

    def test_what_is_empty_brings_nothing(self) -> None:
        empty = {"template": None, "parameters": {}, "files": {}, "tags": ""}

        self.ask("PATCH", fakes.STACK_PATH, 202, json={"retry": True, **empty})

        self.assertEqual({}, self.bus.sent("stack.update")["inputs"])

    def test_what_a_retry_does_not_take_is_refused_all_at_once(self) -> None:
        answer = self.ask(
            "PUT",
            fakes.STACK_PATH,
            400,
            json={
                "retry": True,
                "template": {"a": 1},
                "disable_rollback": False,
            },
        )

        self.assert_error(
            answer, "HTTPBadRequest", "disable_rollback, template"
        )
        self.assertEqual([], self.bus.calls)

    def test_a_value_that_is_no_boolean_is_refused(self) -> None:
        for value in ("perhaps", 7, ["b"]):
            self.ask("PUT", fakes.STACK_PATH, 400, json={"retry": value})
        self.ask("DELETE", fakes.STACK_PATH + "?retry=perhaps", 400)

    def test_options_of_a_retry_mean_nothing_without_one(self) -> None:
        for value in (None, False, "false"):
            answer = self.ask(
                "PATCH",
                fakes.STACK_PATH,
                400,
                json={"retry": value, "skip": ["a"]},
            )
            self.assertIn("skip means nothing without retry", answer.text)

    def test_a_whole_number_may_have_a_fraction_of_zero(self) -> None:
        body = {"retry": {"timeout_mins": 60.0}}
        self.ask("PATCH", fakes.STACK_PATH, 202, json=body)
        sent = self.bus.sent("stack.update")["options"]

        self.assertEqual("60", repr(sent["timeout_mins"]))
        body["retry"]["timeout_mins"] = 60.5
        self.ask("PATCH", fakes.STACK_PATH, 400, json=body)

    def test_the_rule_of_a_retry_is_its_own(self) -> None:
        for method, path, body in (
            ("POST", STACKS, {"stack_name": "web", "retry": True}),
            ("PUT", fakes.STACK_PATH, {"retry": True}),
            ("PATCH", fakes.STACK_PATH, {"retry": True}),
            ("DELETE", f"{fakes.STACK_PATH}?retry=true", None),
        ):
            answer = self.ask(method, path, 403, json=body, headers=READER)
            self.assert_error(answer, "Forbidden", "actions:retry")
        self.assertEqual([], self.bus.calls)

    def test_without_a_retry_the_rule_is_the_request_s(self) -> None:
        for method, path, rule in (
            ("POST", STACKS, "stacks:create"),
            ("PUT", fakes.STACK_PATH, "stacks:update"),
            ("PATCH", fakes.STACK_PATH, "stacks:update_no_change"),
            ("DELETE", fakes.STACK_PATH, "stacks:delete"),
        ):
            body = {"stack_name": "web"}
            answer = self.ask(method, path, 403, json=body, headers=READER)
            self.assert_error(answer, "Forbidden", rule)

    def test_a_patch_that_changes_something_has_another_rule(self) -> None:
        for body, rule in (
            ({"template_url": "https://10.0.0.1/x"}, "stacks:update_patch"),
            ({"tags": 1}, "stacks:update_patch"),
            ({"existing": True, "tags": None}, "stacks:update_no_change"),
            ({"unknown": 1}, "stacks:update_no_change"),
            (
                {"existing": True, "files": {}, "clear_parameters": []},
                "stacks:update_no_change",
            ),
        ):
            answer = self.ask(
                "PATCH", fakes.STACK_PATH, 403, json=body, headers=READER
            )
            self.assert_error(answer, "Forbidden", rule)

    def test_the_rule_comes_before_what_is_wrong(self) -> None:
        for method, path, rule in (
            ("POST", STACKS, "stacks:create"),
            ("PUT", fakes.STACK_PATH, "stacks:update"),
            ("PATCH", fakes.STACK_PATH, "stacks:update_no_change"),
            ("DELETE", f"{fakes.STACK_PATH}?retry=perhaps", "stacks:delete"),
        ):
            self.ask(method, path, 400, body="{")
            answer = self.ask(method, path, 403, body="{", headers=READER)
            self.assert_error(answer, "Forbidden", rule)
