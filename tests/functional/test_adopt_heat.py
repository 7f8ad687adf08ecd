"""Documents laid out as Heat 27 lays them out are adopted as they are."""

import json
import pathlib
import typing

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json

_DOCUMENTS = pathlib.Path(__file__).parent / "documents"


class HeatTests(adopting.AdoptingTestCase):
    """As an object, and as the text that Heat's own clients send."""

    def read(self, name: str) -> Json:
        text = (_DOCUMENTS / f"{name}.json").read_text("utf-8")
        return typing.cast(Json, json.loads(text))

    def adopt_both(self, name: str) -> rest.Stack:
        """Adopt a document in both forms; return the second stack."""
        document = self.read(name)
        first = self.adopt(document, stack_name=f"{self.name}-1")
        outputs = self.there.outputs(first)
        self.ask(self.there, "DELETE", f"{first.path}/abandon")
        self.there.wait(first, "DELETE_COMPLETE")
        second = self.adopt(json.dumps(document))
        self.assertEqual(outputs, self.there.outputs(second))
        return second

    def stays(self, stack: rest.Stack, name: str) -> None:
        """Update to the same template: nothing is different after it."""
        before = self.there.outputs(stack)
        document = self.read(name)
        wanted = typing.cast(Json, document["template"])
        self.update(
            stack,
            wanted,
            files=document["files"],
            environment=document["environment"],
        )
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(before, self.there.outputs(stack))
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

    def test_a2_a_flat_stack(self) -> None:
        stack = self.adopt_both("flat")

        self.assertEqual(
            {
                "login": "admin:s3cretFromHeat",
                "password": "s3cretFromHeat",
                "probe": "seen",
            },
            self.there.outputs(stack),
        )
        self.assertEqual(
            "flat-password-vq3hxq6zhmsv",
            self.ids(self.there, stack)["password"],
        )
        self.assertEqual(["moved", "flat"], self.there.show(stack)["tags"])
        self.stays(stack, "flat")

    def test_a4_a_nested_stack(self) -> None:
        stack = self.adopt_both("nested")

        self.assertEqual(
            {"pair": ["firstSecret", "secondSecret"]},
            self.there.outputs(stack),
        )
        self.stays(stack, "nested")

    def test_a4_a_group_stack(self) -> None:
        stack = self.adopt_both("group")

        outputs = self.there.outputs(stack)
        self.assertEqual({"0": "zeroes", "2": "twoooo"}, outputs["numbered"])
        self.assertEqual(["1"], outputs["removed"])
        self.assertEqual(2, outputs["size"])
        self.assertEqual(
            {"5ghzqvw3xbqe": "fives", "jx3dm7rwk2ua": "xxxxx"},
            outputs["scaled"],
        )
        self.stays(stack, "group")
