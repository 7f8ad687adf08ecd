"""What is adopted stays with its owner until plug-ins allow the adoption."""

import typing

from tests.functional import lifecycle
from tests.functional import nesting
from tests.support import move_bodies
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]
template = world_templates.template

_LINKED: typing.Final = "Test::World::Linked"
_CHILD: typing.Final = """
heat_template_version: 2021-04-16
resources:
  b: {type: Test::World::Linked}
"""


def linked(**properties: object) -> Json:
    return {"type": _LINKED, "properties": properties}


def held_child() -> Json:
    return {"type": "child.yaml"}


class HeldTestCase(lifecycle.LifecycleTestCase, nesting.NestedTestCase):
    """A stack owns ``a``; requests of others adopt it."""

    count = 2
    options: typing.ClassVar[Json] = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
    }
    files: typing.ClassVar[Json] = {"child.yaml": _CHILD}

    def setUp(self) -> None:
        super().setUp()
        self.former = self.made("-former", a=linked(label="x"))
        self.physical_id = self.id_of(self.former, "a")

    def made(self, suffix: str, **resources: Json) -> rest.Stack:
        stack = self.client.create(
            f"{self.name}{suffix}", template(**resources), files=self.files
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def made_with_child(self) -> tuple[rest.Stack, rest.Stack, str]:
        """Return a root stack, its child, and the id of what that owns."""
        root = self.made("-root", kid=held_child())
        child = self.child_of(root, "kid")
        return root, child, self.id_of(child, "b")

    def id_of(self, stack: rest.Stack, name: str) -> str:
        row = self.client.resources(stack)[name]
        return str(row["physical_resource_id"])

    def adopt(self, physical_id: str, **body: object) -> rest.Stack:
        """Ask for the adoption of a thing by a new stack."""
        entry = {"type": _LINKED, "resource_id": physical_id}
        return self.adopt_document(
            {"template": template(n=linked()), "resources": {"n": entry}},
            **body,
        )

    def adopt_document(self, document: Json, **body: object) -> rest.Stack:
        name = f"{self.name}-new"
        answer = self.client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": name,
                "adopt_stack_data": document,
                "adopt_owned": True,
                **body,
            },
        )
        return rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])

    def adopt_held(self, **body: object) -> rest.Stack:
        """Return a stack whose adoption is on hold."""
        self.plugins.order(1, "pre", "hold", verb="adopt", text="ask Ann")
        stack = self.adopt(self.physical_id, **body)
        self.wait_until_held(stack)
        return stack

    def patch(self, stack: rest.Stack) -> None:
        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")

    def things(self) -> list[str]:
        """Return the ids of all that exists of the stacks of the test."""
        found = self.world.resources_of_tree(self.name)
        return sorted(each.id for each in found)

    def check_owner(
        self, stack: rest.Stack, name: str, physical_id: str
    ) -> None:
        """Check that a stack has a thing, and that its update keeps it."""
        before = self.things()
        row = self.client.resources(stack)[name]
        self.assertEqual("CREATE_COMPLETE", row["resource_status"])
        self.assertEqual(physical_id, row["physical_resource_id"])
        self.assertNotIn("Taken over", str(self.client.events(stack)))
        self.patch(stack)
        self.assertEqual(before, self.things())
        self.assertEqual(physical_id, self.id_of(stack, name))

    def check_taken(
        self, former: rest.Stack, name: str, new: rest.Stack
    ) -> None:
        """Check that a stack has lost what another one has now."""
        self.assertNotIn(name, self.client.resources(former))
        reasons = [
            str(each["resource_status_reason"])
            for each in self.client.events(former)
        ]
        expected = f"Taken over by stack {new.name} ({new.id})"
        self.assertEqual(1, sum(expected in each for each in reasons))

    def delete(self, stack: rest.Stack) -> None:
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")


