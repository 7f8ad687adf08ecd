"""Schemas of types on OpenStack, against those that Heat publishes."""

import json

from orch.resources.openstack import type_data
from tests import base
from tests.support import shared
from tests.unit.resources.heat import schemas


class PublishedTest(base.TestCase):
    def test_each_type_has_the_published_properties_and_attributes(
        self,
    ) -> None:
        if not shared.TYPES.is_dir():
            self.skipTest(shared.missing(shared.TYPES))
        published = {
            name: found
            for file in shared.TYPES.glob("*.json")
            for name, found in json.loads(file.read_text()).items()
        }
        # Heat has it; what is published has lost each description in a map.
        tasks = published["OS::Mistral::Workflow"]["properties"]["tasks"]
        tasks["schema"]["*"]["schema"]["description"] = {
            "type": "string",
            "required": False,
            "update_allowed": False,
            "immutable": False,
        }
        served = type_data.load_types(lambda *_: None)
        checked = served.keys() & published.keys()

        for name in sorted(checked):
            expected = {
                key: published[name][key]
                for key in ("properties", "attributes", "support")
            }
            for each in expected["properties"].values():
                each.pop("support", None)
            self.assertEqual(
                expected, schemas.described(served[name].load()), name
            )
        hidden = {
            name
            for name, kind in served.items()
            if kind.support_status == "HIDDEN"
        }
        self.assertEqual(hidden, served.keys() - checked)
