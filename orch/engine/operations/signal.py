"""Takes in a signal for a resource.

It may clear a breakpoint; else the type of the resource says what becomes of
it. What a signal leaves stands in the row, in a column that nobody else
writes; an operation that waits for it is let go on.
"""

import dataclasses

from oslo_log import log

from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import types as db_types
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.engine import dependencies
from orch.engine import errors
from orch.engine import words
from orch.engine.operations import asked
from orch.engine.operations import clear_breakpoint
from orch.engine.operations import lookup
from orch.engine.operations import resizing
from orch.engine.operations import signal_events
from orch.engine.operations import standing
from orch.flow import contexts
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import resource as plugin_resource
from orch.plugin import signals as plugin_signals
from orch.rpc import contract

LOG = log.getLogger(__name__)

_CLEARS = "unset_hook"
_NOT_DURING = (states.Action.SUSPEND, states.Action.DELETE)


class SignalNotSupported(base_errors.Invalid):
    """Resources of the type take no signals."""

    code = "orch.resource.signal_not_supported"


class SignalNotNow(base_errors.Invalid):
    """The resource takes no signals while it rests or goes."""

    code = "orch.resource.signal_not_now"


class AddressRevoked(base_errors.Forbidden):
    """Somebody has revoked the addresses of the resource."""

    code = "orch.signals.revoked"


class SignalRefused(base_errors.Invalid):
    """The resource cannot take this signal."""

    code = "orch.resource.signal_refused"


class SignalTooLarge(base_errors.LimitExceeded):
    """Signals have left as much with the resource as the operator allows."""

    code = "orch.resource.signal_too_large"


@dataclasses.dataclass(frozen=True, slots=True)
class _Taken:
    """What came of a signal; an error is raised once it is committed."""

    answer: contract.Signalled
    error: base_errors.OrchError | None = None


def submit(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    details: object,
    resource_id: str | None = None,
) -> contract.Signalled:
    """Take in a signal; it is durable then, and nothing has gone on yet.

    :param details: any JSON value; ``{"unset_hook": "pre-create"}`` clears a
        breakpoint
    :param resource_id: the one incarnation that may take it, for callers
        who have no other right than that
    :returns: the operation that may go on, if any, and the type's answer
    :raises clear_breakpoint.NotWaiting: the resource does not wait there
    :raises SignalNotSupported: its type has no use for a signal
    :raises SignalNotNow: it rests, or goes
    :raises AddressRevoked: who asks has but an address, and that is revoked
    :raises SignalRefused: its type cannot take this one
    :raises SignalTooLarge: there is no more room for what it leaves
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """

    def work(connection: db_engine.Connection) -> _Taken:
        subject = lookup.get(connection, ctxt, stack_id)
        is_free = resource_id is None
        if is_free and isinstance(details, dict) and _CLEARS in details:
            cleared = clear_breakpoint.clear(
                connection,
                subject,
                lambda: _list(connection, subject, name),
                details[_CLEARS],
            )
            return _Taken(contract.Signalled(accepted=cleared, answer=None))
        taking = _Taking(deps, ctxt, connection, subject)
        return taking.take(name, resource_id, details)

    taken = deps.database.run(work)
    if taken.error is not None:
        raise taken.error
    return taken.answer


