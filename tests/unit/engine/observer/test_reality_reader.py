"""Reading: what was found out of each thing, whatever plug-ins do."""

import collections.abc
import threading

from oslo_config import cfg

from orch import clock
from orch import errors
from orch import ids
from orch.engine import plugin_reads
from orch.engine.observer import reality_reader
from orch.model import resource as model_resource
from orch.model import states
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from tests import base
from tests.support import waiting

_NOW = clock.Timestamp(0.0)


class _Once:
    """An error that comes once."""

    def __init__(self, error: Exception) -> None:
        self._error: Exception | None = error

    def take(self) -> object:
        """Return a good answer from the second time on.

        :raises Exception: the first time
        """
        error, self._error = self._error, None
        if error is not None:
            raise error
        return {"p": 1}


class _Single(resource.Resource):
    """Answers what stands in ``answers``, or raises it."""

    type_name = "T::Single"
    has_reality = True

    def __init__(self) -> None:
        super().__init__(cfg.ConfigOpts())
        self.answers: dict[str, object] = {}
        self.calls: list[str] = []
        self.max_found = self.now = 0
        self.lock = threading.Lock()

    def get_reality(
        self, context: call_context.Context
    ) -> reality.Reality | None:
        with self.lock:
            self.calls.append(context.name)
            self.now += 1
            self.max_found = max(self.max_found, self.now)
        try:
            return self._answer(self.answers.get(context.name, {"p": 1}))
        finally:
            with self.lock:
                self.now -= 1

    def _answer(self, found: object) -> reality.Reality | None:
        if isinstance(found, threading.Event):
            found.wait(30)
            found = {}
        if isinstance(found, _Once):
            found = found.take()
        if isinstance(found, BaseException):
            raise found
        return found  # type: ignore[return-value]


class _Listed(_Single):
    type_name = "T::Listed"
    listed: object = None

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.Answer] | None:
        self.calls.append(f"list {len(contexts)}")
        listed = self.listed
        if isinstance(listed, _Once):
            listed = listed.take() and None
        if isinstance(listed, Exception):
            raise listed
        return listed  # type: ignore[return-value]


class _Blind(resource.Resource):
    type_name = "T::Blind"


class _Types:
    """Exactly these types."""

    def __init__(self, *known: resource.Resource) -> None:
        self._known = {each.type_name: each for each in known}

    def find(self, type_name: str) -> resource.Resource | None:
        return self._known.get(type_name)

    def get(self, type_name: str) -> resource.Resource:
        return self._known[type_name]


