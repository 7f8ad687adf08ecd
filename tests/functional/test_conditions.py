"""Requests that depend on what the sender knows of a stack."""

import requests

from tests.functional import acting
from tests.support import rest
from tests.support import world_templates


class ConditionsTestCase(acting.ActionsTestCase):
    """Each test has one stack, and asks with headers of its own."""

    def send(
        self,
        method: str,
        path: str,
        body: world_templates.Json | None = None,
        **headers: str,
    ) -> requests.Response:
        return requests.request(
            method,
            self.client.endpoint + path,
            json=body,
            headers={
                name.replace("_", "-"): value
                for name, value in headers.items()
            },
            timeout=30,
        )

    def tag(self, stack: rest.Stack, query: str = "") -> str:
        return self.send("GET", stack.path + query).headers["ETag"]


class ReadingTests(ConditionsTestCase):
    def test_what_has_not_changed_is_not_sent_again(self) -> None:
        stack = self.create()

        answer = self.send("GET", stack.path, If_None_Match=self.tag(stack))

        self.assertEqual(304, answer.status_code)
        self.assertEqual(b"", answer.content)
        self.assertEqual(self.tag(stack), answer.headers["ETag"])

    def test_a_tag_is_strong_and_one_of_several_is_enough(self) -> None:
        stack = self.create()
        tag = self.tag(stack)

        answer = self.send(
            "GET", stack.path, If_None_Match=f'"other", W/{tag}'
        )

        self.assertRegex(tag, '^"[0-9a-f-]+"$')
        self.assertEqual(304, answer.status_code)

    def test_each_change_of_the_stack_makes_another_tag(self) -> None:
        stack = self.create()
        tags = [self.tag(stack)]

        self.update(stack, world_templates.chain("other"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        tags.append(self.tag(stack))
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")
        tags.append(self.tag(stack))
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")
        tags.append(self.tag(stack))

        self.assertEqual(len(tags), len(set(tags)))
        answer = self.send("GET", stack.path, If_None_Match=tags[0])
        self.assertEqual(200, answer.status_code)
        self.assertEqual(tags[-1], answer.headers["ETag"])

    def test_what_is_shown_otherwise_has_another_tag(self) -> None:
        template = world_templates.chain()
        template["outputs"] = {"x": {"value": {"get_attr": ["a", "label"]}}}
        stack = self.created(template)

        tags = {
            self.tag(stack),
            self.tag(stack, "?resolve_outputs=false"),
        }

        self.assertEqual(2, len(tags))


class ChangingTests(ConditionsTestCase):
    """Every request that changes a stack, with a tag that is out of date."""

    def refused_412(self, answer: requests.Response) -> None:
        self.assertEqual(412, answer.status_code, answer.text)
        self.assertEqual(
            "HTTPPreconditionFailed", answer.json()["error"]["type"]
        )
        self.assertEqual("orch.stack.changed", answer.json()["error_code"])

    def test_a_stale_tag_changes_nothing(self) -> None:
        stack = self.create()
        stale = self.tag(stack)
        self.update(stack, world_templates.chain("second"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        before = self.operations(stack), self.labels()
        wanted = {"template": world_templates.chain("third")}
        nothing: world_templates.Json = {}

        for method, path, body in (
            ("PUT", "", wanted),
            ("PATCH", "", wanted),
            ("DELETE", "", None),
            ("POST", "/actions", {"suspend": None}),
            ("POST", "/actions", {"check": None}),
            ("POST", "/actions", {"retry": None}),
            ("POST", "/snapshots", nothing),
            ("POST", "/plans", {"action": "update", **wanted}),
            (
                "PATCH",
                "/resources/a",
                {"mark_unhealthy": True, "resource_status_reason": "r"},
            ),
        ):
            answer = self.send(method, stack.path + path, body, If_Match=stale)
            with self.subTest(method=method, path=path, body=body):
                self.refused_412(answer)

        self.assertEqual(before, (self.operations(stack), self.labels()))

    def test_the_tag_of_now_lets_the_change_pass_once(self) -> None:
        stack = self.create()
        tag = self.tag(stack)
        wanted = {"template": world_templates.chain("second")}

        answers = [
            self.send("PUT", stack.path, wanted, If_Match=tag)
            for _ in range(2)
        ]

        self.assertEqual(202, answers[0].status_code)
        self.refused_412(answers[1])

    def test_a_retry_depends_on_the_tag_too(self) -> None:
        self.world.order(self.name, "create", "b", how="error", times=1)
        stack = self.client.create(self.name, world_templates.chain())
        begun = self.tag(stack)
        self.client.wait(stack, "CREATE_FAILED")
        path, again = f"{stack.path}/actions", {"retry": None}

        self.refused_412(self.send("POST", path, again, If_Match=begun))
        answer = self.send("POST", path, again, If_Match=self.tag(stack))

        self.assertEqual(200, answer.status_code)
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_a_star_asks_only_that_there_is_a_stack(self) -> None:
        stack = self.create()

        found = self.send("DELETE", stack.path, If_Match="*")
        missing = self.send("DELETE", acting.MISSING.path, If_Match="*")

        self.assertEqual((204, 404), (found.status_code, missing.status_code))

    def test_a_weak_tag_fits_nothing(self) -> None:
        stack = self.create()

        answer = self.send(
            "DELETE", stack.path, If_Match=f"W/{self.tag(stack)}"
        )

        self.refused_412(answer)

    def test_what_is_no_tag_fits_nothing(self) -> None:
        stack = self.create()

        for given in ("unquoted", "two, unquoted", ","):
            self.refused_412(self.send("DELETE", stack.path, If_Match=given))

    def test_the_name_in_place_of_the_id_is_no_way_round(self) -> None:
        stack = self.create()
        stale = self.tag(stack)
        self.update(stack, world_templates.chain("second"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        before = self.operations(stack), self.labels()
        wanted = {"template": world_templates.chain("third")}

        for method, path, body in (
            ("PUT", "", wanted),
            ("PATCH", "", wanted),
            ("DELETE", "", None),
            ("POST", "/actions", {"suspend": None}),
            ("POST", "/snapshots", {}),
            ("POST", "/plans", {"action": "update", **wanted}),
            ("PATCH", "/resources/a", {"mark_unhealthy": True}),
            ("DELETE", "/abandon", None),
        ):
            answer = self.send(
                method,
                f"/stacks/{stack.name}/{stack.name}{path}",
                body,
                If_Match=stale,
            )
            self.assertEqual(404, answer.status_code, f"{method} {path}")

        self.assertEqual(before, (self.operations(stack), self.labels()))
