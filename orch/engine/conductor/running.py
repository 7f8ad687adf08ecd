"""The running operations of a worker, how they close, and whom to notify.

The conductor claims and prepares operations.
"""

import collections.abc
import threading

from orch import clock
from orch import ids
from orch.engine.execution import outcome
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import transitions
from orch.flow.runner import job
from orch.flow.runner import messages
from orch.flow.runner import runner
from orch.flow.state import conclusion
from orch.flow.state import fence
from orch.flow.state import restoration
from orch.flow.state import store
from orch.model import adoption
from orch.model import operation
from orch.model import stack


def new_closing_job(
    store: store.Store,
    caller: hook_caller.HookCaller,
    clock_: clock.Clock,
    became: conclusion.RunOutcome,
    reason: str | None = None,
    *,
    has_begun: bool = True,
) -> job.ClosingJob:
    """Return the job that finishes an operation, once hooks were called.

    A failed post-hook turns a complete operation into a failed one.

    :param reason: why, where the outcome alone does not say it
    :param has_begun: changes may have been made
    """
    closing = caller.close(became, reason)

    def conclude(
        stop_reason: operation.StopReason | None,
    ) -> conclusion.Conclusion:
        now = clock_.now()
        if became is conclusion.RunOutcome.COMPLETE and (
            closing is not None and closing.failure is not None
        ):
            return outcome.stop_operation(
                store, closing.failure, stop_reason, now
            )
        if not has_begun:
            return outcome.stop_operation(
                store,
                reason,
                stop_reason,
                now,
                has_begun=False,
                outcome=became,
            )
        return outcome.conclude_operation(
            store, became, stop_reason, now, reason
        )

    return job.ClosingJob(store, became, conclude, closing)


def resume_closing(
    store: store.Store, caller: hook_caller.HookCaller, clock_: clock.Clock
) -> job.ClosingJob:
    """Return the job that finishes an operation after a lost worker.

    Its outcome is stored.
    """
    run = caller.ended
    assert run is not None
    store.results.resume_end()
    became = hook_caller.outcome_of_run(run)
    is_complete = became is conclusion.RunOutcome.COMPLETE
    return new_closing_job(
        store,
        caller,
        clock_,
        became,
        None if is_complete else run.reason,
        has_begun=transitions.has_begun(run),
    )


NotifyEnd = collections.abc.Callable[[ids.StackId, ids.StackId], None]
"""Notifies the other workers, with the ids of parent and child, that a child
stack's operation has ended.
"""


