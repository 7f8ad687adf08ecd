"""A physical id belongs to a scope, and names one resource there."""

from tests.functional import lifecycle
from tests.functional import scoping

Json = scoping.Json
removed = scoping.removed
template = scoping.template


class ServiceTests(scoping.ScopesTestCase):
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


class OneResourceTests(scoping.ScopesTestCase):
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

    def test_a_document_shows_it_across_the_levels(self) -> None:
        """Of a type whose ids are unique as they are."""
        entry = {"type": "Orch::Local::File", "resource_id": "one/file"}
        wanted = template(
            a={"type": "Orch::Local::File", "properties": {"path": "a"}}
        )
        ids = {
            "a": entry,
            "group": {"template": template(), "resources": {"0": entry}},
        }

        told = self.refusal(400, self.adopt, wanted, ids)

        self.check(told, "a", "group/0")

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
