"""Deliver events to the sinks of one destination, one after the other."""

import collections.abc
import dataclasses
import logging
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db import functions
from orch.db.repositories import event_sinks
from orch.db.repositories import stacks
from orch.engine.event_sinks import payload
from orch.engine.secrets import tree_secrets
from orch.model import event_sink
from orch.plugin import sink

if typing.TYPE_CHECKING:
    # A worker without a cloud never needs it.
    from openstack import connection

LOG = logging.getLogger(__name__)

_FIRST_WAIT_S = 1.0
MAX_WAIT_S: typing.Final[float] = 300.0
_MAX_DOUBLINGS = 9
"""Doublings after which the wait does not grow any more."""

Connect = collections.abc.Callable[[ids.StackId], "connection.Connection"]
MayGoOn = collections.abc.Callable[[], bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Delivery:
    """Delivers events to the sinks of a destination.

    :ivar kinds: the sinks that are installed, by type
    :ivar find: returns the template of a stack, which says what is hidden
    :ivar connect: returns a connection that uses a stack's credential
    :ivar max_retry_age_s: age of an event after which it is not sent any more
    """

    database: db_engine.Database
    kinds: collections.abc.Mapping[str, sink.EventSink]
    find: tree_secrets.Find
    connect: Connect
    clock: clock.Clock
    max_retry_age_s: float

    def destination_of(self, stack: event_sink.EventSink) -> str:
        """Return the destination of a sink; such sinks fail together."""
        name = str(stack.declared.get("type"))
        kind = self.kinds.get(name)
        place = "" if kind is None else kind.destination(stack.declared)
        return f"{name} {stack.project_id} {place}"

    def take(
        self,
        due: collections.abc.Sequence[event_sink.EventSink],
        may_go_on: MayGoOn,
    ) -> None:
        """Send these sinks their undelivered events, until one is unreachable.

        The others then wait as long as that one. Sinks that have not failed
        come first; one that answers with an error delays no other sink.

        :param due: sinks of one destination
        :param may_go_on: called before each event
        :raises orch.db.errors.DatabaseDown: the database gave no answer
        """
        ordered = sorted(due, key=lambda each: each.attempts > 0)
        for number, each in enumerate(ordered):
            if not may_go_on():
                return
            wait_s = self._try(each, may_go_on)
            if wait_s is not None:
                self._hold_back(ordered[number + 1 :], wait_s)
                return

    def _try(
        self, stack: event_sink.EventSink, may_go_on: MayGoOn
    ) -> float | None:
        """Serve one sink; on an unexpected error it alone waits.

        :returns: seconds to wait, where the sink is unreachable
        """
        try:
            stack = self._begun(stack)
            return self._serve(stack, may_go_on)
        except errors.NotFound:
            LOG.info("stack %s is gone, and its sinks", stack.root_id)
        except db_errors.DatabaseDown:
            raise
        except Exception as error:
            LOG.exception("events of stack %s wait", stack.root_id)
            self._fail(stack, type(error).__name__)
        return None

    def _begun(self, stack: event_sink.EventSink) -> event_sink.EventSink:
        """Return the sink, with the position that it starts at."""
        if stack.since is not None:
            return stack
        return self.database.run(
            lambda connection: event_sinks.start_sink(connection, stack)
        )

    def _serve(
        self, stack: event_sink.EventSink, may_go_on: MayGoOn
    ) -> float | None:
        """Send one sink all undelivered events, in order.

        :returns: seconds to wait, where the sink is unreachable
        """
        owner = self._owner(stack)
        while may_go_on():
            batch = self._pending_events(stack)
            if not batch:
                self._settle(stack)
                return None
            told, problem = self._deliver(stack, owner, batch, may_go_on)
            if told:
                stack = dataclasses.replace(stack, attempts=0)
            if problem is not None:
                wait_s = self._fail(stack, _error_text(problem))
                return (
                    wait_s
                    if isinstance(problem, sink.SinkUnreachable)
                    else None
                )
        return None

    def _pending_events(
        self, stack: event_sink.EventSink
    ) -> list[payload.Item]:
        return self.database.query(
            lambda connection: payload.pending_events(
                connection, stack, self.find
            )
        )

    def _deliver(
        self,
        stack: event_sink.EventSink,
        owner: sink.Owner,
        batch: collections.abc.Iterable[payload.Item],
        may_go_on: MayGoOn,
    ) -> tuple[bool, Exception | None]:
        """Send events until one is not accepted, and store the position.

        :returns: whether one was accepted, and why another one was not
        """
        told: dict[ids.StackId, int] = {}
        oldest = self.clock.now() - self.max_retry_age_s
        late = 0
        problem = None
        try:
            for found, each in batch:
                if not may_go_on():
                    break
                if found.created_at < oldest:
                    late += 1
                else:
                    problem = self._send(stack, each, owner)
                    if problem is not None:
                        break
                told[found.stack_id] = found.sequence
        finally:
            if told:
                self.database.run(
                    lambda connection: event_sinks.record_delivered(
                        connection, stack, told
                    )
                )
        if late:
            LOG.warning(
                "%s of stack %s was not sent %d events: it has not accepted"
                " them within %d s",
                _name(stack),
                stack.root_id,
                late,
                self.max_retry_age_s,
            )
        return bool(told), problem

    def _send(
        self,
        stack: event_sink.EventSink,
        told: sink.SinkEvent,
        owner: sink.Owner,
    ) -> Exception | None:
        """Send one event.

        :returns: why it is to be sent again; ``None`` where it need not be
        """
        kind = self.kinds.get(str(stack.declared.get("type")))
        if kind is None:
            return errors.Transient("this worker has no such type of sinks")
        try:
            kind.send(stack.declared, told, owner)
        except sink.SinkRefused as error:
            LOG.warning(
                "%s of stack %s has refused the event %s: %s",
                _name(stack),
                stack.root_id,
                told.id,
                error.message,
            )
        except Exception as error:
            return error
        return None

    def _owner(self, stack: event_sink.EventSink) -> sink.Owner:
        root = self.database.query(
            lambda connection: stacks.get(connection, stack.root_id)
        )
        return sink.Owner(
            stack_id=root.id,
            stack_name=root.name,
            project_id=root.project_id,
            user_id=root.user_id,
            user_name=root.username,
            connect=lambda: self.connect(root.id),
        )

    def _settle(self, stack: event_sink.EventSink) -> None:
        """Mark a sink as up to date, or finished if the stack is deleted."""

        def work(connection: db_engine.Connection) -> None:
            root = stacks.get(connection, stack.root_id)
            event_sinks.update_state(
                connection,
                stack,
                attempts=0,
                next_at=None,
                problem="",
                is_over=root.deleted_at is not None,
            )

        self.database.run(work)

    def _fail(self, stack: event_sink.EventSink, problem: str) -> float:
        """Postpone a sink that failed, longer each time.

        :returns: seconds to wait
        """
        attempts = min(stack.attempts + 1, _MAX_DOUBLINGS + 1)
        wait_s: float = min(_FIRST_WAIT_S * 2.0 ** (attempts - 1), MAX_WAIT_S)
        if attempts == 1:
            LOG.warning(
                "%s of stack %s takes no events, they wait: %s",
                _name(stack),
                stack.root_id,
                problem,
            )
        self.database.run(
            lambda connection: event_sinks.update_state(
                connection,
                stack,
                attempts=attempts,
                next_at=functions.read_clock(connection) + wait_s,
                problem=problem,
            )
        )
        return wait_s

    def _hold_back(
        self,
        others: collections.abc.Sequence[event_sink.EventSink],
        wait_s: float,
    ) -> None:
        """Postpone sinks that would fail for the same reason."""

        def work(connection: db_engine.Connection) -> None:
            until = functions.read_clock(connection) + wait_s
            for each in others:
                if each.since is None:
                    event_sinks.start_sink(connection, each)
                event_sinks.update_state(connection, each, next_at=until)

        if others:
            self.database.run(work)


def _name(stack: event_sink.EventSink) -> str:
    return f"the event sink {stack.declared.get('type')}"


def _error_text(error: Exception) -> str:
    """Return the text of an error; that of a foreign one may be secret."""
    if isinstance(error, errors.OrchError):
        return error.message
    LOG.debug("an event sink has failed", exc_info=error)
    return type(error).__name__
