"""A TaskFlow engine whose cost grows linearly with the flow.

Stock TaskFlow looks at all ancestors and descendants of each finished atom
and saves each state change by itself. This engine counts, for each atom, the
direct predecessors that are not complete (``orch.flow.engine.readiness``), and
works in *ticks*: what completed, what becomes ready, one write, and only then
the outside calls of the atoms that begin. Flows, tasks, states, details,
notifiers and listeners are TaskFlow's own.

It is driven from outside (``orch.flow.runner.runner``), so that one thread
serves many operations; :meth:`Engine.run` drives it alone, on the calling
thread with a pool of its own, for flows loaded through ``taskflow.engines``.
"""

import collections.abc
import heapq
import queue
import typing

from oslo_utils import uuidutils
from taskflow import exceptions
from taskflow import states
from taskflow import storage
from taskflow.engines import base as engine_base
from taskflow.persistence import base as persistence_base
from taskflow.persistence import models
from taskflow.types import failure

from orch import clock
from orch.flow import call_pool
from orch.flow.engine import breakpoints
from orch.flow.engine import compiler
from orch.flow.engine import persistence
from orch.flow.engine import readiness
from orch.flow.state import store
from orch.flow.state import transitions
from orch.flow.tasks import base
from orch.flow.tasks import plugin_errors
from orch.planner import plan

MAX_STARTS_PER_TICK = 256
"""Calls that begin in one tick: so many intents a crash can leave open."""


