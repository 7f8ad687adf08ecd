"""A physical id belongs to a scope, and names one resource there."""

import pathlib
import tempfile
import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import serving
from tests.unit.resources.http import service

Json = dict[str, typing.Any]


def template(**resources: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def removed(of: service.Service) -> list[str]:
    """Return the paths of what a service was told to remove."""
    return [each.path for each in of.requests if each.method == "DELETE"]


class ScopesTestCase(serving.ServerTestCase):
    """A server, and two services that both know things 1, 2 and 3."""

    options: typing.ClassVar = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True},
        **serving.options(),
    }

    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rpartition(".")[2].replace("_", "-")
        self.one = self.service()
        self.two = self.service()

    def service(self) -> service.Service:
        made = self.useFixture(service.Service())
        for number in "123":
            path = f"/things/{number}"
            made.answers["GET", path] = (200, {"id": number})
            made.answers["PUT", path] = (200, {})
            made.answers["DELETE", path] = (204, None)
        made.answers["POST", "/things"] = (201, {"id": "3"})
        return made

    def declare(self, url: object, **more: object) -> Json:
        return {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": url,
                "create": {"path": "/things"},
                "read": {},
                **more,
            },
        }

    def adopt(
        self,
        wanted: Json,
        ids: Json,
        *,
        name: str = "",
        client: rest.Client | None = None,
        **body: object,
    ) -> rest.Stack:
        name = f"{self.name}{name}"
        client = client or self.client
        answer = client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": name,
                "adopt_stack_data": {"template": wanted, "resources": ids},
                **body,
            },
        )
        made = rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])
        self.addCleanup(self.delete, client, made)
        return made

    def adopted(
        self, wanted: Json, ids: Json, **more: typing.Any
    ) -> rest.Stack:
        stack = self.adopt(wanted, ids, **more)
        self.client.wait(stack, "ADOPT_COMPLETE")
        return stack

    def delete(self, client: rest.Client, stack: rest.Stack) -> None:
        if client.show(stack)["stack_status"] != "DELETE_COMPLETE":
            client.delete(stack)
            client.wait(stack, "DELETE_COMPLETE")

    def refusal(
        self, status: int, work: typing.Any, *given: object, **more: object
    ) -> str:
        error = self.assertRaises(rest.RefusedError, work, *given, **more)
        self.assertEqual(status, error.status)
        return error.message

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted, **body})