def revoke(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> None:
    """Let the addresses of a resource take no signals any more.

    Who may signal it over the API still may. What replaces the resource has
    an address of its own.

    :raises SignalNotSupported: its type takes no signals
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """

    def work(connection: db_engine.Connection) -> None:
        subject = lookup.get(connection, ctxt, stack_id)
        row = _get(_list(connection, subject, name), None)
        if row is None:
            raise _missing(subject, name)
        plugin = deps.types.find(row.plugin_type)
        if plugin is None or not plugin.takes_signals:
            raise SignalNotSupported(
                f"The resource {row.name} takes no signals, and so has no"
                " address for them."
            )
        signals.revoke(connection, row, deps.clock.now())

    deps.database.run(work)


class _Taking:
    """One signal, within one transaction."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        connection: db_engine.Connection,
        subject: stack.Stack,
    ) -> None:
        self._deps = deps
        self._ctxt = ctxt
        self._connection = connection
        self._subject = subject

    def take(
        self, name: str, resource_id: str | None, details: object
    ) -> _Taken:
        """Let the plug-in take the signal.

        Refused at first sight is what nobody has to be told of; then come
        the locks, that of the operation first.
        """
        plugin, _ = self._find(name, resource_id)
        held = standing.hold(self._connection, self._subject.id)
        _, row = self._find(name, resource_id)
        if resource_id is not None and signals.is_revoked(
            self._connection, row
        ):
            raise AddressRevoked(
                "The address for signals was revoked; the resource has to be"
                " replaced to get another one."
            )
        kept = signals.lock(self._connection, row)
        if kept is None:
            raise _missing(self._subject, name)
        row = dataclasses.replace(row, signals=kept)
        resized: contract.Accepted | None = None
        try:
            found = self._ask(plugin, row, details)
            if found.resize is not None:
                resized = resizing.resize(
                    self._deps,
                    self._ctxt,
                    self._connection,
                    self._subject,
                    found.resize,
                )
                if resized is None:
                    return _Taken(_nothing())
        except base_errors.OrchError as error:
            refused = f"Signal refused: {error.message}"
            self._tell(held, row, states.Status.FAILED, refused)
            return _Taken(_nothing(), error)
        self._tell(held, row, row.status, found.reason)
        answer = contract.Signalled(accepted=resized, answer=found.answer)
        if found.kept is None or found.kept == kept:
            return _Taken(answer)
        signals.save(self._connection, row, found.kept)
        if held.newest is not None and self._is_awaited():
            clear_breakpoint.go_on(self._connection, held.subject, held.newest)
            goes_on = asked.accepted(held.newest, held.subject.name)
            answer["accepted"] = resized or goes_on
        return _Taken(answer)

    def _find(
        self, name: str, resource_id: str | None
    ) -> tuple[plugin_resource.Resource, resource.Resource]:
        """Return the resource that is meant, if it takes signals now."""
        row = _get(_list(self._connection, self._subject, name), resource_id)
        if row is None:
            raise _missing(self._subject, name)
        plugin = self._deps.types.find(row.plugin_type)
        if plugin is None or not plugin.takes_signals:
            raise SignalNotSupported(
                f"The resource {row.name} takes no signals, but"
                f' {{"{_CLEARS}": …}}, which clears a breakpoint.'
            )
        if row.action is states.Action.INIT:
            raise errors.ResourceNotAvailable(
                f"The Resource ({row.name}) is not available."
            )
        if row.action in _NOT_DURING and not plugin.takes_signals_at_rest:
            raise SignalNotNow(
                f"Signal resource during {row.action} is not supported:"
                f" {row.name} takes none now."
            )
        return plugin, row

    def _ask(
        self,
        plugin: plugin_resource.Resource,
        row: resource.Resource,
        details: object,
    ) -> plugin_signals.Signalled:
        """Return what the plug-in makes of the signal.

        :raises orch.errors.OrchError: it cannot take it
        """
        context = contexts.context_of(self._subject, row, self._ctxt)
        try:
            found = plugin.handle_signal(context, details)
            size = len(db_types.dump(found.kept or {}).encode())
            db_types.dump(found.answer)
        except base_errors.Invalid as error:
            raise SignalRefused(error.message) from error
        except Exception as error:
            LOG.exception("a signal of %s was not taken", row.type_name)
            raise SignalRefused(
                f"{row.type_name} failed on it; the engine's log tells why"
            ) from error
        if size > self._deps.settings.max_kept_size:
            raise SignalTooLarge(
                f"signals have left {size} bytes with the resource"
                f" {row.name}, more than the"
                f" {self._deps.settings.max_kept_size} allowed; send less, or"
                " use the ids of earlier signals again"
            )
        return found

    def _tell(
        self,
        held: standing.Held,
        row: resource.Resource,
        status: states.Status,
        reason: str,
    ) -> None:
        if reason:
            signal_events.tell(
                self._connection,
                held,
                row,
                status,
                reason,
                self._deps.clock.now(),
            )

    def _is_awaited(self) -> bool:
        """Answer whether anything of the stack may wait for signals."""
        busy = resources.list_busy_types(self._connection, self._subject.id)
        plugins = (self._deps.types.find(each) for each in busy)
        return any(
            each is not None and (each.takes_signals or each.listens_to)
            for each in plugins
        )


def _nothing() -> contract.Signalled:
    return contract.Signalled(accepted=None, answer=None)


def _list(
    connection: db_engine.Connection, subject: stack.Stack, name: str
) -> list[resource.Resource]:
    """Return all incarnations of a name; one that goes is among them."""
    found = None
    if words.is_storable(name):
        found = resources.list_named(connection, subject.id, name)
    if not found:
        raise _missing(subject, name)
    return found


def _get(
    rows: list[resource.Resource], resource_id: str | None
) -> resource.Resource | None:
    """Return the incarnation that stands for the name.

    :param resource_id: the only one that will do
    """
    wanted = None if resource_id is None else ids.ResourceId(resource_id)
    for row in reversed(rows):
        if row.is_current and wanted in (None, row.id):
            return row
    return None


def _missing(subject: stack.Stack, name: str) -> errors.ResourceNotFound:
    return errors.ResourceNotFound(
        f"The Resource ({name[:255]}) could not be found in Stack"
        f" {subject.name}."
    )
