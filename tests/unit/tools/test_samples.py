"""Each type on the control plane has samples, or a reason for none."""

import typing

from orch.resources.openstack import type_data
from tests import base
from tests.cloud import sample_files
from tests.cloud import short_set

_OLDER: typing.Final = "OS::Neutron::LBaaS::"
"""The start of older names, whose types are those of Octavia."""


class SamplesTest(base.TestCase):
    def test_each_type_has_cases_or_a_reason(self) -> None:
        declared = type_data.load_types(lambda *_: None).keys()
        wanted = {
            name
            for name in declared & short_set.served_types()
            if not name.startswith(_OLDER)
        }
        found = sample_files.all_samples()

        self.assertEqual(
            wanted,
            {name for each in found for name in {*each.types, *each.left_out}},
        )
        for each in found:
            self.assertEqual(set(), each.types.keys() & each.left_out.keys())

    def test_the_words_of_a_type_name_its_properties(self) -> None:
        for each in sample_files.all_samples():
            for name, words in each.types.items():
                kind = type_data.load_type(name)
                declared = {one.name for one in kind.properties}
                for word in ("given", "values", "together", "moves", "unlike"):
                    named = set(words.get(word, ()))
                    self.assertEqual(set(), named - declared, (name, word))
                for reason in words.get("unlike", {}).values():
                    self.assertGreater(len(reason), 5, name)
