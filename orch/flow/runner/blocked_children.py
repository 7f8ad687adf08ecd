"""The changes of one operation whose child stacks are blocked."""

from orch.flow.state import store
from orch.flow.state import transitions
from orch.flow.tasks import base
from orch.model import blocked
from orch.plugin import call_context


class BlockedChildren:
    """What the child stacks wait for, as the last polls have shown.

    It is used on the operation's loop only.
    """

    def __init__(self, store: store.Store) -> None:
        """Start without any wait."""
        self._store = store
        self._found: dict[base.ChangeTask, blocked.Blocked] = {}

    @property
    def found(self) -> list[blocked.Blocked]:
        """What each of them waits for, by paths from this stack."""
        return list(self._found.values())

    def take(
        self, atom: base.ChangeTask, pending: call_context.Pending | None
    ) -> None:
        """Take in the last poll of a change; ``None`` when it has ended."""
        waits = blocked.NOTHING
        if pending is not None and pending.child_waits is not None:
            waits = pending.child_waits.under(atom.change.name)
        before = self._found.get(atom, blocked.NOTHING)
        if waits:
            self._found[atom] = waits
        else:
            self._found.pop(atom, None)
        if pending is not None and waits != before:
            self._show(atom, waits, is_first=not before)

    def _show(
        self, atom: base.ChangeTask, waits: blocked.Blocked, *, is_first: bool
    ) -> None:
        """Show it in the row of the resource; the first time by an event."""
        acting = self._store.acting(atom.change)
        if acting is None or acting.kind not in transitions.ACTIONS:
            return
        row = self._store.rows[acting.resource_id]
        reason = waits.reason or transitions.STARTED
        if row.status_reason == reason:
            return
        has_event = is_first and waits.is_new and waits.has_retries
        self._store.put(
            row.id,
            has_event=has_event,
            status_reason=reason,
            updated_at=self._store.clock.now(),
        )
