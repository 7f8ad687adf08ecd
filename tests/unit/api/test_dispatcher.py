import threading
import types
import typing

from orch.api import dispatcher
from tests import base


class _Connection:
    """A connection whose request runs until it is told to end."""

    path = "stacks"

    def __init__(self, project: str, dispatch: typing.Any) -> None:
        self.requests = [
            types.SimpleNamespace(path=f"/v1/{project}/{self.path}")
        ]
        self.addr = ("127.0.0.1", 1)
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self._dispatch = dispatch

    def service(self) -> None:
        self.begun.set()
        self.go_on.wait(10)

    def cancel(self) -> None:
        self.go_on.set()


class _Lender(_Connection):
    """One that occupies a thread of its own meanwhile."""

    def service(self) -> None:
        self._dispatch.lend(1)
        try:
            super().service()
        finally:
            self._dispatch.lend(-1)


class _Search(_Connection):
    path = "search"


class _Facets(_Connection):
    path = "search/facets"


class DispatcherTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.dispatcher = dispatcher.ProjectDispatcher(3)
        self.added: list[_Connection] = []
        self.addCleanup(self.dispatcher.shutdown, timeout=1)
        self.addCleanup(lambda: [each.go_on.set() for each in self.added])

    def add(
        self, project: str, kind: type[_Connection] = _Connection
    ) -> _Connection:
        added = kind(project, self.dispatcher)
        self.added.append(added)
        self.dispatcher.add_task(typing.cast(typing.Any, added))
        return added

    def test_a_project_takes_all_threads_but_one(self) -> None:
        many = [self.add("many") for _ in range(4)]
        few = self.add("few")

        self.assertTrue(few.begun.wait(10))
        self.assertTrue(many[0].begun.wait(10))
        self.assertTrue(many[1].begun.wait(10))
        few.go_on.set()
        self.assertFalse(many[2].begun.wait(0.1))
        many[0].go_on.set()
        self.assertTrue(many[2].begun.wait(10))

    def test_another_project_is_next_however_much_waits(self) -> None:
        many = [self.add("many") for _ in range(9)]
        first, second = self.add("few"), self.add("few")
        self.assertTrue(first.begun.wait(10))

        many[0].go_on.set()
        first.go_on.set()

        self.assertTrue(second.begun.wait(10))
        self.assertFalse(many[3].begun.is_set())

    def test_a_request_with_a_thread_of_its_own_does_not_count(self) -> None:
        lenders = [self.add("many", _Lender) for _ in range(3)]
        for each in lenders:
            self.assertTrue(each.begun.wait(10))

        many = [self.add("many") for _ in range(2)]
        for each in many:
            self.assertTrue(each.begun.wait(10))
        third = self.add("many")
        self.assertTrue(self.add("few").begun.wait(10))
        self.assertFalse(third.begun.is_set())
        for each in [*lenders, many[0]]:
            each.go_on.set()
        self.assertTrue(third.begun.wait(10))

    def test_searches_have_a_share_of_the_threads(self) -> None:
        first = self.add("many", _Search)
        self.assertTrue(first.begun.wait(10))
        others = [
            self.add("many", _Search),
            self.add("more", _Facets),
            self.add("many"),
            self.add("few"),
        ]

        for each in others[2:]:
            self.assertTrue(each.begun.wait(10))
            each.go_on.set()
        self.assertFalse(any(each.begun.is_set() for each in others[:2]))
        first.go_on.set()
        for each in others[:2]:
            self.assertTrue(each.begun.wait(10))
            each.go_on.set()

    def test_searches_count_for_their_project(self) -> None:
        search = self.add("many", _Search)
        self.assertTrue(search.begun.wait(10))
        stacks = self.add("many")
        self.assertTrue(stacks.begun.wait(10))
        third = self.add("many")

        self.assertTrue(self.add("few").begun.wait(10))
        self.assertFalse(third.begun.is_set())
        search.go_on.set()
        self.assertTrue(third.begun.wait(10))

    def test_what_only_begins_like_a_search_is_none(self) -> None:
        class Other(_Connection):
            path = "searches"

        both = [self.add("many", Other), self.add("few", Other)]

        for each in both:
            self.assertTrue(each.begun.wait(10))