class _Time(clock.Clock):
    """Stands still but for what is let pass by."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(self._now)

    def monotonic(self) -> float:
        return self._now

    def pass_by(self, seconds: float) -> None:
        self._now += seconds


class ReadingTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.single, self.listed = _Single(), _Listed()
        self.types = _Types(self.single, self.listed, _Blind(cfg.ConfigOpts()))
        self.paced: list[tuple[str, str]] = []
        self.pauses: list[float] = []

    def pace(self, project_id: str, type_name: str) -> None:
        self.paced.append((project_id, type_name))

    def read(
        self,
        *rows: model_resource.Resource,
        threads: int = 4,
        call_limit_s: float = 30.0,
        whole_limit_s: float = 30.0,
        is_paced: bool = False,
    ) -> dict[str, reality.Answer]:
        found = reality_reader.RealityReader(
            self.types,
            _context,
            clock.SystemClock(),
            plugin_reads.PluginReads(threads),
            call_limit_s=call_limit_s,
            whole_limit_s=whole_limit_s,
            pace=self.pace if is_paced else None,
            wait=self.pauses.append,
        ).read(rows)
        return {row.name: found[row.id] for row in rows}

    def test_each_is_read_by_a_call_where_nothing_lists(self) -> None:
        self.single.answers["b"] = None

        found = self.read(_row("a"), _row("b"), is_paced=True)

        self.assertEqual({"a": {"p": 1}, "b": None}, found)
        self.assertEqual(["a", "b"], sorted(self.single.calls))
        self.assertEqual([("demo", "T::Single")] * 2, self.paced)

    def test_what_lists_is_asked_once_for_all(self) -> None:
        self.listed.listed = [{"p": 1}, {"p": 2}, None]

        found = self.read(
            *(_row(name, "T::Listed") for name in "abc"), is_paced=True
        )

        self.assertEqual({"a": {"p": 1}, "b": {"p": 2}, "c": None}, found)
        self.assertEqual(["list 3"], self.listed.calls)
        self.assertEqual([("demo", "T::Listed")], self.paced)

    def test_what_a_list_lacks_is_read_before_it_has_vanished(self) -> None:
        gone, late = reality.Vanished("gone"), plugin_reads.TooLate("late")
        self.listed.listed = [{"p": 1}, *[reality.Vanished("unlisted")] * 3]
        self.listed.answers.update(b={"p": 2}, c=gone, d=late)

        found = self.read(
            *(_row(name, "T::Listed") for name in "abcd"), is_paced=True
        )

        self.assertEqual({"p": 2}, found["b"])
        self.assertIs(gone, found["c"])
        self.assertIs(late, found["d"])
        self.assertEqual(["b", "c", "d", "list 4"], sorted(self.listed.calls))
        self.assertEqual([("demo", "T::Listed")] * 4, self.paced)

    def test_a_transient_error_is_tried_again(self) -> None:
        self.single.answers["a"] = _Once(errors.Transient("500"))
        self.listed.listed = _Once(errors.Outage("503"))

        found = self.read(_row("a"), _row("b", "T::Listed"))

        self.assertEqual({"a": {"p": 1}, "b": {"p": 1}}, found)
        self.assertEqual(["a", "a"], self.single.calls)
        self.assertEqual([0.5], self.pauses)

    def test_an_error_that_stays_is_not_tried_for_ever(self) -> None:
        self.single.answers.update(
            a=errors.Transient("500"), b=errors.Permanent("403")
        )

        found = self.read(_row("a"), _row("b"))

        self.assertIsInstance(found["a"], errors.Transient)
        self.assertEqual(["a", "a", "b"], sorted(self.single.calls))

    def test_no_error_is_tried_again_behind_the_time_limit(self) -> None:
        self.single.answers["a"] = errors.Transient("500")

        self.read(_row("a"), whole_limit_s=0.4)

        self.assertEqual(["a"], self.single.calls)
        self.assertEqual([], self.pauses)

    def test_a_type_that_cannot_list_now_is_read_one_by_one(self) -> None:
        found = self.read(_row("a", "T::Listed"), _row("b", "T::Listed"))

        self.assertEqual({"a": {"p": 1}, "b": {"p": 1}}, found)
        self.assertEqual(
            ["list 2", "a", "b"],
            sorted(self.listed.calls, key=len, reverse=True),
        )

    def test_what_a_list_does_not_show_is_read_by_itself(self) -> None:
        self.listed.listed = [{"p": 2}, reality.UNLISTED]
        self.listed.answers["b"] = reality.Vanished("gone")

        found = self.read(
            _row("a", "T::Listed"), _row("b", "T::Listed"), is_paced=True
        )

        self.assertEqual({"p": 2}, found["a"])
        self.assertIs(self.listed.answers["b"], found["b"])
        self.assertEqual(["list 2", "b"], self.listed.calls)
        self.assertEqual([("demo", "T::Listed")] * 2, self.paced)

    def test_what_cannot_tell_or_is_not_there_is_not_asked(self) -> None:
        found = self.read(
            _row("a", "T::Blind"),
            _row("b", "T::None"),
            _row("c", physical_id=None),
        )

        self.assertEqual(dict.fromkeys("abc"), found)
        self.assertEqual([], self.single.calls)
        self.assertEqual([], self.paced)

    def test_one_that_fails_keeps_no_other_up(self) -> None:
        gone, wrong = reality.Vanished("gone"), KeyError("p")
        self.single.answers.update(a=gone, b=wrong, c=7, d={"p": object()})

        found = self.read(*(_row(name) for name in "abcde"))

        self.assertIs(gone, found["a"])
        self.assertEqual({"p": 1}, found["e"])
        for name in "bcd":
            self.assertIsInstance(found[name], plugin_reads.ReadFailed, name)

    def test_an_error_of_a_list_is_the_answer_of_each(self) -> None:
        for error in (errors.Unavailable("later"), ValueError("odd")):
            self.listed.listed = error

            found = self.read(
                _row("a", "T::Listed"), _row("b", "T::Listed"), _row("c")
            )

            self.assertEqual({"p": 1}, found["c"])
            for name in "ab":
                self.assertIsInstance(found[name], errors.OrchError)

    def test_a_list_of_another_length_is_no_answer(self) -> None:
        self.listed.listed = [{"p": 1}]

        found = self.read(_row("a", "T::Listed"), _row("b", "T::Listed"))

        for name in "ab":
            self.assertIsInstance(found[name], plugin_reads.ReadFailed)

    def test_a_call_that_hangs_is_given_up(self) -> None:
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        self.single.answers["a"] = hanging

        found = self.read(_row("a"), _row("b"), call_limit_s=0.2)

        self.assertIsInstance(found["a"], plugin_reads.ReadFailed)
        self.assertEqual({"p": 1}, found["b"])

    def test_where_all_threads_hang_the_rest_is_given_up_in_time(
        self,
    ) -> None:
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        self.single.answers.update(a=hanging, b=hanging)

        found = self.read(
            *(_row(name) for name in "abcdefgh"),
            threads=2,
            # Whoever waits for that waits beyond the limit of the test.
            call_limit_s=3600.0,
            whole_limit_s=0.3,
        )

        for name in "abcdefgh":
            self.assertIsInstance(found[name], plugin_reads.ReadFailed)

    def test_checks_and_reads_of_a_caller_have_one_limit(self) -> None:
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        self.single.answers.update(a=hanging, b=hanging)
        self.listed.answers.update(a=hanging)
        time_ = clock.SystemClock()
        began = time_.monotonic()
        reader = reality_reader.RealityReader(
            self.types,
            _context,
            time_,
            plugin_reads.PluginReads(4),
            whole_limit_s=1.0,
        )

        checked = {
            **reader.inspect(self.single, [_row("a")]),
            **reader.inspect(self.listed, [_row("a", "T::Listed")]),
        }
        (read,) = reader.read([_row("b")]).values()

        self.assertLess(time_.monotonic() - began, 1.9)
        for each in (read, *(each.fault for each in checked.values())):
            self.assertIsInstance(each, plugin_reads.ReadFailed)

    def test_dg5_what_is_paced_is_given_up_in_time_too(self) -> None:
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        self.single.answers.update(a=hanging)

        found = self.read(
            *(_row(name) for name in "abcdefgh"),
            threads=1,
            call_limit_s=10.0,
            whole_limit_s=0.3,
            is_paced=True,
        )

        for name in "abcdefgh":
            self.assertIsInstance(found[name], plugin_reads.TooLate)
        self.assertLess(len(self.paced), 8)

    def test_dg5_waiting_for_a_turn_takes_no_time_from_calls(self) -> None:
        time_ = _Time()
        paced = reality_reader.RealityReader(
            self.types,
            _context,
            time_,
            plugin_reads.PluginReads(4, clock_=time_),
            whole_limit_s=100.0,
            pace=lambda *_: time_.pass_by(60.0),
        )

        paced.read([_row(name) for name in "abcdefgh"])

        waiting.wait_for(lambda: len(self.single.calls) == 8, "all calls")

    def test_dg5_a_type_that_hangs_is_not_asked_for_each_of_its_things(
        self,
    ) -> None:
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        self.single.answers.update(a=hanging)

        found = self.read(
            *(_row(name) for name in "abcdefgh"),
            threads=1,
            call_limit_s=0.1,
            is_paced=True,
        )

        for name in "abcdefgh":
            self.assertIsInstance(found[name], plugin_reads.TooLate)
        self.assertEqual(1 + reality_reader.MAX_LATE_CALLS, len(self.paced))

    def test_no_more_calls_than_threads_are_under_way(self) -> None:
        self.read(*(_row(f"r{number}") for number in range(40)), threads=3)

        self.assertLessEqual(self.single.max_found, 3)
        self.assertEqual(40, len(self.single.calls))


def _row(
    name: str, type_name: str = "T::Single", physical_id: str | None = "p"
) -> model_resource.Resource:
    return model_resource.Resource(
        id=ids.ResourceId(ids.new()),
        stack_id=ids.StackId("s"),
        name=name,
        type_name=type_name,
        physical_id=physical_id,
        action=states.Action.CREATE,
        created_at=_NOW,
        updated_at=_NOW,
    )


def _context(row: model_resource.Resource) -> call_context.Context:
    return call_context.Context(
        request=None,  # type: ignore[arg-type]
        stack_id=row.stack_id,
        stack_name="s",
        name=row.name,
        token=row.id,
        attempt=1,
        physical_name=row.name,
        physical_id=row.physical_id,
        properties={},
        metadata={},
        data={},
        attributes={},
        started_at=_NOW,
        stack_project="demo",
    )