class Engine(engine_base.Engine):
    """Runs a graph flow of :class:`orch.flow.tasks.base.ChangeTask`.

    **Engine options:**

    ``clock``
        where the time comes from (default: this machine).
    ``group_s``
        how long effect-free atoms are gathered before what they gave is
        written, in seconds (default 0.025).
    ``keep_going``
        finish what does not depend on a failed atom (default false).
    ``flush``
        called once a tick, after notes and before calls (default: the
        backend writes each note itself).
    ``gate``
        :class:`orch.flow.engine.breakpoints.Gate`: says which atoms have to
        wait before they begin, or before others follow them (default: none).

    :ivar order: which atoms are ready, and which are held
    :ivar running: the atoms that have started and not ended
    :ivar failures: the failed atoms, in the order of their failures
    """

    def __init__(
        self,
        flow: compiler.PlanFlow,
        flow_detail: models.FlowDetail,
        backend: persistence_base.Backend,
        options: collections.abc.Mapping[str, object],
    ) -> None:
        """Store the flow and its options; nothing is compiled yet."""
        super().__init__(  # type: ignore[no-untyped-call]
            flow, flow_detail, backend, {}
        )
        self._clock = typing.cast(
            clock.Clock, options.get("clock") or clock.SystemClock()
        )
        self._group_s = float(
            typing.cast(float, options.get("group_s", 0.025))
        )
        self._continue = bool(options.get("keep_going"))
        self._flush = typing.cast(
            "collections.abc.Callable[[], None]",
            options.get("flush") or _write_nothing,
        )
        gate = options.get("gate") or breakpoints.Gate()
        self.order = readiness.Readiness(typing.cast(breakpoints.Gate, gate))
        self._connection = backend.get_connection()
        self._details: dict[base.ChangeTask, models.TaskDetail] = {}
        self.running: set[base.ChangeTask] = set()
        self._forgotten: set[base.ChangeTask] = set()
        self.failures: dict[base.ChangeTask, failure.Failure] = {}
        self._is_compiled = False
        self._is_stopping = False

    @property
    def storage(self) -> storage.Storage:
        """TaskFlow's view of the details, built anew at each access."""
        return storage.Storage(self._flow_detail, backend=self._backend)

    @property
    def statistics(self) -> dict[str, object]:
        """Numbers of atoms: all, waiting, running, failed, complete."""
        return {
            "atoms": len(self._details),
            "awaiting": self.order.awaiting,
            "running": len(self.running),
            "failed": len(self.failures),
        }

    @property
    def has_ready(self) -> bool:
        """Whether another tick would start an atom."""
        return bool(self.order.ready) and not self._is_stopping

    @property
    def is_suspended(self) -> bool:
        """Whether no further atom will start."""
        return self._is_stopping

    @property
    def is_finished(self) -> bool:
        """Whether no atom runs and none will start by itself."""
        return not self.running and not self.has_ready

    @property
    def is_complete(self) -> bool:
        """Whether every atom of the flow has succeeded."""
        return (
            not self.failures
            and not self.running
            and not self._forgotten
            and self.order.is_exhausted
        )

    def compile(self) -> None:
        """Learn the neighbours of each atom; a second call does nothing.

        :raises taskflow.exceptions.CompilationFailure: the flow has retries,
            deciders or flows in it, which plans never have
        """
        if self._is_compiled:
            return
        self.order.learn(self._flow)
        self._is_compiled = True

    def prepare(self) -> None:
        """Create the detail of each atom that has none."""
        known = {detail.name: detail for detail in self._flow_detail}
        for atom in self.order.atoms:
            detail = known.get(atom.name)
            if detail is None:
                detail = models.TaskDetail(
                    atom.name, uuidutils.generate_uuid()
                )
                detail.state = states.PENDING
                self._flow_detail.add(detail)
            self._details[atom] = detail

    def validate(self) -> None:
        """Check nothing: plans pass no values through the flow."""

    def reset(self) -> None:
        """Raise InvalidState: an operation is planned again, never reset.

        :raises taskflow.exceptions.InvalidState: always
        """
        raise exceptions.InvalidState("plan the operation again instead")

    def suspend(self) -> None:
        """Start no further atom; calls that run may end."""
        self._is_stopping = True

    def open(self) -> None:
        """Compile and prepare the flow for the first tick."""
        self.compile()
        self.prepare()
        self.order.open()
        self._change_state(states.RUNNING)

    def tick(self) -> list[base.ChangeTask]:
        """Start the ready atoms, then write everything that was noted.

        :returns: atoms whose intent is durable now: call their ``begin``
        """
        begun: list[base.ChangeTask] = []
        until = self._clock.monotonic() + self._group_s
        while self.has_ready and len(begun) < MAX_STARTS_PER_TICK:
            atom = self.order.ready.popleft()
            if self._begin(atom):
                begun.append(atom)
            elif self._clock.monotonic() > until:
                break
        self._flush()
        return begun

    def complete(self, atom: base.ChangeTask, step: base.Step) -> None:
        """Record the success of an atom; its successors may start."""
        self.running.discard(atom)
        self._note(atom, states.SUCCESS, step.to_result())
        self.order.pass_on(atom)

    def reconsider(self) -> None:
        """Ask the gate again about every atom that it holds."""
        self.order.reconsider()

    def fail(self, atom: base.ChangeTask, error: BaseException) -> None:
        """Record the failure of an atom; none of its successors starts.

        Without ``keep_going`` nothing more begins at all.
        """
        self.running.discard(atom)
        raised = _as_failure(error)
        self.failures[atom] = raised
        self._note(atom, states.FAILURE, raised)
        if not self._continue:
            self._is_stopping = True

    def forget(self, atom: base.ChangeTask) -> None:
        """Stop waiting for an atom; its row stays unchanged."""
        self.running.discard(atom)
        self._forgotten.add(atom)

    def close(self) -> str:
        """Set the final state of the flow, and return it."""
        if self.failures:
            ended = states.FAILURE
        elif self.is_complete:
            ended = states.SUCCESS
        else:
            self._change_state(states.SUSPENDING)
            ended = states.SUSPENDED
        self._change_state(ended)
        return ended

    def run(self, timeout: float | None = None) -> None:
        """Run the flow to its end on this thread and a pool of its own.

        :param timeout: ignored, as plug-in calls have limits of their own
        :raises Exception: what an atom raised, once all have ended
        """
        self.open()
        _Drive(self, self._clock).run()
        self._flush()
        if self.close() == states.FAILURE:
            failure.Failure.reraise_if_any(self.failures.values())

    def _begin(self, atom: base.ChangeTask) -> bool:
        """Note the intent; return whether an outside call must follow.

        The gate is asked a second time: what the change does may only be
        known once it has been computed.
        """
        if self.order.holds(atom):
            return False
        try:
            atom.pre_execute()
        except base.ChangeRefused as error:
            self.fail(atom, error)
            return False
        except BaseException as error:
            self._note(atom, states.RUNNING)
            self.fail(atom, error)
            return False
        if self.order.holds(atom):
            return False
        self._details[atom].meta["effects"] = transitions.Effects(
            is_free=atom.is_effect_free, is_unchanging=atom.is_unchanging
        )
        self._note(atom, states.RUNNING)
        self.running.add(atom)
        if not atom.is_effect_free:
            return True
        try:
            step = atom.begin()
        except BaseException as error:
            self.fail(atom, error)
            return False
        if step.pending is not None:
            self.fail(
                atom,
                base.BadAnswer("an effect-free resource may not be pending"),
            )
            return False
        self.complete(atom, step)
        return False

    def _note(
        self, atom: base.ChangeTask, state: str, result: object = None
    ) -> None:
        """Give an atom its new state; record it, and notify listeners."""
        detail = self._details[atom]
        old = detail.state
        detail.put(state, result)
        self._connection.update_atom_details(detail)
        if len(self._atom_notifier):
            self._atom_notifier.notify(
                detail.state,
                {
                    "task_name": atom.name,
                    "task_uuid": detail.uuid,
                    "old_state": old,
                    "result": detail.results,
                },
            )

    def _change_state(self, state: str) -> None:
        old = self._flow_detail.state
        self._flow_detail.state = state
        self._connection.update_flow_details(self._flow_detail)
        self._notifier.notify(
            state,
            {
                "engine": self,
                "flow_name": self._flow_detail.name,
                "flow_uuid": self._flow_detail.uuid,
                "old_state": old,
            },
        )


