"""Tables of constraints are found by entry point, ours and those of others."""

import importlib.metadata

from orch.plugin import constraints
from orch.plugin import registry
from tests import base

OURS = "orch.resources.openstack.constraints:CONSTRAINTS"
THEIRS = "tests.unit.plugin.test_constraints:TABLE"


def _theirs(cloud: object, value: str) -> None:
    """Take every value."""


TABLE = {"nova.flavor": _theirs, "acme.thing": _theirs}


class InstalledTest(base.TestCase):
    def installed(self, *values: str) -> constraints.Table:
        entries = [
            importlib.metadata.EntryPoint(value, value, constraints.GROUP)
            for value in values
        ]
        self.patch(registry, "entry_points", lambda group: entries)
        return constraints.load_constraints.__wrapped__()

    def test_the_services_of_openstack_are_in_ours(self) -> None:
        found = self.installed(OURS)

        for name in (
            "cinder.volume",
            "glance.image",
            "keystone.project",
            "neutron.network",
            "nova.flavor",
            "nova.keypair",
        ):
            self.assertIn(name, found)

    def test_of_two_that_declare_one_ours_gives_way(self) -> None:
        for order in ((OURS, THEIRS), (THEIRS, OURS)):
            found = self.installed(*order)

            self.assertEqual("_theirs", found["nova.flavor"].__name__)
            self.assertIn("glance.image", found)
            self.assertIn("acme.thing", found)

    def test_a_table_that_is_broken_is_left_out(self) -> None:
        found = self.installed("nobody.knows:TABLE", OURS)

        self.assertIn("nova.flavor", found)
