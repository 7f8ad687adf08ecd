import hypothesis
from hypothesis import strategies

from orch.search.index.sqlite import bitmaps
from tests import base

_PARTS = strategies.sets(strategies.integers(0, bitmaps.CHUNK - 1))
_MANY = strategies.builds(
    lambda first, count, step: set(
        range(first, min(first + count * step, bitmaps.CHUNK), step)
    ),
    strategies.integers(0, bitmaps.CHUNK - 1),
    strategies.integers(1, bitmaps.CHUNK),
    strategies.integers(1, 9),
)
_SPREAD = strategies.sets(strategies.integers(0, 5 * bitmaps.CHUNK))


class BitmapsTest(base.TestCase):
    @hypothesis.given(strategies.one_of(_PARTS, _MANY))
    def test_a_chunk_comes_back(self, found: set[int]) -> None:
        bits = bitmaps.bits_of(found)
        stored = bitmaps.encode(bits)

        self.assertEqual(bits, bitmaps.decode(stored))
        self.assertEqual(stored, bitmaps.encode_numbers(found))
        self.assertEqual(sorted(found), bitmaps.numbers(bits))
        self.assertLessEqual(len(stored), bitmaps.CHUNK // 8)
        if bitmaps.is_listed(stored):
            self.assertEqual(
                sorted(found), list(bitmaps.listed_numbers(stored))
            )

    @hypothesis.given(_SPREAD)
    def test_chunks_are_cut_and_joined(self, found: set[int]) -> None:
        bits = bitmaps.bits_of(found)
        chunks = bitmaps.cut_chunks(bits)

        self.assertEqual(bits, bitmaps.join_chunks(chunks))
        self.assertNotIn(0, chunks.values())

    @hypothesis.given(_PARTS)
    def test_flags_tell_of_each_number(self, found: set[int]) -> None:
        flags = bitmaps.flags(bitmaps.bits_of(found))

        self.assertEqual(bitmaps.CHUNK, len(flags))
        self.assertEqual(
            found, {number for number, flag in enumerate(flags) if flag}
        )

    def test_nothing(self) -> None:
        self.assertEqual(0, bitmaps.bits_of([]))
        self.assertEqual([], bitmaps.numbers(0))
        self.assertEqual({}, bitmaps.cut_chunks(0))
        self.assertEqual(0, bitmaps.join_chunks({}))
