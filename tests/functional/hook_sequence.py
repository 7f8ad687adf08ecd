"""Calls around one operation, made in this process: all but the operation.

The chain, what is written of it, and the phases are real; rows are in a
database in memory. Workers die and stop where a test says.
"""

import collections.abc
import contextlib
import dataclasses
import types
import typing

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import engine
from orch.db.models import catalog
from orch.db.models import stacks as tables
from orch.db.repositories import leases
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import hook_loading
from orch.engine.lifecycle import situation
from orch.flow.runner import hook_phases
from orch.flow.runner import job
from orch.flow.runner import messages
from orch.flow.state import conclusion
from orch.flow.state import parking
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import stack
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from tests.functional.db import base

_MOST_STEPS = 500

Known = tuple[str, str, str]
"""Phase and name of the plug-in, and the outcome that it was told."""


class DeathError(BaseException):
    """The worker is no more."""


@dataclasses.dataclass(frozen=True)
class Part:
    """What one plug-in is, says and does.

    :ivar says: ``allow``, ``warn``, ``deny``, ``hold`` or ``raise``
    :ivar fails: its post-op raises
    :ivar has_effects: what it declares of its pre-op
    :ivar approves: how somebody answers what it holds
    """

    name: str
    ordinal: int = 100
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    includes_children: bool = True
    is_fail_open: bool = False
    says: str = "allow"
    fails: bool = False
    approves: bool = True
    has_effects: bool = True


@dataclasses.dataclass(frozen=True)
class Called:
    """One call that was made.

    :ivar worker: which one made it, 0 for the first
    """

    worker: int
    phase: str
    name: str
    outcome: str = ""


@dataclasses.dataclass(frozen=True)
class Blow:
    """What happens to a worker.

    :ivar moment: ``before`` or ``behind`` a ``call`` or a ``write``, as in
        ``before call``; ``stop`` is a request to stop amid a call
    :ivar number: the how manieth since the beginning
    """

    moment: str
    number: int


