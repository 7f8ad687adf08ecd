import threading
import time

import fixtures

from orch import errors
from orch.context import outside
from orch.engine import plugin_reads
from orch.plugin import call_context
from tests import base
from tests.unit.engine import fakes


def _context(**properties: object) -> call_context.Context:
    return call_context.Context(
        request=None,  # type: ignore[arg-type]
        stack_id="s",
        stack_name="s",
        name="web",
        token="t",
        attempt=1,
        physical_name="s-web-x",
        physical_id="id",
        properties=properties,
        metadata={},
        data={},
        started_at=fakes.NOW,
    )


class BudgetTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = fakes.Server(None)  # type: ignore[arg-type]

    def read(
        self, *names: str, reads: plugin_reads.PluginReads | None = None
    ) -> object:
        budget = (reads or plugin_reads.PluginReads()).begin()
        return budget.read(self.server, _context(), names)

    def test_the_values_come_from_the_plug_in(self) -> None:
        self.assertEqual({"address": "live address"}, self.read("address"))

    def test_show_is_asked_for_by_its_own_method(self) -> None:
        self.server.shown = {"id": 1}

        self.assertEqual({"show": {"id": 1}}, self.read("show"))
        self.assertEqual([], self.server.requests)

    def test_an_error_of_the_plug_in_says_whose_it_is(self) -> None:
        def fail(names: object) -> object:
            raise ZeroDivisionError("by nought")

        self.server.answer = fail

        error = self.assertRaises(
            plugin_reads.ReadFailed, self.read, "address"
        )
        self.assertEqual(
            "Test::Server: ZeroDivisionError: by nought", error.message
        )

    def test_an_error_of_ours_passes_as_it_is(self) -> None:
        def fail(names: object) -> object:
            raise errors.Transient("away")

        self.server.answer = fail

        self.assertRaises(errors.Transient, self.read, "address")

    def test_a_plug_in_that_wants_to_end_the_process_does_not(self) -> None:
        def leave(names: object) -> object:
            raise SystemExit(1)

        self.server.answer = leave

        self.assertRaises(plugin_reads.ReadFailed, self.read, "address")

    def test_rubbish_is_refused(self) -> None:
        for rubbish in (7, {"address": object()}, {"address": 1 << 70}):
            self.server.answer = lambda names, rubbish=rubbish: rubbish
            self.assertRaises(plugin_reads.ReadFailed, self.read, "address")

    def test_an_effect_free_resource_is_read_on_the_caller_s_thread(
        self,
    ) -> None:
        seen: list[threading.Thread] = []

        class Free(fakes.Value):
            def read_attributes(
                self, context: call_context.Context, names: object
            ) -> dict[str, object]:
                seen.append(threading.current_thread())
                return {}

        plugin = Free(None)  # type: ignore[arg-type]
        plugin_reads.PluginReads().begin().read(plugin, _context(), ["value"])

        self.assertEqual([threading.current_thread()], seen)


class HungTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.release = threading.Event()
        self.addCleanup(self.release.set)
        self.server = fakes.Server(None)  # type: ignore[arg-type]
        self.server.answer = lambda names: self.release.wait(30) and {}

    def read(self, budget: plugin_reads.ReadBudget) -> object:
        return budget.read(self.server, _context(), ["address"])

    def test_a_plug_in_that_hangs_is_not_waited_for(self) -> None:
        budget = plugin_reads.PluginReads(limit_s=0.05).begin()

        error = self.assertRaises(plugin_reads.ReadFailed, self.read, budget)

        self.assertIn("no answer in time", error.message)

    def test_a_request_has_one_budget_for_all_its_reads(self) -> None:
        turned = fakes.Clock()
        budget = plugin_reads.PluginReads(limit_s=5, clock_=turned).begin()
        turned.moment = 5.0

        self.assertRaises(plugin_reads.ReadFailed, self.read, budget)

        self.assertEqual([], self.server.requests)

    def test_hanging_reads_do_not_take_more_threads_than_allowed(self) -> None:
        reads = plugin_reads.PluginReads(max_threads=1, limit_s=0.05)
        self.assertRaises(plugin_reads.ReadFailed, self.read, reads.begin())

        self.assertRaises(plugin_reads.ReadFailed, self.read, reads.begin())

        self.assertEqual(1, len(self.server.requests))

    def test_a_thread_is_free_again_once_its_call_has_ended(self) -> None:
        reads = plugin_reads.PluginReads(max_threads=1, limit_s=0.05)
        self.assertRaises(plugin_reads.ReadFailed, self.read, reads.begin())
        self.release.set()
        self.server.answer = lambda names: {"address": "here"}

        longer = plugin_reads.ReadBudget(reads, time.monotonic() + 30)

        self.assertEqual({"address": "here"}, self.read(longer))


