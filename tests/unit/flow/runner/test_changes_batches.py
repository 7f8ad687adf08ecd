"""Plug-ins that are told of several calls before the first is made."""

import collections.abc
import threading
import typing

from orch import ids
from orch.flow.runner import changes
from orch.flow.runner import open_calls
from orch.flow.tasks import base as base_task
from orch.plugin import call_context
from orch.plugin import resource
from tests import base
from tests.unit.resources import contexts


class BatchedResource(resource.Resource):
    type_name = "Test::Thing"
    expects_batches = True

    def __init__(self) -> None:
        self.notified: list[list[str]] = []
        self.error: Exception | None = None
        self.gate: threading.Event | None = None

    def expect(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> None:
        if self.error:
            raise self.error
        if self.gate:
            self.gate.wait(20)
        self.notified.append([each.token for each in contexts])


class Atom:
    """An atom as far as it can be told of."""

    name = "an atom"

    def __init__(self, plugin: BatchedResource | None, token: str) -> None:
        self._plugin = plugin
        self._token = token

    def expected(self) -> tuple[BatchedResource, call_context.Context] | None:
        if self._plugin is None:
            return None
        return self._plugin, contexts.make(BatchedResource, token=self._token)

    prepare = staticmethod(base_task.ChangeTask.prepare)


class AheadTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.busy: set[str] = set()

    def check_free(self, resource_id: ids.ResourceId) -> None:
        if resource_id in self.busy:
            raise open_calls.StillOpen("it goes on")

    def ahead_of(self, *atoms: Atom) -> changes.TaskBatches:
        return changes.TaskBatches(
            typing.cast(typing.Any, atoms), self.check_free
        )

    def test_each_plug_in_is_told_once_of_its_own(self) -> None:
        one, other = BatchedResource(), BatchedResource()
        stack = self.ahead_of(
            *(Atom(one, "a"), Atom(other, "x"), Atom(None, "-")),
            *(Atom(one, "b"), Atom(other, "y")),
        )

        stack.notify()
        stack.notify()

        self.assertEqual(
            ([["a", "b"]], [["x", "y"]]), (one.notified, other.notified)
        )

    def test_nobody_is_told_of_a_single_call(self) -> None:
        plugin = BatchedResource()

        self.ahead_of(Atom(plugin, "a")).notify()

        self.assertEqual([], plugin.notified)

    def test_what_an_earlier_call_goes_on_with_is_left_out(self) -> None:
        plugin = BatchedResource()
        self.busy = {"b"}

        self.ahead_of(*(Atom(plugin, token) for token in "abc")).notify()

        self.assertEqual([["a", "c"]], plugin.notified)

    def test_what_goes_wrong_is_left_to_the_calls(self) -> None:
        plugin = BatchedResource()
        plugin.error = ZeroDivisionError("oops")

        self.ahead_of(Atom(plugin, "a"), Atom(plugin, "b")).notify()

        self.assertEqual([], plugin.notified)

    def test_who_cannot_be_looked_at_keeps_nobody_from_being_told(
        self,
    ) -> None:
        plugin = BatchedResource()

        class Broken(Atom):
            def expected(self) -> None:
                raise ZeroDivisionError("oops")

        self.ahead_of(
            *(Atom(plugin, "a"), Broken(plugin, "b"), Atom(plugin, "c"))
        ).notify()

        self.assertEqual([["a", "c"]], plugin.notified)

    def test_no_call_comes_before_the_plug_in_was_told(self) -> None:
        plugin = BatchedResource()
        plugin.gate = threading.Event()
        stack = self.ahead_of(Atom(plugin, "a"), Atom(plugin, "b"))
        seen: list[int] = []

        def call() -> None:
            stack.notify()
            seen.append(len(plugin.notified))

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        plugin.gate.set()
        for thread in threads:
            thread.join(20)

        self.assertEqual([1, 1, 1, 1], seen)