class _Plugin(lifecycle.LifecyclePlugin):
    def __init__(self, part: Part, play: "Play") -> None:
        super().__init__(part.name, None)
        self.ordinal = part.ordinal
        self.before, self.after = part.before, part.after
        if part.includes_children:
            self.scope = lifecycle.Scope.EVERY_STACK
        self.pre_has_effects = part.has_effects
        self._part = part
        self._play = play

    def pre_operation(
        self, seen: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        self._play.note(model.PRE, self.name)
        if self._part.says == "raise":
            raise RuntimeError("no verdict")
        say = typing.cast(
            collections.abc.Callable[..., lifecycle.Verdict],
            getattr(lifecycle, self._part.says),
        )
        return say() if self._part.says == "allow" else say("so it is")

    def post_operation(
        self,
        seen: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult,
    ) -> None:
        self._play.note(model.POST, self.name, ended.outcome.value)
        if self._part.fails:
            raise RuntimeError("not told")


class _Clock:
    """Goes on by what each call takes."""

    moment = 1000.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(self.moment)

    def monotonic(self) -> float:
        return self.moment


class _Store:
    """What of a store the calls need: it writes their entries."""

    def __init__(
        self, play: "Play", asked: operation.Operation, stack: stack.Stack
    ) -> None:
        self.operation = asked
        self.stack = stack
        self.book: typing.Any = None
        self.stop_reason: operation.StopReason | None = None
        self.redact = str
        self.rows: dict[str, object] = {}
        self.results = types.SimpleNamespace(
            refused=(), failed=(), total=0, list_failures=list
        )
        self.fence = types.SimpleNamespace(number=asked.fence)
        self._play = play

    def check_held(self) -> None:
        """Hold the lease."""

    def record_stack(self, reason: str) -> None:
        self._play.messages.append(reason)

    def record_approval(self, hold: model.Hold, reason: str) -> None:
        self._play.messages.append(reason)

    def write_apart(
        self, work: collections.abc.Callable[[engine.Connection], object]
    ) -> object:
        """Write at once."""
        return self._play.database.run(work)

    def flush(
        self,
        conclude: object = None,
        side_writes: parking.SideWrites | None = None,
    ) -> None:
        entry = self.book.take()
        with self._play.struck("write"), self._play.database.write() as conn:
            if entry is not None:
                entry(conn, self.stop_reason, None)
            if side_writes is not None:
                side_writes.write(conn, self.stop_reason)


class Play:
    """One operation, from its first worker to its end.

    :ivar calls: those that were made
    :ivar known: what the rows knew when each worker but the first began
    :ivar begun: how often the plan was taken up
    :ivar failure: what a post-op that failed means for the operation
    """

    def __init__(
        self,
        database: engine.Database,
        parts: collections.abc.Sequence[Part],
        *,
        depth: int = 0,
        became: conclusion.RunOutcome = conclusion.RunOutcome.COMPLETE,
        blows: collections.abc.Collection[Blow] = (),
        call_s: float = 0.0,
    ) -> None:
        """Have done nothing yet.

        :param became: what the plan comes to
        :param call_s: how long each call takes
        :raises orch.plugin.lifecycle_order.PluginCycle: the order circles
        """
        self.database = database
        self.calls: list[Called] = []
        self.known: list[tuple[int, set[Known]]] = []
        self.messages: list[str] = []
        self.begun = 0
        self.failure: str | None = None
        self._parts = {each.name: each for each in parts}
        self._became = became
        self._blows = set(blows)
        self._call_s = call_s
        self._counts = {"call": 0, "write": 0}
        self._worker = 0
        self._clock = _Clock()
        self._members = lifecycle_order.PluginOrder.of(
            [_Plugin(each, self) for each in parts],
            fail_open=[each.name for each in parts if each.is_fail_open],
        )
        self._stack = base.make_stack(depth=depth)
        asked = base.make_operation(
            stack_id=self._stack.id,
            depth=depth,
            context={},
            options={operation.WITHIN: ["p", 1]} if depth else {},
        )
        self._id = asked.id
        with database.write() as conn:
            stacks.insert(conn, self._stack)
            operations.insert(conn, asked)
        self._phases: hook_phases.HookPhases | None = None
        self._queue: list[object] = []
        self._closing_job: job.ClosingJob | None = None

    @property
    def run(self) -> model.Run | None:
        """Return what the rows say of the calls."""
        return self.database.query(lambda conn: runs.find(conn, self._id))

    def play(self) -> None:
        """Let workers see the operation through, one after another."""
        while self._closing_job is None:
            with contextlib.suppress(DeathError):
                self._work()
            self._worker += 1
            run = self.run
            if run is not None and run.hold is not None and run.hold.is_open:
                part = self._parts[run.hold.plugin]
                answer = model.APPROVED if part.approves else model.REJECTED
                with self.database.write() as conn:
                    runs.answer_hold(conn, self._id, answer, "ann")
        closing = self._closing_job.closing
        self.failure = closing.failure if closing else None

    def lose_end(self) -> None:
        """Let the last worker die after the calls, before the end."""
        self._closing_job = None

    def note(self, phase: str, name: str, outcome: str = "") -> None:
        """Know of a call."""
        self.calls.append(Called(self._worker, phase, name, outcome))

    @contextlib.contextmanager
    def struck(self, what: str) -> collections.abc.Iterator[None]:
        """Do something, and perhaps die before it or behind it.

        :raises DeathError: so it was ordered
        """
        self._counts[what] += 1
        number = self._counts[what]
        if Blow(f"before {what}", number) in self._blows:
            raise DeathError
        yield
        if Blow(f"behind {what}", number) in self._blows:
            raise DeathError

    def _work(self) -> None:
        """Be one worker, until it ends or parks the operation, or dies."""
        self._queue = []
        asked = self._claim()
        store = typing.cast(typing.Any, _Store(self, asked, self._stack))
        known_calls = self._known()
        if self._worker:
            self.known.append((self._worker, known_calls))
        found = hook_loading.HookLoader(
            self.database,
            situation.HookSettings(
                self._members,
                _show_nothing,
                self._clock,
                hold_limit_s=600.0,
            ),
        ).load(
            asked,
            typing.cast(typing.Any, types.SimpleNamespace(stack=self._stack)),
            store,
        )
        pool = typing.cast(
            typing.Any,
            types.SimpleNamespace(
                submit=self._call, withdraw=lambda ticket: False
            ),
        )
        owner = _Owner(self)
        self._phases = hook_phases.HookPhases(owner, pool, self._clock)
        if found is None:
            self.begun += 1
            self._closing_job = self._part(store, None, self._became)
            return
        owner.store, owner.caller = store, found
        if found.ended is not None:
            became = hook_caller.outcome_of_run(found.ended)
            owner.part(became, found.ended.reason)
        elif not found.is_opening:
            owner.go_on()
        else:
            self._phases.open(
                typing.cast(
                    job.Job,
                    types.SimpleNamespace(
                        store=store,
                        opening=found,
                        begin=lambda: None,
                        part=lambda became, reason: self._part(
                            store, found, became, reason
                        ),
                    ),
                )
            )
        self._pump()

    def _pump(self) -> None:
        assert self._phases is not None
        for _ in range(_MOST_STEPS):
            if not self._phases.is_on:
                return
            self._phases.walk()
            for message in self._queue[:1]:
                if isinstance(message, messages.HookAnswer):
                    self._phases.take(message)
                else:
                    self._phases.look()
            del self._queue[:1]
        raise AssertionError("it does not end")

    def _claim(self) -> operation.Operation:
        """Take the lease, which the dead do not need any more."""
        table = tables.OPERATIONS
        with self.database.write() as conn:
            conn.execute(
                sa.update(table)
                .where(
                    table.c.id == self._id,
                    table.c.lease_expires_at.is_not(None),
                )
                .values(lease_expires_at=clock.Timestamp(1.0))
            )
            (asked,) = leases.claim(conn, ids.WorkerId("w"), 60, 1, self._id)
        return asked

    def _known(self) -> set[Known]:
        run = self.run
        calls = run.calls if run is not None else ()
        return {(each.phase, each.plugin, each.outcome) for each in calls}

    def _call(
        self,
        function: collections.abc.Callable[[], object],
        done: collections.abc.Callable[[object, None], None],
        project_id: str,
    ) -> object:
        """Make a call at once; what it gives comes as a message."""
        assert self._phases is not None
        with self.struck("call"):
            answer = function()
            self._clock.moment += self._call_s
        if Blow("stop", self._counts["call"]) in self._blows:
            self._phases.stop()
        done(answer, None)
        return object()

    def _part(
        self,
        store: typing.Any,
        found: hook_caller.HookCaller | None,
        became: conclusion.RunOutcome,
        reason: str | None = None,
    ) -> job.ClosingJob:
        return job.ClosingJob(
            store=store,
            outcome=became,
            conclude=typing.cast(
                conclusion.Conclude, lambda stop_reason: None
            ),
            closing=found.close(became, reason) if found else None,
        )

    def post(self, message: object) -> None:
        """Have a message for the phases."""
        self._queue.append(message)

    def run_plan(
        self, store: typing.Any, found: hook_caller.HookCaller
    ) -> None:
        """Do what the operation is there for."""
        assert self._phases is not None
        store.flush()
        self.begun += 1
        self._finish(store, found, self._became)

    def _finish(
        self,
        store: typing.Any,
        found: hook_caller.HookCaller,
        became: conclusion.RunOutcome,
        reason: str | None = None,
    ) -> None:
        assert self._phases is not None
        closing_job = self._part(store, found, became, reason)
        if closing_job.closing is None:
            self.end(closing_job)
        else:
            self._phases.part(closing_job)

    def end(self, closing_job: job.ClosingJob) -> None:
        """Write the end; whoever dies behind that has ended it."""
        try:
            closing_job.store.flush()
        except DeathError:
            run = self.run
            if run is not None and run.stage is model.Stage.CLOSED:
                self._closing_job = closing_job
            raise
        self._closing_job = closing_job

    finish = _finish


def _show_nothing(
    found: situation.Situation,
    asked: lifecycle_operation.OperationRequest,
    phase: str,
) -> situation.OperationOf:
    """Return an operation of no stack."""
    shown = lifecycle_operation.LifecycleOperation(
        asked,
        typing.cast(
            lifecycle_operation.Source,
            types.SimpleNamespace(before=lambda: None),
        ),
    )
    return lambda member: shown


class _Owner:
    """The runner, as the phases know it."""

    store: typing.Any
    caller: hook_caller.HookCaller
    project_id: str = "demo"

    def __init__(self, play: Play) -> None:
        self._play = play

    def post(self, message: object) -> None:
        self._play.post(message)

    def post_at(self, due: float, message: object) -> None:
        """Forget it: nothing takes too long here."""

    def logged(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def go_on(self) -> None:
        self._play.run_plan(self.store, self.caller)

    def part(self, became: conclusion.RunOutcome, reason: str | None) -> None:
        self._play.finish(self.store, self.caller, became, reason)

    def leave(self, *, gives_back: bool) -> None:
        """Let the next worker have it."""

    def finish(self, closing_job: job.ClosingJob) -> None:
        self._play.end(closing_job)


def new_database() -> engine.Database:
    """Return an empty database with tables, in memory."""
    database = engine.Database("sqlite://")
    with database.write() as conn:
        catalog.TABLES[0].metadata.create_all(conn)
    return database