class ServiceTests(ScopesTestCase):
    def test_a_g4_two_services_have_the_same_ids(self) -> None:
        first = self.adopted(
            template(a=self.declare(self.one.url)), {"a": "1"}
        )
        self.adopted(
            template(a=self.declare(self.two.url)), {"a": "1"}, name="-2"
        )

        self.delete(self.client, first)

        self.assertEqual(1, len(removed(self.one)))
        self.assertEqual([], removed(self.two))

    def test_so_they_have_in_one_stack(self) -> None:
        wanted = template(
            a=self.declare(self.one.url), b=self.declare(self.two.url)
        )

        stack = self.adopted(wanted, {"a": "1", "b": "1"})

        self.assertEqual(
            "ADOPT_COMPLETE", self.client.show(stack)["stack_status"]
        )

    def test_one_service_may_be_spelled_in_many_ways(self) -> None:
        self.adopted(template(a=self.declare(self.one.url)), {"a": "1"})
        other = self.one.url.replace("http://", "HTTP://") + "/"
        below = self.declare(f"{self.one.url}/things/", create={})

        for wanted in (self.declare(other), below):
            told = self.refusal(
                409, self.adopt, template(b=wanted), {"b": "1"}, name="-2"
            )
            self.assertIn(f"resource a of stack {self.name}", told)

    def test_a_parameter_names_the_service(self) -> None:
        wanted = template(a=self.declare({"get_param": "url"}))
        wanted["parameters"] = {"url": {"type": "string"}}
        self.adopted(wanted, {"a": "1"}, parameters={"url": self.one.url})

        self.adopted(
            wanted,
            {"a": "1"},
            name="-2",
            parameters={"url": self.two.url},
        )
        self.refusal(
            409,
            self.adopt,
            wanted,
            {"a": "1"},
            name="-3",
            parameters={"url": self.one.url},
        )

    def late(self, url: str) -> Json:
        """Return a template in which a service is known only in the run."""
        value = {"type": "OS::Heat::Value", "properties": {"value": url}}
        return template(
            url=value, b=self.declare({"get_attr": ["url", "value"]})
        )

    def test_a_service_that_is_known_late_is_checked_late(self) -> None:
        self.adopted(template(a=self.declare(self.one.url)), {"a": "1"})

        other = self.adopt(
            self.late(self.two.url),
            {"b": "1"},
            name="-2",
            adopt_missing="create",
        )
        self.client.wait(other, "ADOPT_COMPLETE")
        same = self.adopt(
            self.late(self.one.url),
            {"b": "1"},
            name="-3",
            adopt_missing="create",
        )
        self.client.wait(same, "ADOPT_FAILED")

        reason = self.client.resources(same)["b"]["resource_status_reason"]
        self.assertIn("1 belongs to resource a of stack", reason)
        self.delete(self.client, same)
        self.assertEqual([], removed(self.one))

    def test_a_row_of_an_earlier_release_says_it_by_its_properties(
        self,
    ) -> None:
        first = self.adopted(
            template(a=self.declare(self.one.url)), {"a": "1"}
        )
        lifecycle.change(
            self.system,
            "UPDATE resources SET id_scope = NULL"
            f" WHERE stack_id = '{first.id}'",
        )

        self.adopted(
            template(a=self.declare(self.two.url)), {"a": "1"}, name="-2"
        )
        self.refusal(
            409,
            self.adopt,
            template(a=self.declare(self.one.url)),
            {"a": "1"},
            name="-3",
        )


class OneResourceTests(ScopesTestCase):
    def twice(self) -> Json:
        return template(
            a=self.declare(self.one.url), b=self.declare(self.one.url)
        )

    def check(self, told: str, *names: str) -> None:
        for name in names:
            self.assertIn(f"resources.{name}", told)
        self.assertIn("same physical resource", told)
        self.assertEqual([], removed(self.one))

    def test_a_g4_a_document_gives_no_id_twice(self) -> None:
        told = self.refusal(
            400, self.adopt, self.twice(), {"a": "1", "b": "1"}
        )

        self.check(told, "a", "b")

    def test_nor_does_an_update(self) -> None:
        stack = self.client.create(self.name, template())
        self.addCleanup(self.delete, self.client, stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        told = self.refusal(
            400,
            self.update,
            stack,
            self.twice(),
            external_ids={"a": "1", "b": "1"},
        )

        self.check(told, "a", "b")

    def test_nor_what_the_stack_has(self) -> None:
        stack = self.adopted(
            template(a=self.declare(self.one.url)), {"a": "1"}
        )

        told = self.refusal(
            400, self.update, stack, self.twice(), external_ids={"b": "1"}
        )

        self.check(told, "a", "b")

    def test_nor_what_it_learns_late(self) -> None:
        value = {
            "type": "OS::Heat::Value",
            "properties": {"value": self.one.url},
        }
        wanted = template(
            a=self.declare(self.one.url),
            url=value,
            b=self.declare({"get_attr": ["url", "value"]}),
        )

        stack = self.adopt(
            wanted, {"a": "1", "b": "1"}, adopt_missing="create"
        )

        self.client.wait(stack, "ADOPT_FAILED")
        reason = self.client.resources(stack)["b"]["resource_status_reason"]
        self.check(reason, "a", "b")

    def test_nor_do_the_levels_of_a_tree(self) -> None:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": 1,
                "resource_def": self.declare(self.one.url),
            },
        }
        wanted = template(a=self.declare(self.one.url), group=group)
        member = {"type": "Orch::HTTP::Resource", "resource_id": "1"}
        ids = {
            "a": "1",
            "group": {"template": template(), "resources": {"0": member}},
        }

        for owned in (False, True):
            stack = self.adopt(
                wanted, ids, name=f"-{owned}", adopt_owned=owned
            )
            self.client.wait(stack, "ADOPT_FAILED")
            reason = self.client.show(stack)["stack_status_reason"]
            self.check(str(reason), "0", "a")
            self.client.ask("DELETE", f"{stack.path}/abandon")
            self.client.wait(stack, "DELETE_COMPLETE")

    def test_what_only_refers_to_it_owns_nothing(self) -> None:
        wanted = self.twice()
        wanted["resources"]["b"]["external_id"] = "1"

        stack = self.adopted(wanted, {"a": "1"})

        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        self.client.wait(stack, "CHECK_COMPLETE")


