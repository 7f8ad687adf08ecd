"""Seals of addresses for signals."""

from orch.context import seals
from tests import base

KEY, OTHER = "k" * 32, "o" * 32
WHAT = seals.Sealed("signal", "p", "shop", "stack-1", "web", "res-1", 0)


class SealTest(base.TestCase):
    def test_a_seal_fits_into_an_address_and_is_always_the_same(self) -> None:
        found = seals.seal_address(KEY, WHAT)

        self.assertRegex(found, r"\A[A-Za-z0-9_-]{43}\Z")
        self.assertEqual(found, seals.seal_address(KEY, WHAT))

    def test_any_key_of_the_list_opens(self) -> None:
        found = seals.seal_address(OTHER, WHAT)

        self.assertTrue(seals.is_genuine([KEY, OTHER], WHAT, found))
        self.assertFalse(seals.is_genuine([KEY], WHAT, found))
        self.assertFalse(seals.is_genuine([], WHAT, found))

    def test_every_part_is_sealed(self) -> None:
        found = seals.seal_address(KEY, WHAT)
        for name in WHAT._fields:
            value: object = 1 if name == "expires_at" else "x"
            other = WHAT._replace(**{name: value})

            self.assertFalse(seals.is_genuine([KEY], other, found), name)

    def test_parts_do_not_run_into_each_other(self) -> None:
        left = WHAT._replace(stack_name="a", stack_id="bc")
        right = WHAT._replace(stack_name="ab", stack_id="c")

        self.assertNotEqual(
            seals.seal_address(KEY, left), seals.seal_address(KEY, right)
        )

    def test_what_is_no_seal_is_refused(self) -> None:
        for given in ("", "é", "A" * 43, seals.seal_address(KEY, WHAT) + "="):
            self.assertFalse(seals.is_genuine([KEY], WHAT, given), given)
