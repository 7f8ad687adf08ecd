"""An operation whose type is refused during its run, with hooks around it."""

import pathlib
import tempfile
import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import world_templates

KIND: typing.Final = "OS::Heat::RandomString"
RULE: typing.Final = f"resource_types:{KIND}"
BALANCED: typing.Final = "resource_types:OS::Octavia::*"


class RefusedTypeTests(lifecycle.LifecycleTestCase):
    """Only administrators may have a type; a member retries their stack."""

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        rules = pathlib.Path(place.name) / "policy.yaml"
        rules.write_text(
            "".join(f'"{each}": "role:admin"\n' for each in (RULE, BALANCED))
        )
        cls.options = {"oslo_policy": {"policy_file": rules}}
        super().setUpClass()

    def test_it_fails_with_its_reason_after_the_pre_hooks(self) -> None:
        self.world.order(
            self.name, "create", "w", how="permanent", moment="before", times=1
        )
        wanted = world_templates.template(
            w={"type": "Test::World::Thing"},
            x={"type": KIND, "depends_on": "w"},
        )
        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_FAILED")
        before = len(self.plugins.calls(stack))
        member = rest.Client(self.client.endpoint, roles="member")
        self.addCleanup(member.close)

        member.ask("POST", f"{stack.path}/actions", {"retry": {}})

        shown = self.client.wait(stack, "CREATE_FAILED")
        reason = str(shown["stack_status_reason"])
        self.assertIn(RULE, reason)
        self.assertIn(KIND, reason)
        self.assertEqual(
            [*lifecycle.PRES, *lifecycle.POSTS],
            self.plugins.calls(stack)[before:],
        )
        log = (self.system.directory / "orch-all.log").read_text()
        self.assertNotIn("Traceback", log)

    def test_older_names_of_a_type_are_refused_as_well(self) -> None:
        member = rest.Client(self.client.endpoint, roles="member")
        self.addCleanup(member.close)
        for name in ("OS::Neutron::LBaaS::Pool", "OS::Octavia::Pool"):
            path = f"/resource_types/{name}"

            error = self.assertRaises(
                rest.RefusedError, member.ask, "GET", path
            )

            self.assertEqual(404, error.status, name)
