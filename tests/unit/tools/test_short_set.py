"""Each served type has one case among the tests on real services."""

import collections
import types
import typing

import testtools

from tests import base
from tests.cloud import short_set

Json = dict[str, typing.Any]


class ShortSetTests(base.TestCase):
    def test_each_type_that_acts_on_a_cloud_has_exactly_one_case(self) -> None:
        covered = collections.Counter(
            each for case in short_set.cases() for each in case.types
        )

        self.assertEqual(short_set.served_types(), set(covered))
        self.assertEqual(
            [], [name for name, count in covered.items() if count > 1]
        )

    def test_types_of_services_and_those_that_signal_by_them_count(
        self,
    ) -> None:
        served = short_set.served_types()

        self.assertLessEqual(
            {"OS::Nova::Server", "OS::Heat::SwiftSignal"}, served
        )
        self.assertEqual(
            set(), served & {"OS::Heat::Value", "OS::Heat::Stack::Remote"}
        )

    def test_each_case_says_which_services_it_needs(self) -> None:
        self.assertEqual(
            [], [each.name for each in short_set.cases() if not each.services]
        )


class CaseOfTests(base.TestCase):
    def play(self, *created: Json) -> None:
        """Play a case of two types, which creates stacks of these."""
        client = types.SimpleNamespace(create=lambda *_, **__: None)

        class Case(testtools.TestCase):
            here = client

            @short_set.case_of("A", "B")
            def runTest(self) -> None:  # noqa: N802 - unittest names it
                for number, resources in enumerate(created):
                    self.here.create(str(number), {"resources": resources})

        Case("runTest").runTest()

    def test_a_case_passes_that_creates_what_it_is_for(self) -> None:
        self.play({"x": {"type": "A"}}, {"y": {"type": "B"}})

    def test_one_that_creates_less_fails(self) -> None:
        error = self.assertRaises(
            testtools.matchers.MismatchError,
            self.play,
            {"x": {"type": "A"}, "y": {"type": "C"}},
        )

        self.assertIn("B", str(error))
