"""Plug-ins judge what ``adopt_owned`` takes from their stacks."""

import typing

from tests.functional import owning
from tests.support import rest
from tests.support import waiting


class ReleaseTests(owning.HeldTestCase):
    """The plug-ins of the stack that loses something judge that."""

    def release_calls(self, stack: rest.Stack) -> list[owning.Json]:
        return [
            each
            for each in self.plugins.lines(stack)
            if each["verb"] == "release"
        ]

    def refusal(self, *given: typing.Any, **more: typing.Any) -> typing.Any:
        return self.assertRaises(rest.RefusedError, *given, **more)

    def test_a_denial_refuses_the_adoption(self) -> None:
        self.plugins.order(
            2, "pre", "deny", stack=self.former.name, text="frozen"
        )

        error = self.refusal(self.adopt, self.physical_id)

        self.assertEqual(
            (403, "Lifecycle plug-in orch-test-2 denied the release: frozen"),
            (error.status, error.message),
        )
        listed = typing.cast(
            list[owning.Json], self.client.get("/stacks", "stacks")
        )
        names = [each["stack_name"] for each in listed]
        self.assertNotIn(f"{self.name}-new", names)
        outcomes = self.plugins.outcomes(self.former, "release")
        self.assertEqual(["denied"], outcomes)
        self.plugins.forgive()
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_denial_refuses_an_update_and_a_creation(self) -> None:
        new = self.made("-new")
        self.plugins.order(1, "pre", "deny", verb="release")
        body = {
            "template": owning.template(n=owning.linked()),
            "external_ids": {"n": self.physical_id},
            "adopt_owned": True,
        }

        for method, path, more in (
            ("PUT", new.path, {}),
            ("PATCH", new.path, {}),
            ("POST", "/stacks", {"stack_name": f"{self.name}-3"}),
        ):
            error = self.refusal(
                self.client.ask, method, path, {**body, **more}
            )
            self.assertEqual(403, error.status, method)

        self.assertEqual("CREATE_COMPLETE", self.state(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_denial_refuses_what_was_planned(self) -> None:
        new = self.made("-new")
        body = {
            "action": "update",
            "template": owning.template(n=owning.linked()),
            "external_ids": {"n": self.physical_id},
            "adopt_owned": True,
        }
        plan = self.client.post(f"{new.path}/plans", "plan", **body)
        path = f"{new.path}/plans/{plan['id']}/apply"
        phases = {each["phase"] for each in self.release_calls(self.former)}
        self.assertEqual({"pre"}, phases)
        self.plugins.order(1, "pre", "deny", verb="release")

        error = self.refusal(self.client.ask, "POST", path, {})

        self.assertEqual(403, error.status, error.message)
        self.plugins.forgive()
        self.client.ask("POST", path, {})
        self.client.wait(new, "UPDATE_COMPLETE")
        self.check_taken(self.former, "a", new)

    def test_previews_and_plans_show_the_verdicts(self) -> None:
        new = self.made("-new")
        self.plugins.order(2, "pre", "deny", verb="release", text="frozen")
        adopted = {
            "template": owning.template(n=owning.linked()),
            "external_ids": {"n": self.physical_id},
            "adopt_owned": True,
        }
        document = {
            "template": owning.template(n=owning.linked()),
            "resources": {
                "n": {"type": owning.LINKED, "resource_id": self.physical_id}
            },
        }
        created = {"stack_name": f"{self.name}-3"}
        for method, path, body in (
            ("POST", f"{new.path}/plans", {**adopted, "action": "update"}),
            ("PUT", f"{new.path}/preview", adopted),
            ("PATCH", f"{new.path}/preview", adopted),
            ("POST", "/stacks/preview", {**adopted, **created}),
            (
                "POST",
                "/stacks/preview",
                {
                    **created,
                    "adopt_stack_data": document,
                    "adopt_owned": True,
                },
            ),
        ):
            found = typing.cast(
                owning.Json, self.client.ask(method, path, body)
            )
            plan = found.get("stack", found)["plan"]
            (verdict,) = plan["verdicts"]
            self.assertEqual(
                (
                    "orch-test-2",
                    "deny",
                    f"Release from stack {self.former.name}: frozen",
                ),
                (verdict["plugin"], verdict["ruling"], verdict["text"]),
                f"{method} {path}",
            )
        phases = {each["phase"] for each in self.release_calls(self.former)}
        self.assertEqual({"pre"}, phases)
        self.plugins.forgive()
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_hold_refuses_it_too(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="release", text="ask Ann")

        error = self.refusal(self.adopt, self.physical_id)

        self.assertEqual(409, error.status)
        self.assertIn("orch-test-1", error.message)
        self.check_owner(self.former, "a", self.physical_id)

    def test_they_are_called_before_and_after(self) -> None:
        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_COMPLETE")

        calls = [("pre", "1"), ("pre", "2"), ("post", "2"), ("post", "1")]
        waiting.wait_for(
            lambda: self.plugins.calls(self.former, "release") == calls,
            "the calls of the release",
        )
        self.assertEqual(["a"], self.release_calls(self.former)[0]["paths"])
        self.assertEqual([], self.release_calls(new))
        self.assertEqual(calls, self.plugins.calls(new, "adopt"))

    def test_nothing_is_released_without_adopt_owned(self) -> None:
        error = self.refusal(self.adopt, self.physical_id, adopt_owned=False)

        self.assertEqual(409, error.status)
        self.assertEqual([], self.plugins.calls(self.former, "release"))

    def test_those_of_the_root_judge_for_a_child(self) -> None:
        root, child, physical_id = self.made_with_child()
        self.plugins.order(1, "pre", "deny", stack=root.name)

        error = self.refusal(self.adopt, physical_id)

        self.assertEqual(403, error.status)
        self.assertEqual(physical_id, self.id_of(child, "b"))

    def test_they_judge_what_a_child_is_to_take(self) -> None:
        self.plugins.order(1, "pre", "deny", stack=self.former.name)
        third = self.made("-third")
        document = self.nested_document()
        # The template of the child stack has the type.
        body = {
            "template": owning.template(kid=owning.held_child()),
            "files": self.files,
            "external_ids": {"kid/b": self.physical_id},
            "adopt_owned": True,
        }

        for work, given in (
            (self.adopt_document, (document,)),
            (self.client.ask, ("PUT", third.path, body)),
        ):
            error = self.refusal(work, *given)
            self.assertEqual(403, error.status, error.message)

        self.plugins.forgive()
        self.check_owner(self.former, "a", self.physical_id)

    def test_all_that_lose_something_are_asked(self) -> None:
        root, _, other_id = self.made_with_child()
        entry = {"type": owning.LINKED}
        document = {
            "template": owning.template(n=owning.linked(), m=owning.linked()),
            "resources": {
                "n": {**entry, "resource_id": self.physical_id},
                "m": {**entry, "resource_id": other_id},
            },
        }
        self.plugins.order(1, "pre", "deny", stack=root.name)

        error = self.refusal(self.adopt_document, document)
        self.assertEqual(403, error.status)
        self.plugins.forgive()
        new = self.adopt_document(document)
        self.client.wait(new, "ADOPT_COMPLETE")

        for each in (self.former, root):
            waiting.wait_for(
                lambda each=each: (
                    self.plugins.outcomes(each, "release")[-2:]
                    == ["complete"] * 2
                ),
                "the post-ops of the release",
            )


class OverrideTests(owning.HeldTestCase):
    """The second plug-in is soft-mandatory."""

    each: typing.ClassVar[owning.Json] = {"levels": {2: "soft-mandatory"}}

    def test_a_release_is_overridden_and_the_owner_has_an_event(self) -> None:
        self.plugins.order(2, "pre", "deny", verb="release", text="stay")
        self.client = rest.Client(
            self.client.endpoint, user_name="ann", override="it is ours"
        )
        self.addCleanup(self.client.close)

        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        told = [each for each in self.reasons(self.former) if "stay" in each]
        self.assertEqual(1, len(told), told)
        self.assertIn("it is ours", told[0])
