"""Values that services do not know are refused before anything is made."""

import typing

from tests.cloud import cases
from tests.support import rest

Json = dict[str, typing.Any]


class ConstraintTests(cases.RigTestCase):
    services = ("compute", "image", "network")

    def template(self, **constraints: str) -> Json:
        """Return a template whose parameters have these constraints."""
        return {
            "heat_template_version": "2021-04-16",
            "parameters": {
                name: {
                    "type": "string",
                    "constraints": [{"custom_constraint": constraint}],
                }
                for name, constraint in constraints.items()
            },
            "resources": {"nothing": {"type": "OS::Heat::None"}},
        }

    def refusal(self, constraint: str, value: str) -> str:
        """Return why a stack with that value is refused."""
        refused = self.assertRaises(
            rest.RefusedError,
            self.here.create,
            self.name,
            self.template(it=constraint),
            parameters={"it": value},
        )
        self.assertEqual(400, refused.status)
        self.assertEqual("StackValidationFailed", refused.type)
        return refused.message

    def test_what_is_there_is_taken_by_name_and_by_id(self) -> None:
        (flavor,) = [
            each
            for each in self.user.compute.flavors()
            if each.name == "m1.tiny"
        ]
        network = self.user.network.find_network("public")
        wanted = self.template(
            by_name="nova.flavor",
            by_id="nova.flavor",
            image="glance.image",
            network="neutron.network",
            network_id="neutron.network",
        )

        stack = self.here.create(
            self.name,
            wanted,
            parameters={
                "by_name": "m1.tiny",
                "by_id": flavor.id,
                "image": "cirros",
                "network": "public",
                "network_id": network.id,
            },
        )

        self.addCleanup(self.removed, stack)
        self.here.wait(stack, "CREATE_COMPLETE")

    def test_what_is_not_there_is_refused_in_heats_words(self) -> None:
        nowhere = "9f2a6c1e-0000-4000-8000-000000000000"
        for constraint, value, reason in (
            (
                "nova.flavor",
                "m9.none",
                "No Flavor matching {'name': 'm9.none'}. (HTTP 404)",
            ),
            ("nova.keypair", "none", "The Key (none) could not be found."),
            (
                "nova.server",
                nowhere,
                f"The Server ({nowhere}) could not be found.",
            ),
            (
                "glance.image",
                "none",
                "The Image (none) could not be found.",
            ),
            (
                "neutron.network",
                "none",
                "Unable to find network with name or id 'none'",
            ),
            (
                "neutron.port",
                nowhere,
                f"Unable to find port with name or id '{nowhere}'",
            ),
            (
                "cinder.vtype",
                "none",
                "The VolumeType (none) could not be found.",
            ),
            (
                "cinder.volume",
                nowhere,
                f"The Volume ({nowhere}) could not be found.",
            ),
        ):
            with self.subTest(constraint):
                self.assertIn(
                    f"Parameter 'it' is invalid: Error validating value"
                    f" '{value}': {reason}",
                    self.refusal(constraint, value),
                )

    def test_an_update_is_refused_as_well_and_changes_nothing(self) -> None:
        wanted = self.template(it="nova.flavor")
        stack = self.here.create(
            self.name, wanted, parameters={"it": "m1.tiny"}
        )
        self.addCleanup(self.removed, stack)
        self.here.wait(stack, "CREATE_COMPLETE")

        refused = self.assertRaises(
            rest.RefusedError,
            self.here.ask,
            "PUT",
            stack.path,
            {"template": wanted, "parameters": {"it": "m9.none"}},
        )

        self.assertEqual(400, refused.status)
        self.assertIn("No Flavor matching", refused.message)
        self.assertEqual(
            "CREATE_COMPLETE", self.here.show(stack)["stack_status"]
        )

    def test_what_the_caller_may_not_ask_is_left_to_the_creation(self) -> None:
        wanted = self.template(it="keystone.role")

        stack = self.here.create(
            self.name, wanted, parameters={"it": "no-such-role"}
        )

        self.addCleanup(self.removed, stack)
        self.here.wait(stack, "CREATE_COMPLETE")
