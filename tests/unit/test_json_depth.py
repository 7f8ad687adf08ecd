from orch import json_depth
from orch.rpc.inprocess import payload
from tests import base


def nested(depth: int) -> object:
    """Return maps and lists inside each other, so many."""
    value: object = 1
    for number in range(depth):
        value = [value] if number % 2 else {"a": value}
    return value


class DepthTest(base.TestCase):
    def test_what_is_allowed_passes_and_one_more_does_not(self) -> None:
        for value in (1, "x", None, [], nested(1), nested(200)):
            json_depth.check_depth(value)
        for depth in (201, 1020, 100_000):
            self.assertRaises(
                json_depth.TooDeepError,
                json_depth.check_depth,
                nested(depth),
            )

    def test_texts_of_any_depth_are_read_or_refused(self) -> None:
        for depth, opened, closed in (
            (200, "[", "]"),
            (200, '{"a":', "}"),
        ):
            text = opened * depth + "1" + closed * depth
            json_depth.parse_json(text)
            json_depth.parse_json(text.encode())
        for depth in (201, 990, 1_000_000):
            text = "[" * depth + "]" * depth
            self.assertRaises(
                json_depth.TooDeepError, json_depth.parse_json, text
            )
        self.assertRaises(ValueError, json_depth.parse_json, "[" * 10)

    def test_nothing_too_deep_to_pack_is_a_crash(self) -> None:
        for depth in (900, 1020, 100_000):
            value = nested(depth)
            try:
                packed = payload.pack_message(value)
            except json_depth.TooDeepError:
                self.assertGreater(depth, 900)
            else:
                self.assertEqual(value, payload.unpack_message(packed))
