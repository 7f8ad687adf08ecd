from orch.search.index import bodies
from tests import base
from tests.contract.search import samples


class BodiesTest(base.TestCase):
    def test_a_document_comes_back_from_its_body(self) -> None:
        document = samples.stack(
            "a",
            texts={"template": "x" * 100_000},
            fields={"properties.x": (1, 2.5, True, "é")},
        )
        stored, body = bodies.pack(document)

        self.assertEqual(document, stored)
        packed = bodies.compress(body)
        self.assertLess(len(packed), 2000)
        self.assertEqual(document, bodies.unpack(packed))

    def test_what_json_cannot_say_is_replaced(self) -> None:
        document = samples.resource(
            "a\udfff",
            fields={"x.y": (float("inf"), "\ud800", 2**70, True, 5)},
        )
        stored, body = bodies.pack(document)

        self.assertEqual("a?", stored.name)
        self.assertEqual(
            {"x.y": ("inf", "?", str(2**70), True, 5)}, stored.fields
        )
        self.assertEqual(stored, bodies.unpack(bodies.compress(body)))

    def test_the_same_has_the_same_digest(self) -> None:
        one, other = (
            bodies.digest(bodies.pack(samples.resource(each))[1])
            for each in ("a", "a")
        )
        self.assertEqual(one, other)
        third = bodies.digest(bodies.pack(samples.resource("b"))[1])
        self.assertNotEqual(one, third)