_Result = tuple[base.ChangeTask, base.Step | None, BaseException | None]


class _Drive:
    """Makes the calls of one engine, and passes it the answers."""

    def __init__(self, driven: Engine, clock_: clock.Clock) -> None:
        """Make no call yet."""
        self._driven = driven
        self._clock = clock_
        self._pool = call_pool.CallPool(
            call_pool.FIRST_THREADS, 3600.0, clock_
        )
        self._results: queue.SimpleQueue[_Result] = queue.SimpleQueue()
        self._polls: list[tuple[float, int, base.ChangeTask]] = []

    def run(self) -> None:
        """Run until no atom is running and no further one starts."""
        try:
            while not self._driven.is_finished:
                for atom in self._driven.tick():
                    self._submit(atom, atom.begin)
                while not self._driven.has_ready and self._driven.running:
                    self._wait()
        finally:
            self._pool.stop()

    def _wait(self) -> None:
        """Take one answer, or poll the atoms that are due."""
        now = self._clock.monotonic()
        polls = self._polls
        while polls and polls[0][0] <= now:
            atom = heapq.heappop(polls)[2]
            self._submit(atom, atom.poll)
        try:
            atom, step, error = self._results.get(
                timeout=max(polls[0][0] - now, 0) if polls else None
            )
        except queue.Empty:
            return
        if step is None:
            self._driven.fail(atom, error or RuntimeError("no answer"))
        elif step.pending is None:
            self._driven.complete(atom, step)
        else:
            atom.note(step)
            due = now + (step.pending.after_s or 0.05)
            heapq.heappush(polls, (due, id(atom), atom))

    def _submit(
        self,
        atom: base.ChangeTask,
        call: collections.abc.Callable[[], base.Step],
    ) -> None:
        def tell(answer: object, error: BaseException | None) -> None:
            step = answer if isinstance(answer, base.Step) else None
            self._results.put((atom, step, error))

        self._pool.submit(call, tell)


def assemble_engine(
    planned: plan.Plan,
    store: store.Store,
    *,
    clock_: clock.Clock,
    group_s: float,
    flush: collections.abc.Callable[[], None],
    gate: breakpoints.Gate | None = None,
) -> Engine:
    """Return an engine that runs the plan and records it in the store.

    :param group_s: how long effect-free changes are gathered, in seconds
    :param flush: called once a tick
    :param gate: decides which changes are held; ``None`` for none
    """
    operation = store.operation
    name = f"{operation.action} {store.stack.name}"
    return Engine(
        compiler.compile_plan(name, planned, store),
        models.FlowDetail(name, operation.id),
        persistence.Backend(
            {"store": store, "plan": planned, "batched": True}
        ),
        {
            "clock": clock_,
            "group_s": group_s,
            "keep_going": bool(operation.options.get("keep_going")),
            "flush": flush,
            "gate": gate,
        },
    )


def _as_failure(error: BaseException) -> failure.Failure:
    """Return the error as TaskFlow stores it, its traceback included."""
    tame = plugin_errors.wrap_plugin_error(error)
    return failure.Failure(exc_info=(type(tame), tame, error.__traceback__))


def _write_nothing() -> None:
    """Leave the writing to the backend."""
