import testtools
from hypothesis import given
from hypothesis import strategies as st

from orch.engine.observer import notification_listener

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
