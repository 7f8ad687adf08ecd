"""What comes after resources that it does not name."""

import typing

from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import traits
from orch.template import inputs
from orch.template import template
from tests import base
from tests.unit.resources import contexts

Json = dict[str, typing.Any]


class Net(resource.Resource):
    """A network."""

    type_name = "Test::Net"


class Subnet(resource.Resource):
    """One that belongs to a network."""

    type_name = "Test::Subnet"
    properties = (
        schema.Property(
            "network", schema.Type.STRING, former_names=("network_id",)
        ),
        schema.Property("gateway", schema.Type.STRING),
    )


class Port(resource.Resource):
    """One that needs the subnets of its network."""

    type_name = "Test::Port"
    properties = (
        schema.Property("network", schema.Type.STRING),
        schema.Property("routes", schema.Type.LIST),
    )
    comes_after = (
        traits.ComesAfter("Test::Subnet", "network", "network"),
        traits.ComesAfter("Test::Subnet", "routes.via.network", "network"),
    )

    def reference_id(self, context: call_context.Context) -> str:
        """Return the id."""
        return context.physical_id or ""


def requires(
    resources: Json,
    parameters: Json | None = None,
    types: registry.ResourceTypes | None = None,
) -> Json:
    """Return what each resource of a template requires, sorted."""
    if types is None:
        kinds = (Net, Subnet, Port)
        types = registry.ResourceTypes.of(kinds, contexts.options())
    text: Json = {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "parameters": parameters or {},
    }
    loaded = template.Template.load(
        inputs.Inputs(text),
        types,
        inputs.Identity("id-1", "web", "demo"),
        inputs.Limits(),
    )
    return {
        name: sorted(each.requires) for name, each in loaded.resources.items()
    }


def declare_resource(kind: str, **properties: object) -> Json:
    """Return a resource."""
    return {"type": f"Test::{kind}", "properties": properties}


OF_NET = {"get_resource": "net"}


class ImplicitOrderTest(base.TestCase):
    def test_one_comes_after_those_that_speak_of_the_same(self) -> None:
        found = requires(
            {
                "net": declare_resource("Net"),
                "other": declare_resource("Net"),
                "lower": declare_resource("Subnet", network=OF_NET),
                "upper": declare_resource("Subnet", network_id=OF_NET),
                "away": declare_resource(
                    "Subnet", network={"get_resource": "other"}
                ),
                "port": declare_resource("Port", network=OF_NET),
            }
        )

        self.assertEqual(["lower", "net", "upper"], found["port"])
        self.assertEqual(["net"], found["lower"])

    def test_texts_and_parameters_are_spoken_of_too(self) -> None:
        name = {"get_param": "name"}
        found = requires(
            {
                "lower": declare_resource("Subnet", network="blue"),
                "upper": declare_resource("Subnet", network=name),
                "one": declare_resource("Port", network="blue"),
                "two": declare_resource("Port", network=name),
                "three": declare_resource("Port", network="red"),
            },
            {"name": {"type": "string", "default": "x"}},
        )

        self.assertEqual(
            [["lower"], ["upper"], []],
            [found[each] for each in ("one", "two", "three")],
        )

    def test_lists_and_maps_are_gone_through(self) -> None:
        found = requires(
            {
                "lower": declare_resource("Subnet", network="blue"),
                "port": declare_resource(
                    "Port",
                    routes=[{"via": {"network": "blue"}}, {"via": {}}, 1],
                ),
            }
        )

        self.assertEqual(["lower"], found["port"])

    def test_no_circle_comes_of_it(self) -> None:
        found = requires(
            {
                "lower": declare_resource(
                    "Subnet", network="blue", gateway={"get_resource": "port"}
                ),
                "port": declare_resource("Port", network="blue"),
            }
        )

        self.assertEqual({"lower": ["port"], "port": []}, found)

    def test_types_of_neutron_declare_what_it_needs_first(self) -> None:
        def made(name: str, **properties: object) -> Json:
            return {"type": f"OS::Neutron::{name}", "properties": properties}

        of_router = {"get_resource": "router"}
        found = requires(
            {
                "net": made("Net"),
                "subnet": made("Subnet", network_id=OF_NET, cidr="10.0.0.0/8"),
                "port": made("Port", network=OF_NET),
                "router": made(
                    "Router", external_gateway_info={"network": OF_NET}
                ),
                "interface": made(
                    "RouterInterface", router_id=of_router, subnet="lower"
                ),
                "routes": made("ExtraRouteSet", router=of_router),
                "address": made("FloatingIP", floating_network=OF_NET),
                "server": {
                    "type": "OS::Nova::Server",
                    "properties": {
                        "flavor": "small",
                        "networks": [{"port": "p"}, {"network": OF_NET}],
                    },
                },
            },
            types=registry.ResourceTypes(contexts.options()),
        )

        for name, other in (
            ("port", "subnet"),
            ("router", "subnet"),
            ("routes", "interface"),
            ("address", "subnet"),
            ("server", "subnet"),
        ):
            self.assertIn(other, found[name])