class RunningOperations:
    """The runners of one worker; used from several threads at once."""

    def __init__(
        self,
        notify_end: NotifyEnd,
        notify_released: collections.abc.Callable[[], None],
    ) -> None:
        """Start with no runner.

        :param notify_released: called once an operation has ended that may
            have taken physical resources from other stacks
        """
        self._notify_end = notify_end
        self._notify_released = notify_released
        # Of one operation there are several when it was taken over by this
        # very worker: the newest, and those whose calls have not ended.
        self._runners: dict[ids.OperationId, list[runner.Runner]] = {}
        # The one that runs an operation of a stack now.
        self._of_stack: dict[ids.StackId, runner.Runner] = {}
        # Child stacks whose operation has come to its end, by its fence.
        self._children: dict[fence.Fence, stack.Stack] = {}
        # Child stacks whose operations end with an operation, by its fence.
        self._cut_short: dict[fence.Fence, tuple[ids.StackId, ...]] = {}
        # Those whose end, once it is committed, lets another one begin.
        self._awaited: set[fence.Fence] = set()
        # Those whose end decides about releases of other stacks.
        self._taking: set[fence.Fence] = set()
        self._is_stopping = False
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)

    def __len__(self) -> int:
        """Return how many operations run."""
        with self._lock:
            return len(self._runners)

    def count_roots(self) -> int:
        """Return how many operations of root stacks run."""
        with self._lock:
            return sum(not each[-1].depth for each in self._runners.values())

    def add(self, started: runner.Runner) -> bool:
        """Start an operation once no earlier runner of it is left here.

        One that was taken over before it came here does not start.

        :returns: false where the worker is stopping; other workers may have it
            then
        """
        held = started.fence
        with self._lock:
            earlier = tuple(self._runners.get(held.operation_id, ()))
            if any(each.fence.number > held.number for each in earlier):
                return True
            if self._is_stopping:
                return False
            self._runners[held.operation_id] = [*earlier, started]
        for each in earlier:
            each.fence.lose()
            each.post(messages.LeaseLost())
        if not earlier:
            started.post(messages.Begin())
        return True

    def stop(self, grace_s: float) -> None:
        """Start no more operations; let running ones release their leases.

        :param grace_s: seconds to wait for their ends
        """
        with self._lock:
            self._is_stopping = True
            for each in self._runners.values():
                each[-1].post(messages.Stop())
            self._idle.wait_for(lambda: not self._runners, grace_s)

    def find_newest(
        self, operation_id: ids.OperationId
    ) -> runner.Runner | None:
        """Return the newest runner of an operation, if one is here."""
        with self._lock:
            known = self._runners.get(operation_id)
            return known[-1] if known else None

    def newest(self) -> dict[ids.OperationId, runner.Runner]:
        """Return the newest runner of each operation."""
        with self._lock:
            return {key: each[-1] for key, each in self._runners.items()}

    def own_stack(
        self, held: fence.Fence, operation: operation.Operation
    ) -> None:
        """Register the runner that ends of child stacks are reported to."""
        with self._lock:
            for each in self._runners.get(operation.id, []):
                if each.fence is held:
                    self._of_stack[operation.stack_id] = each

    def note(
        self,
        store: store.Store,
        ended: conclusion.Conclusion,
        stop_reason: operation.StopReason | None,
    ) -> None:
        """Note which runners to notify once this end is committed."""
        if ended.cut_short:
            self._cut_short[store.fence] = ended.cut_short
        if store.stack.parent_id is not None:
            self._children[store.fence] = store.stack
        if (
            ended.accepted_operations
            or ended.continued
            or stop_reason is operation.StopReason.SUPERSEDED
        ):
            self._awaited.add(store.fence)
        # After what superseded an operation, that cannot continue any more.
        if {adoption.SOURCES, restoration.SUPERSEDED} & set(
            store.operation.options
        ):
            self._taking.add(store.fence)

    def remove(self, held: fence.Fence) -> bool:
        """Remove a runner that has ended, and notify those that wait for it.

        :returns: whether another operation may start now
        """
        with self._lock:
            known = self._runners.pop(held.operation_id, [])
            left = [each for each in known if each.fence is not held]
            if left:
                self._runners[held.operation_id] = left
            self._idle.notify_all()
        if len(left) == 1 < len(known):
            left[0].post(messages.Begin())
        self._notify_waiting(held)
        if held in self._taking:
            self._taking.discard(held)
            self._notify_released()
        is_awaited = held in self._awaited
        self._awaited.discard(held)
        return is_awaited

    def look_at_child(
        self, stack_id: ids.StackId, child_id: ids.StackId
    ) -> bool:
        """Let the resource that waits for a child stack poll it now.

        :returns: whether an operation of the parent stack runs here
        """
        with self._lock:
            around = self._of_stack.get(stack_id)
        if around is not None:
            around.post(messages.ChildEnded(ids.ResourceId(child_id)))
        return around is not None

    def _notify_waiting(self, held: fence.Fence) -> None:
        """Notify the runners of parent and child stacks that it has ended.

        Runners of other workers poll by themselves, only later.
        """
        with self._lock:
            children = self._children.pop(held, None)
            cut_short = [
                self._of_stack[each]
                for each in self._cut_short.pop(held, ())
                if each in self._of_stack
            ]
            for stack_id, each in list(self._of_stack.items()):
                if each.fence is held:
                    del self._of_stack[stack_id]
        for each in cut_short:
            each.post(messages.NextTick())
        if children is None or children.parent_id is None:
            return
        if not self.look_at_child(children.parent_id, children.id):
            self._notify_end(children.parent_id, children.id)
