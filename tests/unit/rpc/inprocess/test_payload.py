import datetime

from oslo_serialization import jsonutils

from orch.rpc.inprocess import payload
from tests import base


class PayloadTest(base.TestCase):
    def test_a_value_comes_back_as_over_rabbitmq(self) -> None:
        values: list[object] = [
            {"a": [1, 2.5, None, True, "ü"]},
            {1: "integer key"},
            ("tuple", {"set"}),
            datetime.datetime(2026, 1, 2, 3, 4, 5),
        ]
        for value in values:
            travelled = payload.unpack_message(payload.pack_message(value))

            self.assertEqual(
                jsonutils.loads(jsonutils.dumps(value)), travelled
            )

    def test_what_comes_back_is_nobody_elses(self) -> None:
        sent: dict[str, list[int]] = {"a": []}
        received = payload.unpack_message(payload.pack_message(sent))
        sent["a"].append(1)

        self.assertEqual({"a": []}, received)

    def test_what_json_cannot_express_is_refused(self) -> None:
        self.assertRaises(
            (TypeError, ValueError), payload.pack_message, object()
        )

    def test_what_the_fast_parser_refuses_arrives_unchanged(self) -> None:
        for value in (2**70, {"a": [-(2**65)]}, "lone \ud800 surrogate"):
            self.assertEqual(
                value, payload.unpack_message(payload.pack_message(value))
            )
