from orch import errors
from tests.unit.api import fakes

PATH = f"{fakes.STACK_PATH}/actions"
PLUGIN = {
    "name": "freeze",
    "ordinal": 50,
    "before": ["counts"],
    "after": [],
    "scope": "every stack",
    "verbs": None,
    "supports_preview": True,
    "time_limit_s": 2.5,
    "is_fail_open": False,
    "is_legacy": False,
    "load_error": None,
    "enforcement": "mandatory",
    "settings_number": 3,
}

PLAN = {
    "action": "UPDATE",
    "text": "update web",
    "changes": [],
    "unchanged": [],
    "returns": [],
    "skipped": [],
    "orphans": [],
}


class PluginsTest(fakes.ApiTestCase):
    def test_plug_ins_are_listed_in_their_order(self) -> None:
        self.bus.answers["lifecycle.list"] = [
            PLUGIN,
            {**PLUGIN, "name": "a", "verbs": ["create"], "load_error": "no"},
        ]

        first, second = self.get("/v1/demo/lifecycle/plugins").json["plugins"]

        expected = {**PLUGIN, "time_limit": 2.5}
        del expected["time_limit_s"]
        self.assertEqual(expected, first)
        self.assertEqual(
            ("a", ["create"], "no"),
            (second["name"], second["verbs"], second["load_error"]),
        )

    def test_readers_may_see_them_and_users_of_stacks_not(self) -> None:
        self.bus.answers["lifecycle.list"] = []
        path = "/v1/demo/lifecycle/plugins"

        self.get(path, headers={"X-Roles": "reader"})

        answer = self.get(path, 403, headers={"X-Roles": "heat_stack_user"})
        self.assert_error(answer, "Forbidden", "lifecycle:list")


class HoldsTest(fakes.ApiTestCase):
    def test_what_is_held_in_the_project_is_listed(self) -> None:
        identity = {"project_id": "demo", "stack_name": "shop-kid"}
        self.bus.answers["lifecycle.holds"] = [
            {
                "path": ["kid"],
                "stack": {**identity, "stack_id": "s-2"},
                "root": {**identity, "stack_name": "shop", "stack_id": "s-1"},
                "operation_id": "op-1",
                "action": "UPDATE",
                "requested_by": "ann",
                "hold": {
                    "plugin": "freeze",
                    "text": "it is Friday",
                    "requested_at": 0.0,
                    "deadline_at": 60.0,
                    "answer": None,
                    "answered_by": None,
                    "answered_at": None,
                    "answer_text": "",
                },
            }
        ]

        [found] = self.get("/v1/demo/lifecycle/holds").json["holds"]

        self.assertEqual(
            (["kid"], "shop-kid", "s-2", "shop", "op-1", "UPDATE", "ann"),
            tuple(
                found[key]
                for key in (
                    *("path", "stack_name", "stack_id", "root_name"),
                    *("operation_id", "action", "requested_by"),
                )
            ),
        )
        self.assertEqual("1970-01-01T00:01:00Z", found["hold"]["deadline_at"])
        links = {each["rel"]: each["href"] for each in found["links"]}
        self.assertTrue(
            links["operation"].endswith(
                "/v1/demo/stacks/shop-kid/s-2/operations/op-1"
            ),
            links,
        )
        self.assertTrue(links["root"].endswith("/stacks/shop/s-1"), links)

    def test_users_of_stacks_may_not_see_them(self) -> None:
        answer = self.get(
            "/v1/demo/lifecycle/holds",
            403,
            headers={"X-Roles": "heat_stack_user"},
        )

        self.assert_error(answer, "Forbidden", "lifecycle:holds")


_LEVEL = {
    "enforcement": "mandatory",
    "overridden_by": None,
    "override_reason": "",
}
"""What workers of earlier releases leave out."""


class VerdictsTest(fakes.ApiTestCase):
    def test_a_stack_shows_what_was_said(self) -> None:
        said = [{"plugin": "counts", "ruling": "warn", "text": "many"}]
        self.bus.answers["stack.show"] = {**fakes.STACK, "verdicts": said}

        shown = self.get(fakes.STACK_PATH).json["stack"]

        self.assertEqual([{**said[0], **_LEVEL}], shown["verdicts"])

    def test_the_plan_of_an_operation_shows_what_is_said_of_it(self) -> None:
        said = [{"plugin": "freeze", "ruling": "hold", "text": "Friday"}]
        inner = {**PLAN, "changes": []}
        change = {
            "key": "k",
            "kind": "update",
            "resource_name": "web",
            "resource_type": "A::B",
            "physical_id": None,
            "replaces": None,
            "reason": "",
            "after": [],
            "is_certain": True,
            "properties": {},
            "child_plan": inner,
        }
        self.bus.answers["plan.preview_update"] = {
            "changes": {
                kind: []
                for kind in (
                    *("unchanged", "updated", "replaced"),
                    *("added", "deleted"),
                )
            },
            "plan": {**PLAN, "changes": [change], "verdicts": said},
        }

        plan = self.ask(
            "PUT",
            f"{fakes.STACK_PATH}/preview",
            200,
            json={"template": {"heat_template_version": "2021-04-16"}},
        ).json["plan"]

        self.assertEqual([{**said[0], **_LEVEL}], plan["verdicts"])
        self.assertNotIn("verdicts", plan["changes"][0]["child_plan"])


class AnswersTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        for method in ("approve", "reject"):
            self.bus.answers[f"lifecycle.{method}"] = fakes.ACCEPTED

    def test_an_answer_is_passed_on_and_wakes_the_workers_up(self) -> None:
        for method in ("approve", "reject"):
            self.bus.casts.clear()
            value = {"text": "it is fine", "operation_id": "op-1"}

            answer = self.ask("POST", PATH, 200, json={method: value})

            self.assertEqual(b"null", answer.content)
            self.assertEqual(
                {
                    "stack_id": fakes.STACK_ID,
                    "text": "it is fine",
                    "operation_id": "op-1",
                },
                self.bus.sent(f"lifecycle.{method}"),
            )
            self.assertEqual({"operation_id": "op-1"}, self.bus.casts[0].args)

    def test_nothing_need_be_said(self) -> None:
        for value in (None, {}, {"text": None, "operation_id": None}):
            self.bus.calls.clear()

            self.ask("POST", PATH, 200, json={"approve": value})

            sent = self.bus.sent("lifecycle.approve")
            self.assertEqual(("", None), (sent["text"], sent["operation_id"]))

    def test_a_wrong_answer_is_refused(self) -> None:
        for value in (
            "yes",
            ["yes"],
            {"text": 5},
            {"text": "a\0b"},
            {"text": "x" * 1001},
            {"operation_id": 7},
            {"keep_going": True},
        ):
            answer = self.ask("POST", PATH, 400, json={"approve": value})
            self.assert_error(answer, "HTTPBadRequest")

    def test_answering_is_for_admins(self) -> None:
        for method in ("approve", "reject"):
            answer = self.ask(
                "POST",
                PATH,
                403,
                json={method: None},
                headers={"X-Roles": "member,reader"},
            )
            self.assert_error(answer, "Forbidden", f"actions:{method}")
        self.assertEqual([], self.bus.calls)

    def test_what_is_not_held_answers_409(self) -> None:
        self.bus.answers["lifecycle.approve"] = errors.Conflict("not held")

        answer = self.ask("POST", PATH, 409, json={"approve": {}})

        self.assert_error(answer, "HTTPConflict", "not held")
        self.assertEqual([], self.bus.casts)
