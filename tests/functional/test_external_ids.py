"""An external id has to name something that exists, where that is known."""

from tests.functional import scoping

Json = scoping.Json
removed = scoping.removed
template = scoping.template


class ExternalTests(scoping.ScopesTestCase):
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
