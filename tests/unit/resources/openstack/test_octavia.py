"""Where Octavia differs from what the schemas of its types say."""

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_PROJECT = "5d4b3a1e00004000800000000000000b"
_LISTENER = "5d4b3a1e-0000-4000-8000-00000000000a"


class OctaviaTest(clouds.CloudTestCase):
    def use_type(self, name: str, path: str, key: str) -> clouds.Collection:
        """Let the tests act on a type; return its collection."""
        self.kind = type_data.load_type(f"OS::Octavia::{name}")  # type: ignore[misc]
        kept = clouds.Collection(key, f"{key}s")
        cloud = clouds.Cloud()
        cloud.collections[f"/lbaas/{path}"] = kept
        self.use(cloud)
        return kept

    def test_another_name_makes_another_availability_zone(self) -> None:
        self.use_type(
            "AvailabilityZone", "availabilityzones", "availability_zone"
        )

        def is_replaced(name: str) -> bool:
            return self.plugin.needs_replacement(
                {name: "one"}, {name: "other"}, (name,)
            )

        self.assertTrue(is_replaced("name"))
        self.assertFalse(is_replaced("description"))

    def test_quotas_have_the_names_of_answers(self) -> None:
        kept = self.use_type("Quota", "quotas", "quota")
        kept.rows[_PROJECT] = {"id": _PROJECT}

        context = self.made(project=_PROJECT, loadbalancer=5, healthmonitor=6)

        (quota,) = kept.rows.values()
        self.assertEqual(5, quota["load_balancer"])
        self.assertEqual(6, quota["health_monitor"])
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(5, live["loadbalancer"])
        self.assertEqual(6, live["healthmonitor"])

    def test_a_policy_that_others_move_has_not_drifted(self) -> None:
        kept = self.use_type("L7Policy", "l7policies", "l7policy")
        kept.plural = "l7policies"
        kept.defaults["provisioning_status"] = "ACTIVE"
        context = self.made(listener=_LISTENER, action="REJECT", position=2)
        baseline = self.plugin.get_reality(context) or {}

        kept.rows[str(context.physical_id)]["position"] = 1

        self.assertEqual([], self.differing(context, baseline))

    def test_the_project_is_that_of_the_load_balancer(self) -> None:
        kept = self.use_type("Listener", "listeners", "listener")
        kept.defaults["provisioning_status"] = "ACTIVE"
        context = self.made(
            loadbalancer=_LISTENER,
            protocol="TCP",
            protocol_port=80,
            tenant_id=_PROJECT,
        )
        kept.rows[str(context.physical_id)]["project_id"] = "another"

        self.assertNotIn("tenant_id", self.plugin.get_reality(context) or {})