class TakenOverTests(ScopesTestCase):
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


class RightTests(ScopesTestCase):
    """Who may take from other stacks has a right of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        rules = pathlib.Path(place.name) / "policy.yaml"
        rules.write_text('"stacks:adopt_owned": "role:admin"\n')
        cls.options = {
            **ScopesTestCase.options,
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


class ExternalTests(ScopesTestCase):
    def external(self, physical_id: str) -> Json:
        made = self.declare(self.one.url)
        return template(a={**made, "external_id": physical_id})

    def test_it_has_to_exist(self) -> None:
        self.one.answers["GET", "/things/nothing"] = (404, {})

        told = self.refusal(
            400, self.client.create, self.name, self.external("nothing")
        )

        self.assertIn("resources.a.external_id", told)

    def test_it_has_to_exist_in_an_update(self) -> None:
        self.one.answers["GET", "/things/nothing"] = (404, {})
        stack = self.client.create(self.name, template())
        self.addCleanup(self.delete, self.client, stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.refusal(400, self.update, stack, self.external("nothing"))

    def test_it_is_checked(self) -> None:
        stack = self.client.create(self.name, self.external("1"))
        self.addCleanup(self.delete, self.client, stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        self.client.wait(stack, "CHECK_COMPLETE")
        self.one.answers["GET", "/things/1"] = (404, {})
        self.client.ask("POST", f"{stack.path}/actions", {"check": None})

        self.client.wait(stack, "CHECK_FAILED")
        self.assertEqual([], removed(self.one))

    def test_without_properties_nobody_can_look(self) -> None:
        wanted = template(
            a={"type": "Orch::HTTP::Resource", "external_id": "1"}
        )
        stack = self.client.create(self.name, wanted)
        self.addCleanup(self.delete, self.client, stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.ask("POST", f"{stack.path}/actions", {"check": None})

        self.client.wait(stack, "CHECK_COMPLETE")

    def test_a_file_has_to_exist(self) -> None:
        wanted = template(
            a={"type": "Orch::Local::File", "external_id": "nothing/here"}
        )

        told = self.refusal(400, self.client.create, self.name, wanted)

        self.assertIn("nothing/here", told)

    def test_what_vanishes_before_the_run_fails_it(self) -> None:
        """The run looks again, as where the URL is not known before."""
        self.one.answers["GET", "/things/nothing"] = (404, {})
        url = {
            "type": "OS::Heat::Value",
            "properties": {"value": self.one.url},
        }
        wanted = template(
            url=url,
            a={
                **self.declare({"get_attr": ["url", "value"]}),
                "external_id": "nothing",
            },
        )

        stack = self.client.create(self.name, wanted)
        self.addCleanup(self.delete, self.client, stack)

        self.client.wait(stack, "CREATE_FAILED")
        reason = self.client.resources(stack)["a"]["resource_status_reason"]
        self.assertIn("names nothing that exists", reason)
