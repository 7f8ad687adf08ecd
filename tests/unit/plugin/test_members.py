"""What groups say of their members."""

from orch.plugin import facts
from orch.plugin import members
from tests import base


class MembersTest(base.TestCase):
    def test_they_are_read_from_the_facts_of_a_type(self) -> None:
        found = facts.read_members(
            {"definition": "resource_def", "index": "mark"}
        )

        self.assertEqual(
            members.Members(definition="resource_def", index="mark"), found
        )

    def test_facts_of_which_nothing_is_known_are_refused(self) -> None:
        for wrong in ({"defintion": "resource_def"}, {"count": 1}, "count"):
            self.assertRaises(facts.BadFacts, facts.read_members, wrong)
