from orch.resources.http import pointer
from tests import base

DOCUMENT = {"a": [{"b/c": 1, "d~e": None}, 2], "": 3}


class PointerTest(base.TestCase):
    def test_places_are_found(self) -> None:
        for place, value in (
            ("", DOCUMENT),
            ("/a/1", 2),
            ("/a/0/b~1c", 1),
            ("/a/0/d~0e", None),
            ("/", 3),
        ):
            self.assertEqual(value, pointer.find_value(DOCUMENT, place))

    def test_places_that_are_not_there_are_missing(self) -> None:
        for place in (
            *("/b", "/a/2", "/a/-1", "/a/x", "/a/1/b", "/a/²"),
            *("/a/00", "/a/01", "/a/-", f"/a/{'9' * 5000}"),
        ):
            self.assertIs(pointer.MISSING, pointer.find_value(DOCUMENT, place))

    def test_only_pointers_are_valid(self) -> None:
        for text, answer in (
            ("", True),
            ("/a~0/~1", True),
            ("a", False),
            ("/a~2", False),
            ("/~", False),
            ("/~~01", False),
        ):
            self.assertEqual(answer, pointer.is_valid(text), text)
