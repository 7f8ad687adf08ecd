"""Bodies that clients of Heat send, and what the engine gets of each.

``client_bodies.json`` has what python-heatclient 5 and openstacksdk 4 sent in
a run of their whole test walks, and what gophercloud 2 writes by its sources:
numbers as texts, templates as texts or maps, nulls, keys that Heat ignores.
"""

import collections
import json
import pathlib
import typing

from orch import errors
from tests.unit.api import fakes

_FILE: typing.Final = pathlib.Path(__file__).with_name("client_bodies.json")


class ClientBodiesTest(fakes.ApiTestCase):
    def test_the_engine_gets_the_same_of_each(self) -> None:
        recorded = json.loads(_FILE.read_text())
        self.assertEqual(
            {"gophercloud", "openstacksdk", "python-heatclient"},
            {each["client"] for each in recorded},
        )
        # The engine answers none: only what it is asked for is of interest.
        self.bus.answers = collections.defaultdict(
            lambda: errors.Conflict("It is busy.")
        )
        for each in recorded:
            with self.subTest(each["client"], path=each["path"]):
                self.bus.calls.clear()

                self.ask(
                    each["method"],
                    each["path"],
                    409,
                    json=each["body"],
                    headers={"User-Agent": each["client"]},
                )

                self.assertEqual(
                    each["calls"],
                    [[sent.name, sent.args] for sent in self.bus.calls],
                )
