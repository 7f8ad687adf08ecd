"""Types without a plug-in: known to all who ask, and never made."""

import collections.abc
import json

from tests.support import rest
from tests.support import serving
from tests.support import shared

Facts = dict[str, object]


def template(**resources: object) -> Facts:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def without_descriptions(value: object) -> object:
    """Return the value without its descriptions, at any depth."""
    if isinstance(value, dict):
        return {
            key: without_descriptions(one)
            for key, one in value.items()
            if key not in ("description", "support")
        }
    if isinstance(value, list):
        return [without_descriptions(one) for one in value]
    return value


PORT = {
    "type": "OS::Neutron::Port",
    "properties": {
        "network_id": "net",
        "fixed_ips": [{"subnet": "sub", "ip_address": "10.0.0.4"}],
    },
}


class KnownTypesTests(serving.ServerTestCase):
    """All on one server."""

    def refused(self, ask: collections.abc.Callable[[], object]) -> Facts:
        """Return the error of a request, which must be a 400."""
        error = self.assertRaises(rest.RefusedError, ask)
        self.assertEqual(400, error.status, error.body)
        return error.body

    def validate(self, written: Facts) -> object:
        return self.client.ask("POST", "/validate", {"template": written})

    def test_a_stack_of_them_is_refused_and_nothing_is_stored(self) -> None:
        written = template(
            port=PORT,
            server={
                "type": "OS::Nova::Server",
                "properties": {
                    "flavor": "m1.small",
                    "networks": [{"port": {"get_resource": "port"}}],
                },
            },
            value={"type": "OS::Heat::Value", "properties": {"value": 1}},
        )
        for path in ("/stacks", "/stacks/preview"):
            body = self.refused(
                lambda path=path: self.client.ask(
                    "POST", path, {"stack_name": "cloud", "template": written}
                )
            )

            self.assertEqual("ResourceTypeUnavailable", body["error"]["type"])
            text = body["error"]["message"]
            self.assertIn("OS::Neutron::Port (port)", text)
            self.assertIn("OS::Nova::Server (server)", text)
            self.assertNotIn("OS::Heat::Value", text)
            self.assertEqual(
                {"resources.port.type", "resources.server.type"},
                {problem["path"] for problem in body["problems"]},
            )
        self.assertEqual([], self.client.get("/stacks", "stacks"))

    def test_one_whose_service_is_gone_says_so(self) -> None:
        rule = {"type": "OS::Neutron::FirewallRule", "properties": {}}

        body = self.refused(
            lambda: self.client.create("old", template(rule=rule))
        )

        self.assertEqual("ResourceTypeUnavailable", body["error"]["type"])
        text = body["error"]["message"]
        self.assertIn("OS::Neutron::FirewallRule (rule)", text)
        self.assertIn("since the release Stein", text)
        self.assertNotIn("Install", text)

    def test_one_that_stands_already_is_refused_too(self) -> None:
        written = template(port=PORT | {"external_id": "abc"})

        body = self.refused(lambda: self.client.create("cloud", written))

        self.assertEqual("ResourceTypeUnavailable", body["error"]["type"])

    def test_one_that_is_left_out_does_not_matter(self) -> None:
        written = template(
            port=PORT | {"condition": "in_cloud"},
            value={"type": "OS::Heat::Value", "properties": {"value": 1}},
        ) | {"conditions": {"in_cloud": False}}

        stack = self.client.create("local", written)

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual({"value"}, set(self.client.resources(stack)))
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def test_their_properties_are_checked(self) -> None:
        self.validate(template(port=PORT))
        for properties, text in (
            ({"network": "n", "fixed_ip": []}, "Did you mean fixed_ips?"),
            ({"network": "n", "admin_state_up": "maybe"}, "valid boolean"),
            (
                {"network": "n", "fixed_ips": [{"ip_address": "10.0.0"}]},
                "10.0.0",
            ),
            ({"network": "n", "binding:vnic_type": "odd"}, "allowed value"),
            ({}, "Property network not assigned"),
        ):
            written = template(port=PORT | {"properties": properties})

            body = self.refused(
                lambda written=written: self.client.create("cloud", written)
            )

            self.assertEqual("StackValidationFailed", body["error"]["type"])
            self.assertIn(text, json.dumps(body))

    def test_hidden_ones_may_be_used_and_are_not_told(self) -> None:
        name = "OS::Neutron::RouterGateway"
        written = template(
            gateway={
                "type": name,
                "properties": {"router_id": "r", "network_id": "n"},
            }
        )

        self.validate(written)

        listed = self.client.get("/resource_types", "resource_types")
        self.assertNotIn(name, listed)
        for path in ("", "/template"):
            body = self.refused(
                lambda path=path: self.client.ask(
                    "GET", f"/resource_types/{name}{path}"
                )
            )
            self.assertEqual("NotSupported", body["error"]["type"])

    def test_they_are_listed_with_all_others(self) -> None:
        for query, has, has_not in (
            ("", "AWS::EC2::Instance", "OS::Neutron::Prt"),
            ("?name=OS::Nova", "OS::Nova::Server", "OS::Neutron::Port"),
            (
                "?support_status=UNSUPPORTED",
                "OS::Neutron::PortPair",
                "OS::Nova::Server",
            ),
        ):
            listed = self.client.get(
                f"/resource_types{query}", "resource_types"
            )

            self.assertIn(has, listed)
            self.assertNotIn(has_not, listed)

    def test_each_is_shown_as_heat_shows_it(self) -> None:
        if not shared.TYPES.exists():
            self.skipTest(shared.missing(shared.TYPES))
        listed = self.client.get("/resource_types", "resource_types")
        count = 0
        for file in sorted(shared.TYPES.glob("*.json")):
            for name, wanted in json.loads(file.read_text()).items():
                self.assertIn(name, listed)
                shown = self.client.ask("GET", f"/resource_types/{name}")
                self.compare(name, wanted, shown)
                count += 1
        self.assertGreater(count, 150)

    def compare(self, name: str, wanted: Facts, shown: object) -> None:
        """Check one answer against what the facts say."""
        self.assertEqual(name, shown["resource_type"])
        self.assertEqual(wanted["support"], shown["support_status"]["status"])
        self.assertEqual(
            without_descriptions(wanted["properties"]),
            without_descriptions(shown["properties"]),
            name,
        )
        attributes = {
            key: without_descriptions(one)
            for key, one in shown["attributes"].items()
        }
        self.assertEqual({"type": "map"}, attributes.pop("show"))
        self.assertEqual(wanted["attributes"], attributes, name)

    def test_the_template_of_each_is_a_template(self) -> None:
        listed = self.client.get("/resource_types", "resource_types")
        for name in listed:
            for kind in ("hot", "cfn"):
                written = self.client.ask(
                    "GET",
                    f"/resource_types/{name}/template?template_type={kind}",
                )
                self.validate(written)
