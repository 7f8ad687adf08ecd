"""An index of another release: older ones go, newer ones stay."""

import abc

from orch.search.index import formats
from orch.search.index import port
from tests.contract.search import cases
from tests.contract.search.samples import resource


class Formats(cases.Case):
    """An index tells how it stands before it is prepared."""

    @abc.abstractmethod
    def write_format(self, add: int) -> None:
        """Let the index of :meth:`make_index` have a format so much more."""

    @abc.abstractmethod
    def open_nothing(self) -> port.Index:
        """Return an index of which nothing is there."""

    def index_state(
        self, index: port.Index | None = None
    ) -> formats.IndexState:
        return (index or self.reopen()).index_state()

    def test_one_of_this_release_is_ready(self) -> None:
        self.put(resource("a"))

        self.assertTrue(self.index_state().is_ready)
        self.assertTrue(self.index_state(self.index).is_ready)
        self.assertEqual(["a"], self.ids())

    def test_a_look_makes_nothing(self) -> None:
        nothing = self.open_nothing()

        for _ in range(2):
            self.assertIsNone(self.index_state(nothing).found)
        self.assertIn(
            "There is no search index", str(self.index_state(nothing))
        )

    def test_an_older_one_is_forgotten_by_prepare_alone(self) -> None:
        self.put(resource("a"))
        self.write_format(-1)

        found = self.index_state()
        self.assertEqual(found.known - 1, found.found)
        self.assertIn("an older release", str(found))
        self.assertFalse(found.is_ready)
        self.assertEqual(found, self.index_state())
        again = self.reopen()
        again.prepare()

        self.assertTrue(self.index_state().is_ready)
        self.assertEqual([], self.ids(index=again))

    def test_a_newer_one_is_refused_and_stays(self) -> None:
        self.put(resource("a"))
        self.write_format(1)

        found = self.index_state()
        self.assertEqual(found.known + 1, found.found)
        again = self.reopen()
        refused = self.assertRaises(formats.NewerFormat, again.prepare)

        self.assertIn("a newer release", refused.message)
        self.assertEqual(found, self.index_state())
        self.write_format(-1)
        self.assertEqual(["a"], self.ids(index=self.reopen()))
