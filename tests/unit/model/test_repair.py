import testtools

from orch import errors
from orch import ids
from orch.model import repair

ONE, TWO = ids.ResourceId("one"), ids.ResourceId("two")


class RepairTestCase(testtools.TestCase):
    def test_an_operation_without_the_option_puts_everything_back(
        self,
    ) -> None:
        self.assertIsNone(repair.Repair.of({"converge": True}))

    def test_the_option_says_what_was_wanted(self) -> None:
        wanted = repair.Repair({ONE: ("label",), TWO: None})

        self.assertEqual(wanted, repair.Repair.of(wanted.to_options()))

    def test_only_what_is_named_counts(self) -> None:
        wanted = repair.Repair({ONE: ("label",)})

        found = wanted.narrowed(
            {ONE: {"label": "l", "mtu": 9}, TWO: {"label": "m"}}
        )

        self.assertEqual({ONE: {"label": "l"}}, found)

    def test_a_thing_that_is_repaired_as_a_whole_counts_with_all(self) -> None:
        gone = errors.Permanent("gone")
        wanted = repair.Repair({ONE: None, TWO: None})

        found = wanted.narrowed({ONE: gone, TWO: {"mtu": 9}})

        self.assertEqual({ONE: gone, TWO: {"mtu": 9}}, found)

    def test_a_thing_that_is_gone_is_not_made_for_one_property(self) -> None:
        wanted = repair.Repair({ONE: ("label",)})

        self.assertEqual({}, wanted.narrowed({ONE: errors.Permanent("gone")}))
