import testtools
from hypothesis import given
from hypothesis import strategies as st
from oslo_config import cfg

from orch import errors
from orch.conf import opts
from orch.engine.observer import notification_listener
from orch.rpc import options
from orch.rpc import server_starter
from tests import base

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "x_id", "a"]), inner, max_size=3
        )
    ),
    max_leaves=20,
)


class FindIdsTestCase(testtools.TestCase):
    def test_a_notification_of_neutron(self) -> None:
        found = notification_listener.find_ids(
            {
                "port": {
                    "id": "port-1",
                    "network_id": "net-1",
                    "tenant_id": "project",
                    "fixed_ips": [{"subnet_id": "sub-1", "ip_address": "::"}],
                    "admin_state_up": False,
                }
            }
        )

        self.assertEqual({"port-1", "net-1", "sub-1"}, found)

    def test_a_notification_of_nova(self) -> None:
        found = notification_listener.find_ids(
            {
                "instance_id": "vm-1",
                "image_meta": {"min_ram": "0"},
                "user_id": "user",
                "instance_flavor_id": "1",
                "state": "active",
            }
        )

        self.assertEqual({"vm-1"}, found)

    def test_a_versioned_notification_of_nova(self) -> None:
        found = notification_listener.find_ids(
            {
                "nova_object.name": "InstanceActionPayload",
                "nova_object.data": {"uuid": "vm-1", "host": "h"},
            }
        )

        self.assertEqual({"vm-1"}, found)

    def test_notifications_of_cinder_and_keystone(self) -> None:
        self.assertEqual(
            {"vol-1"},
            notification_listener.find_ids(
                {"volume_id": "vol-1", "status": "in-use"}
            ),
        )
        self.assertEqual(
            {"role-1"},
            notification_listener.find_ids({"resource_info": "role-1"}),
        )

    def test_what_is_no_text_or_too_long_is_no_id(self) -> None:
        found = notification_listener.find_ids(
            {"id": 7, "uuid": "", "port_id": "x" * 256}
        )

        self.assertEqual(set(), found)

    def test_a_huge_payload_is_not_looked_through_to_its_end(self) -> None:
        deep: dict[str, object] = {"id": "at the bottom"}
        for _ in range(1000):
            deep = {"a": deep}

        self.assertEqual(set(), notification_listener.find_ids(deep))
        many = [{"id": str(number)} for number in range(100_000)]
        self.assertLess(len(notification_listener.find_ids(many)), 1000)

    @given(JSON)
    def test_anything_may_come(self, payload: object) -> None:
        for each in notification_listener.find_ids(payload):
            self.assertTrue(each)


class ListeningTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        opts.register(self.conf)
        options.register_options(self.conf)
        self.conf([], default_config_files=[])

    def build(self) -> server_starter.Starter | None:
        return notification_listener.build_listener(
            self.conf, None, lambda: None
        )

    def test_the_observer_is_off_by_default(self) -> None:
        self.assertFalse(self.conf.observer.enabled)

    def test_with_topics_they_are_listened_to(self) -> None:
        self.conf.set_override("topics", ["notifications"], group="observer")
        url = "fake://"
        self.conf.set_override("transport_url", url, group="observer")

        found = self.build()

        assert found is not None
        self.assertTrue(found.stop(5.0))

    def test_without_topics_nothing_is_listened_to(self) -> None:
        self.assertIsNone(self.build())

    def test_a_url_that_makes_no_sense_is_refused(self) -> None:
        group = "observer"
        self.conf.set_override("topics", ["notifications"], group=group)
        self.conf.set_override("transport_url", "nothing://", group=group)

        refused = self.assertRaises(errors.Invalid, self.build)

        self.assertIn("[observer] transport_url", refused.message)