class ProjectTest(base.TestCase):
    """Reads for requests of several projects."""

    def setUp(self) -> None:
        super().setUp()
        self.gate = threading.Event()
        self.addCleanup(self.gate.set)
        self.reads = plugin_reads.PluginReads(max_threads=2, limit_s=0.05)

    def read(self, project_id: str, budget: plugin_reads.ReadBudget) -> bool:
        calls = outside.OutsideCalls(project_id, is_awaited=True)
        with outside.limited(calls):
            return budget.run(lambda: self.gate.wait(30))

    def test_one_that_hangs_leaves_threads_to_others(self) -> None:
        """A project has half of the threads."""
        for _ in range(2):
            self.assertRaises(
                plugin_reads.TooLate, self.read, "a", self.reads.begin()
            )
        threading.Timer(0.05, self.gate.set).start()

        longer = plugin_reads.ReadBudget(self.reads, time.monotonic() + 30)

        self.assertTrue(self.read("b", longer))

    def test_all_reads_of_a_request_have_one_budget(self) -> None:
        """However many parts of the request read something."""
        calls = outside.OutsideCalls("a", is_awaited=True)
        with outside.limited(calls):
            self.assertRaises(
                plugin_reads.TooLate,
                self.reads.begin().run,
                lambda: self.gate.wait(30),
            )
            self.gate.set()

            self.assertLess(self.reads.begin().left_s, 0.01)


class OnceTest(base.TestCase):
    """What goes on though nobody waits any more."""

    def setUp(self) -> None:
        super().setUp()
        self.release = threading.Event()
        self.addCleanup(self.release.set)
        self.reads = plugin_reads.PluginReads()
        self.done: list[str] = []

    def work(self) -> None:
        self.release.wait(30)
        self.done.append("done")

    def ask(self, limit_s: float = 30) -> None:
        until = time.monotonic() + limit_s
        self.reads.ask_once("key", self.work, until)

    def test_it_goes_on_and_is_waited_for_again(self) -> None:
        self.assertRaises(plugin_reads.ReadFailed, self.ask, 0.05)
        self.assertRaises(plugin_reads.ReadFailed, self.ask, 0.05)

        threading.Timer(0.05, self.release.set).start()
        self.ask()

        self.assertEqual(["done"], self.done)

    def test_one_that_has_ended_is_begun_again(self) -> None:
        self.release.set()
        self.ask()
        self.ask()

        self.assertEqual(["done", "done"], self.done)

    def test_all_who_wait_are_told_what_was_raised(self) -> None:
        def fail() -> None:
            self.release.wait(30)
            raise errors.Transient("away")

        until = time.monotonic() + 0.05
        self.assertRaises(
            plugin_reads.ReadFailed, self.reads.ask_once, "key", fail, until
        )
        threading.Timer(0.05, self.release.set).start()

        self.assertRaises(errors.Transient, self.ask)


class NoThreadTest(base.TestCase):
    """The system starts no further thread."""

    def setUp(self) -> None:
        super().setUp()
        self.reads = plugin_reads.PluginReads(max_threads=1, limit_s=30)
        self.until = time.monotonic() + 30
        self.error: BaseException = RuntimeError("can't start new thread")

    def check_free(self) -> None:
        """Check that a failed call leaves nothing behind."""
        with fixtures.MonkeyPatch("threading.Thread.start", self.fail_start):
            self.assertRaises(
                plugin_reads.TooLate
                if isinstance(self.error, RuntimeError)
                else type(self.error),
                self.ask_once,
            )
        self.ask_once()
        self.assertEqual(1, self.reads.ask(lambda: 1, self.until))

    def fail_start(self, thread: threading.Thread) -> None:
        raise self.error

    def ask_once(self) -> None:
        self.reads.ask_once("key", lambda: None, self.until)

    def test_there_is_no_free_thread(self) -> None:
        self.check_free()

    def test_the_process_is_interrupted_meanwhile(self) -> None:
        self.error = KeyboardInterrupt()
        self.check_free()
