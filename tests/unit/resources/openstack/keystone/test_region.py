"""Regions of Keystone, whose list takes no limit."""

import urllib.parse

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds


class RegionTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Keystone::Region")

    def test_a_lost_one_is_found_in_a_list_without_limit(self) -> None:
        self.use(clouds.Cloud(regions=clouds.Collection("region", "regions")))
        context = self.made(description="east")

        found = self.find_lost(context)

        assert found is not None
        self.assertEqual(context.physical_id, found.physical_id)
        queries = [
            urllib.parse.urlsplit(each.path).query
            for each in self.cloud.requests
        ]
        self.assertNotIn("limit", "&".join(queries))