class DeniedTests(HeldTestCase):
    def test_a_denied_adoption_takes_nothing(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")

        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_FAILED")

        self.check_owner(self.former, "a", self.physical_id)
        self.delete(new)
        self.assertEqual([], self.client.get("/leftovers", "leftovers"))
        self.assertEqual([self.physical_id], self.things())
        self.delete(self.former)
        self.assertEqual([], self.things())

    def test_a_retry_that_is_allowed_takes_it(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")
        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_FAILED")
        self.plugins.forgive()

        self.act(new, "retry", {})
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        self.delete(self.former)
        self.assertEqual([self.physical_id], self.things())
        self.delete(new)
        self.assertEqual([], self.things())

    def test_a_denied_update_takes_nothing(self) -> None:
        new = self.made("-new")
        self.plugins.order(1, "pre", "deny", verb="update", stack=new.name)

        self.update(
            new,
            template(n=linked()),
            external_ids={"n": self.physical_id},
            adopt_owned=True,
        )
        self.client.wait(new, "UPDATE_FAILED")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_rejected_adoption_takes_nothing(self) -> None:
        new = self.adopt_held()

        self.act(new, "reject", {})
        self.client.wait(new, "ADOPT_FAILED")

        self.check_owner(self.former, "a", self.physical_id)

    def test_a_cancelled_update_takes_nothing(self) -> None:
        new = self.made("-new")
        self.plugins.order(1, "pre", "hold", verb="update", stack=new.name)
        self.update(
            new,
            template(n=linked()),
            external_ids={"n": self.physical_id},
            adopt_owned=True,
        )
        self.wait_until_held(new)

        self.act(new, "cancel_without_rollback")
        self.client.wait(new, "UPDATE_FAILED")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_another_request_instead_takes_nothing(self) -> None:
        new = self.made("-new")
        self.plugins.order(1, "pre", "hold", verb="update", stack=new.name)
        self.update(
            new,
            template(n=linked()),
            external_ids={"n": self.physical_id},
            adopt_owned=True,
        )
        self.wait_until_held(new)
        self.plugins.forgive()

        self.update(new, template())
        self.client.wait(new, "UPDATE_COMPLETE")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_deletion_instead_takes_nothing(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="adopt")
        new = self.adopt(self.physical_id)
        self.wait_until_held(new)

        self.delete(new)

        self.assertEqual([self.physical_id], self.things())
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_rollback_before_it_starts_takes_nothing(self) -> None:
        new = self.made("-new")
        self.world.order(new.name, "create", "x", how="permanent")
        self.update(
            new,
            template(
                x=world_templates.declare_resource(),
                n={**linked(), "depends_on": "x"},
            ),
            external_ids={"n": self.physical_id},
            adopt_owned=True,
            disable_rollback=False,
        )
        self.client.wait(new, "ROLLBACK_COMPLETE")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_denied_adoption_takes_nothing_from_a_child(self) -> None:
        root, child, physical_id = self.made_with_child()
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")

        new = self.adopt(physical_id)
        self.client.wait(new, "ADOPT_FAILED")

        before = self.things()
        self.patch(root)
        self.assertEqual(before, self.things())
        self.assertEqual(physical_id, self.id_of(child, "b"))


class ApprovedTests(HeldTestCase):
    def approve(self, stack: rest.Stack, status: str) -> str:
        self.act(stack, "approve", {})
        shown = self.client.wait(stack, status)
        return str(shown["stack_status_reason"])

    def test_the_owner_works_on_while_it_is_held(self) -> None:
        new = self.adopt_held()

        self.check_owner(self.former, "a", self.physical_id)
        self.update(self.former, template(a=linked(label="y")))
        self.client.wait(self.former, "UPDATE_COMPLETE")
        self.approve(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        self.assertEqual([self.physical_id], self.things())
        self.delete(self.former)
        self.assertEqual([self.physical_id], self.things())

    def test_it_is_not_taken_once_the_owner_has_deleted_it(self) -> None:
        new = self.adopt_held()
        self.update(self.former, template())
        self.client.wait(self.former, "UPDATE_COMPLETE")

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn(f"stack {self.former.name}", reason)
        self.assertIn("does not own it any more", reason)
        self.assertEqual([], self.things())

    def test_it_is_not_taken_from_another_owner(self) -> None:
        new = self.adopt_held()
        third = self.made("-third")
        body = move_bodies.written(
            self.system.endpoint, self.former, third.id, ["a"]
        )
        self.client.ask("POST", f"{self.former.path}/move", body)
        for each in (self.former, third):
            self.client.wait(each, "UPDATE_COMPLETE")

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn("does not own it any more", reason)
        self.assertEqual(self.physical_id, self.id_of(third, "a"))
        self.assertEqual([self.physical_id], self.things())

    def test_it_is_not_taken_while_the_owner_is_busy(self) -> None:
        new = self.adopt_held()
        self.plugins.order(1, "pre", "hold", verb="update")
        self.client.ask("PATCH", self.former.path, {})
        self.wait_until_held(self.former)

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn("which has an operation in progress", reason)
        self.act(self.former, "approve", {})
        self.client.wait(self.former, "UPDATE_COMPLETE")
        self.assertEqual(self.physical_id, self.id_of(self.former, "a"))
        self.plugins.forgive()
        self.act(new, "retry", {})
        self.client.wait(new, "ADOPT_COMPLETE")
        self.check_taken(self.former, "a", new)

    def test_of_two_adoptions_one_takes_it(self) -> None:
        new = self.adopt_held()
        third = self.made("-third")
        body = {"external_ids": {"a": self.physical_id}, "adopt_owned": True}
        self.update(third, template(a=linked()), **body)
        self.client.wait(third, "UPDATE_COMPLETE")
        self.check_taken(self.former, "a", third)

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn("does not own it any more", reason)
        self.delete(new)
        self.assertEqual(self.physical_id, self.id_of(third, "a"))
        self.assertEqual([self.physical_id], self.things())

    def test_the_ids_are_given_anew_where_the_owner_changed(self) -> None:
        new = self.adopt_held()
        third = self.made("-third")
        body = {"external_ids": {"a": self.physical_id}, "adopt_owned": True}
        self.update(third, template(a=linked()), **body)
        self.client.wait(third, "UPDATE_COMPLETE")
        self.approve(new, "ADOPT_FAILED")
        self.plugins.forgive()

        self.update(
            new,
            template(n=linked()),
            external_ids={"n": self.physical_id},
            adopt_owned=True,
        )
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_taken(third, "a", new)
        self.assertEqual([self.physical_id], self.things())

    def test_it_is_taken_from_a_child(self) -> None:
        _, child, self.physical_id = self.made_with_child()
        new = self.adopt_held()
        self.assertEqual(self.physical_id, self.id_of(child, "b"))

        self.approve(new, "ADOPT_COMPLETE")

        self.check_taken(child, "b", new)

    def test_a_child_takes_it(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="adopt", text="ask Ann")
        new = self.adopt_document(self.nested_document())
        self.wait_until_held(new)
        self.check_owner(self.former, "a", self.physical_id)

        self.approve(new, "ADOPT_COMPLETE")

        child = self.child_of(new, "kid")
        self.assertEqual(self.physical_id, self.id_of(child, "b"))
        self.check_taken(self.former, "a", new)

    def test_a_child_takes_nothing_from_a_tree_that_was_not_asked(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "hold", verb="adopt", text="ask Ann")
        new = self.adopt_document(self.nested_document())
        self.wait_until_held(new)
        third = self.made("-third")
        body = {"external_ids": {"a": self.physical_id}, "adopt_owned": True}
        self.update(third, template(a=linked()), **body)
        self.client.wait(third, "UPDATE_COMPLETE")

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn(f"resource a of stack {third.name}", reason)
        self.assertEqual(self.physical_id, self.id_of(third, "a"))

    def nested_document(self) -> Json:
        """Return a document whose child stack has the thing of the test."""
        entry = {"type": _LINKED, "resource_id": self.physical_id}
        return {
            "template": template(kid=held_child()),
            "files": self.files,
            "resources": {"kid": {"resources": {"b": entry}}},
        }


class ReleaseTests(HeldTestCase):
    """The plug-ins of the stack that loses something judge that."""

    def asked(self, stack: rest.Stack) -> list[Json]:
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
        listed = typing.cast(list[Json], self.client.get("/stacks", "stacks"))
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
            "template": template(n=linked()),
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
            "template": template(n=linked()),
            "external_ids": {"n": self.physical_id},
            "adopt_owned": True,
        }
        plan = self.client.post(f"{new.path}/plans", "plan", **body)
        path = f"{new.path}/plans/{plan['id']}/apply"
        self.assertEqual([], self.asked(self.former))
        self.plugins.order(1, "pre", "deny", verb="release")

        error = self.refusal(self.client.ask, "POST", path, {})

        self.assertEqual(403, error.status, error.message)
        self.plugins.forgive()
        self.client.ask("POST", path, {})
        self.client.wait(new, "UPDATE_COMPLETE")
        self.check_taken(self.former, "a", new)

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
        self.assertEqual(calls, self.plugins.calls(self.former, "release"))
        outcomes = self.plugins.outcomes(self.former, "release")
        self.assertEqual(["complete", "complete"], outcomes)
        self.assertEqual(["a"], self.asked(self.former)[0]["paths"])
        self.assertEqual([], self.asked(new))
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
        entry = {"type": _LINKED, "resource_id": self.physical_id}
        document = {
            "template": template(kid=held_child()),
            "files": self.files,
            "resources": {"kid": {"resources": {"b": entry}}},
        }
        # The template of the child stack has the type.
        body = {
            "template": template(kid=held_child()),
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
        entry = {"type": _LINKED}
        document = {
            "template": template(n=linked(), m=linked()),
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
            outcomes = self.plugins.outcomes(each, "release")
            self.assertEqual("complete", outcomes[-1])


class KilledTests(HeldTestCase):
    """Each moment at which a worker dies leaves one owner."""

    def kill(self) -> None:
        for each in self.system.members:
            each.kill()
        self.system.start()

    def test_while_the_adoption_is_held(self) -> None:
        new = self.adopt_held()

        self.kill()

        self.check_owner(self.former, "a", self.physical_id)
        self.act(new, "approve", {})
        self.client.wait(new, "ADOPT_COMPLETE")
        self.check_taken(self.former, "a", new)
        self.assertEqual([self.physical_id], self.things())

    def test_before_a_rejection(self) -> None:
        new = self.adopt_held()

        self.kill()
        self.act(new, "reject", {})
        self.client.wait(new, "ADOPT_FAILED")

        self.check_owner(self.former, "a", self.physical_id)

    def test_while_the_physical_resource_is_read(self) -> None:
        self.world.order(f"{self.name}-new", "check", "n")
        new = self.adopt(self.physical_id)
        waiting.wait_for(
            lambda: "a" not in self.client.resources(self.former), "taken"
        )

        self.kill()
        self.world.forgive(f"{self.name}-new")
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        self.delete(new)
        self.assertEqual([], self.things())
