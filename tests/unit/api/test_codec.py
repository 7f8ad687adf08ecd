import datetime

from orch import errors
from orch.api import codec
from tests import base


class CodecTest(base.TestCase):
    def test_values_survive_both_ways(self) -> None:
        for value in (
            {"a": [1, 2.5, "é", None, True]},
            [],
            -(2**63),
            2**64 - 1,
            2**80,
            -(2**80),
            {"long": [10**30], "n": 1.5},
        ):
            self.assertEqual(value, codec.loads(codec.dumps(value)))

    def test_whole_numbers_of_any_length_stay_whole(self) -> None:
        self.assertEqual(10**20 + 1, codec.loads(b"100000000000000000001"))

    def test_what_json_cannot_say_becomes_text(self) -> None:
        written = codec.dumps({1: datetime.date(2026, 11, 20), "h": 2**70})

        self.assertEqual({"1": "2026-11-20", "h": 2**70}, codec.loads(written))

    def test_what_is_no_json_is_refused(self) -> None:
        deep = b"[" * 100_000
        for text in (b"", b"{", b"{'a': 1}", b"\xff", b"1 2", deep):
            self.assertRaises(errors.Invalid, codec.loads, text)
        long_and_deep = b"[1234567890123456789," + deep
        self.assertRaises(errors.Invalid, codec.loads, long_and_deep)
