"""Zones of Designate, which have one list by two names."""

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_ADDRESSES = ["10.0.0.1"]


class ZoneTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Designate::Zone")

    def test_the_other_name_of_its_primaries_changes_nothing(self) -> None:
        kept = clouds.Collection("", "zones")
        self.use(clouds.Cloud(zones=kept))
        context = self.made(
            name="a.org.", type="SECONDARY", primaries=_ADDRESSES
        )
        (zone,) = kept.rows.values()
        self.assertEqual(_ADDRESSES, zone["masters"])

        context = self.changed(context, primaries=None, masters=_ADDRESSES)

        self.assertEqual(_ADDRESSES, zone["masters"])
        self.changed(context, masters=None)
        self.assertEqual([], zone["masters"])

    def test_a_time_to_live_that_is_taken_away_stays(self) -> None:
        """Designate answers 500 to one of null, whatever its reference."""
        kept = clouds.Collection("", "zones")
        self.use(clouds.Cloud(zones=kept))
        context = self.made(name="a.org.", email="a@a.org", ttl=60)

        self.changed(context, ttl=None)

        (zone,) = kept.rows.values()
        self.assertEqual(60, zone["ttl"])
