"""Pages of what was seen of a tree."""

import dataclasses
import types
import typing

from orch.engine.drift import query
from orch.engine.drift import state
from tests import base


def _member(path: str, *names: str) -> state.ObservedStack:
    """Return a stack at a path, with things of these names."""
    resources = tuple(_observed(path, name) for name in names)
    return typing.cast(
        state.ObservedStack,
        types.SimpleNamespace(path=path, resources=resources),
    )


def _observed(path: str, name: str) -> state.ObservedResource:
    found = types.SimpleNamespace(
        row=types.SimpleNamespace(name=name),
        path=f"{path}/{name}" if path else name,
    )
    return typing.cast(state.ObservedResource, found)


@dataclasses.dataclass(frozen=True)
class _Page:
    """What a page tells: paths of things by path of their stack."""

    stacks: dict[str, list[str]]
    last: str | None


_TREE: typing.Final = (
    _member("a/deep", "z"),
    _member("b"),
    _member("", "b", "a", "a-b"),
    _member("a", "deep", "x"),
)
_WHOLE: typing.Final = [
    ("", ["a", "a-b", "b"]),
    ("a", ["a/deep", "a/x"]),
    ("b", []),
    ("a/deep", ["a/deep/z"]),
]


class CutTest(base.TestCase):
    def cut(
        self,
        limit: int | None = None,
        marker: str | None = None,
        without: str = "",
    ) -> _Page:
        parts, last = query.cut_page(
            _TREE, lambda each: each.row.name != without, limit, marker
        )
        return _Page(
            {
                member.path: [each.path for each in resources]
                for member, resources in parts
            },
            last,
        )

    def test_without_a_limit_it_is_all_outer_stacks_first(self) -> None:
        found = self.cut()

        self.assertEqual(_WHOLE, list(found.stacks.items()))
        self.assertIsNone(found.last)

    def test_pages_together_are_the_whole_each_once(self) -> None:
        for limit in (1, 2, 3, 4, 5, 6, 7):
            stacks: dict[str, list[str]] = {}
            marker, pages = None, 0
            while True:
                found = self.cut(limit, marker)
                pages += 1
                for path, resources in found.stacks.items():
                    stacks.setdefault(path, []).extend(resources)
                marker = found.last
                if marker is None:
                    break
                told = sum(map(len, found.stacks.values()))
                self.assertEqual(limit, told)

            self.assertEqual(_WHOLE, list(stacks.items()))
            self.assertEqual(-(-6 // limit), pages)

    def test_a_stack_without_things_is_in_one_page(self) -> None:
        pages = [self.cut(2), self.cut(2, "a-b"), self.cut(2, "a/deep")]

        self.assertEqual(
            [False, False, True], ["b" in page.stacks for page in pages]
        )
        self.assertEqual("a/deep", pages[1].last)

    def test_what_is_not_asked_for_takes_no_room(self) -> None:
        found = self.cut(2, without="a")

        self.assertEqual({"": ["a-b", "b"]}, found.stacks)
        self.assertEqual("b", found.last)

    def test_a_marker_that_is_gone_is_a_place_still(self) -> None:
        found = self.cut(2, "a-a")

        self.assertEqual({"": ["a-b", "b"]}, found.stacks)

    def test_no_room_is_an_answer_without_things_and_pages(self) -> None:
        self.assertEqual(_Page({}, None), self.cut(0))
