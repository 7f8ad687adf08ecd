"""The failed calls of one operation that are made again later."""

import collections.abc

from orch import clock
from orch import errors
from orch.flow.engine import persistence
from orch.flow.runner import retry_policy
from orch.flow.state import parking
from orch.flow.state import store
from orch.flow.state import transitions
from orch.flow.tasks import base
from orch.flow.tasks import plugin_errors
from orch.model import blocked
from orch.model import resource
from orch.model import states
from orch.planner import plan

_NEVER = retry_policy.Attempts()


class Retries:
    """Records when each failed call is due, and its last error.

    A change is *blocked* while it waits for quota or for a service, and no
    call of it is in progress.

    :ivar blocked: those atoms
    """

    def __init__(
        self,
        policy: retry_policy.RetryPolicy,
        store: store.Store,
        clock_: clock.Clock,
    ) -> None:
        """Start without any failed call."""
        self._policy = policy
        self._store = store
        self._clock = clock_
        self._attempts: dict[base.ChangeTask, retry_policy.Attempts] = {}
        self._counted: dict[base.ChangeTask, int] = {}
        self.blocked: set[base.ChangeTask] = set()

    def take(self, atom: base.ChangeTask, raised: BaseException) -> bool:
        """Note a failed call; return whether it is made again."""
        error = plugin_errors.wrap_plugin_error(raised)
        before = self._attempts.get(atom, _NEVER)
        is_counted = not isinstance(error, errors.QuotaExceeded)
        tries = before.tries + is_counted
        verdict = self._policy.decide(error, tries)
        if verdict is retry_policy.RetryVerdict.FAIL:
            self._attempts.pop(atom, None)
            return False
        is_blocked = verdict is retry_policy.RetryVerdict.BLOCK
        blocks = before.blocks + is_blocked
        pause = self._pause(error, is_blocked, tries, blocks)
        after = retry_policy.Attempts(
            tries=tries,
            blocks=blocks,
            error=error,
            due=self._clock.monotonic() + pause,
            is_blocked=is_blocked,
        )
        self._attempts[atom] = after
        if is_blocked:
            self.blocked.add(atom)
        self._note(atom, error, after, pause, self._is_new(before, after))
        return True

    def call(self, atom: base.ChangeTask) -> None:
        """Note that the call is made again now."""
        self.blocked.discard(atom)

    def recover(self, atom: base.ChangeTask) -> None:
        """Note that a call was answered after all."""
        if self._attempts.pop(atom, None) is None:
            return
        row = self._find_row(atom)
        if row is not None:
            self._store.put(row.id, status_reason=transitions.STARTED)

    def intend(self, atom: base.ChangeTask) -> None:
        """Note the intent of starting a change once more.

        Each call whose answer was lost counts as an attempt, a look for what
        it has made does not.
        """
        row = self._find_row(atom)
        acting = self._store.acting(atom.change)
        if row is None or acting is None or row.physical_id is not None:
            return
        if acting.kind is plan.Kind.CREATE:
            lost = atom.lost_calls - self._counted.get(atom, 0)
            self._counted[atom] = atom.lost_calls
            self._store.put(
                row.id, is_outcome_unknown=True, attempt=row.attempt + lost
            )

    def due(self, atom: base.ChangeTask) -> float:
        """Return the moment of the next call, in monotonic seconds."""
        return self._attempts[atom].due

    def find_error(self, atom: base.ChangeTask) -> BaseException | None:
        """Return the error of the last call; ``None`` if it was answered."""
        return self._attempts.get(atom, _NEVER).error

    @property
    def atoms(self) -> collections.abc.Set[base.ChangeTask]:
        """All atoms whose last call failed; some are called again now."""
        return self._attempts.keys()

    def park(
        self,
        waits: collections.abc.Sequence[blocked.Wait] = (),
        next_due: float | None = None,
    ) -> parking.Park:
        """Return how the operation waits, now that all its changes do.

        :param waits: those for signals and at breakpoints
        :param next_due: when the first of them goes on by itself, monotonic
        """
        operation, done = self._store.operation, self._store.results.done
        options, is_new = operation.options, False
        due = [self.due(atom) for atom in self.blocked]
        if due:
            is_new = not parking.count_blocked(operation, done)
            options = parking.increase_blocked_count(operation, done)
        if next_due is not None:
            due.append(next_due)
        left_s = min(due) - self._clock.monotonic() if due else None
        return parking.Park(
            waits=blocked.of_waits(
                [*waits, *self.list_waits()], is_new=is_new
            ),
            pause_s=None if left_s is None else max(left_s, 0.0),
            options=options,
        )

    def list_waits(self) -> list[blocked.Wait]:
        """Return what the changes that are blocked wait for."""
        return [
            blocked.Wait(
                blocked.WaitKind.RETRY,
                atom.change.name,
                self._store.redact(self._cause(atom)),
                self._moment(self.due(atom) - self._clock.monotonic()),
            )
            for atom in self.blocked
        ]

    def _pause(
        self, error: BaseException, is_blocked: bool, tries: int, blocks: int
    ) -> float:
        if not is_blocked:
            return self._policy.pause_s(tries, error)
        earlier = parking.count_blocked(
            self._store.operation, self._store.results.done
        )
        return self._policy.block_s(earlier + blocks, error)

    def _is_new(
        self, before: retry_policy.Attempts, after: retry_policy.Attempts
    ) -> bool:
        """Whether a failed call is worth an event: few of many are."""
        if not after.is_blocked:
            return before.error is None
        operation = self._store.operation
        return after.blocks == 1 and not parking.count_blocked(
            operation, self._store.results.done
        )

    def _note(
        self,
        atom: base.ChangeTask,
        error: BaseException,
        after: retry_policy.Attempts,
        pause: float,
        has_event: bool,
    ) -> None:
        moment = clock.isoformat(self._moment(pause))
        what = "waiting"
        if not after.is_blocked:
            what = f"try {after.tries} of {self._policy.tries} failed"
        row = self._find_row(atom)
        if row is None:
            return
        is_unknown = row.is_outcome_unknown
        if row.action is states.Action.CREATE:
            # A refusal to do anything else says nothing of what was made.
            is_unknown = is_unknown and isinstance(error, errors.Transient)
        self._store.put(
            row.id,
            has_event=has_event,
            status_reason=(
                f"{self._describe(atom)}; {what}, next try at {moment}"
            ),
            is_outcome_unknown=is_unknown,
            updated_at=self._clock.now(),
        )

    def _find_row(self, atom: base.ChangeTask) -> resource.Resource | None:
        """Return the row that shows the change; some changes have none."""
        acting = self._store.acting(atom.change)
        if acting is None or acting.kind not in transitions.ACTIONS:
            return None
        return self._store.rows[acting.resource_id]

    def _moment(self, left_s: float) -> clock.Timestamp:
        return clock.Timestamp(self._clock.now() + max(left_s, 0.0))

    def _cause(self, atom: base.ChangeTask) -> str:
        error = self._attempts[atom].error
        assert error is not None
        return f"{errors.kind_of(error)}: {error}"

    def _describe(self, atom: base.ChangeTask) -> str:
        error = self._attempts[atom].error
        assert error is not None
        return self._store.redact(
            persistence.describe(atom.change.name, error)
        )
