"""Who adopts what another stack owns takes it from there, with a right."""

import pathlib
import tempfile
import typing

from tests.functional import scoping
from tests.support import rest

Json = scoping.Json
removed = scoping.removed
template = scoping.template


class TakenOverTests(scoping.ScopesTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.wanted = template(a=self.declare(self.one.url))
        self.former = self.adopted(self.wanted, {"a": "1"})

    def take_over(self, **more: typing.Any) -> rest.Stack:
        return self.adopt(
            template(b=self.declare(self.one.url)),
            {"b": "1"},
            name="-2",
            adopt_owned=True,
            **more,
        )

    def test_a_g4_the_former_owner_loses_it_and_is_told(self) -> None:
        stack = self.take_over()
        self.client.wait(stack, "ADOPT_COMPLETE")

        reasons = [
            str(each["resource_status_reason"])
            for each in self.client.events(self.former)
        ]
        self.assertIn(f"Taken over by stack {stack.name}", reasons[-1])
        self.assertNotIn("a", self.client.resources(self.former))
        self.delete(self.client, self.former)
        self.assertEqual([], removed(self.one))
        self.delete(self.client, stack)
        self.assertEqual(["/things/1"], removed(self.one))

    def test_its_next_update_makes_another_and_the_plan_tells(self) -> None:
        self.client.wait(self.take_over(), "ADOPT_COMPLETE")

        shown = typing.cast(
            Json,
            self.client.ask(
                "PUT",
                f"{self.former.path}/preview",
                {"template": self.wanted},
            ),
        )
        self.update(self.former, self.wanted)
        self.client.wait(self.former, "UPDATE_COMPLETE")

        (added,) = shown["resource_changes"]["added"]
        self.assertEqual("a", added["resource_name"])
        plan = str(shown["plan"])
        self.assertIn(f"was taken over by stack {self.name}-2", plan)
        row = self.client.resources(self.former)["a"]
        self.assertEqual("3", row["physical_resource_id"])
        self.assertEqual([], removed(self.one))

    def test_not_while_an_operation_of_it_is_in_progress(self) -> None:
        self.one.answers["POST", "/slow"] = (201, {"id": "9"})
        self.one.answers["GET", "/slow/9"] = (200, {"state": "BUILD"})
        slow = self.declare(
            self.one.url,
            create={"path": "/slow"},
            ready={"pointer": "/state", "value": "UP"},
        )
        self.update(
            self.former,
            template(a=self.declare(self.one.url), slow=slow),
        )

        told = self.refusal(409, self.take_over)

        self.assertIn("operation in progress", told)
        self.one.answers["GET", "/slow/9"] = (200, {"state": "UP"})
        self.one.answers["DELETE", "/slow/9"] = (204, None)
        self.client.wait(self.former, "UPDATE_COMPLETE")
        self.assertIn("a", self.client.resources(self.former))

    def test_it_is_taken_by_an_update_too(self) -> None:
        stack = self.client.create(f"{self.name}-2", template())
        self.addCleanup(self.delete, self.client, stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        body = {"external_ids": {"a": "1"}, "adopt_owned": True}

        self.client.ask(
            "PUT",
            f"{stack.path}/preview",
            {"template": self.wanted, **body},
        )
        self.assertIn("a", self.client.resources(self.former))
        self.update(stack, self.wanted, **body)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertNotIn("a", self.client.resources(self.former))

    def test_the_same_id_of_another_service_stays(self) -> None:
        stack = self.adopt(
            template(b=self.declare(self.two.url)),
            {"b": "1"},
            name="-2",
            adopt_owned=True,
        )
        self.client.wait(stack, "ADOPT_COMPLETE")

        self.assertIn("a", self.client.resources(self.former))


class RightTests(scoping.ScopesTestCase):
    """Who may take from other stacks has a right of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        rules = pathlib.Path(place.name) / "policy.yaml"
        rules.write_text('"stacks:adopt_owned": "role:admin"\n')
        cls.options = {
            **scoping.ScopesTestCase.options,
            "oslo_policy": {"policy_file": rules},
        }
        super().setUpClass()

    def test_it_needs_the_right(self) -> None:
        wanted = template(a=self.declare(self.one.url))
        member = rest.Client(self.client.endpoint, roles="member")
        self.addCleanup(member.close)
        stack = self.adopted(wanted, {"a": "1"})
        body = {"external_ids": {"a": "1"}, "adopt_owned": True}

        self.refusal(
            403,
            self.adopt,
            wanted,
            {"a": "1"},
            name="-2",
            client=member,
            adopt_owned=True,
        )
        for method, path in (
            ("PUT", stack.path),
            ("PUT", f"{stack.path}/preview"),
            ("PATCH", stack.path),
        ):
            self.refusal(
                403,
                member.ask,
                method,
                path,
                {"template": wanted, **body},
            )
        self.assertIn("a", self.client.resources(stack))
