import itertools

import hypothesis
from hypothesis import strategies

from orch.resources.groups import scaling_group
from tests import base

TOKEN = "6f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c01"


class NamesTest(base.TestCase):
    @hypothesis.given(
        token=strategies.uuids().map(str),
        number=strategies.integers(0, (1 << 40) - 1),
    )
    def test_a_name_tells_its_number_to_its_group(
        self, token: str, number: int
    ) -> None:
        name = scaling_group.member_name(token, number)

        self.assertRegex(name, "^[a-z2-7]{12}$")
        self.assertEqual(number, scaling_group.find_number(token, name))

    def test_names_of_others_have_no_number(self) -> None:
        other = scaling_group.member_name("another-token", 0)
        for name in (other, "web", "UPPERCASE234", "aaaaaaaaaaa1"):
            self.assertIsNone(scaling_group.find_number(TOKEN, name), name)

    def test_fresh_names_are_those_that_nobody_has(self) -> None:
        first = list(
            itertools.islice(
                scaling_group.generate_unused_names(TOKEN, 0, ()), 3
            )
        )
        left = list(
            itertools.islice(
                scaling_group.generate_unused_names(TOKEN, 0, first[1:2]), 2
            )
        )

        self.assertEqual([first[0], first[2]], left)
        self.assertEqual(
            first[2:],
            [next(scaling_group.generate_unused_names(TOKEN, 2, ()))],
        )

    def test_the_next_number_is_above_all_that_were_given(self) -> None:
        taken = [scaling_group.member_name(TOKEN, 4), "adopted"]

        self.assertEqual(5, scaling_group.next_number(TOKEN, 2, taken))
        self.assertEqual(9, scaling_group.next_number(TOKEN, 9, taken))
        self.assertEqual(0, scaling_group.next_number(TOKEN, 0, ()))
