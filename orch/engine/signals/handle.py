"""Let the plug-in of a resource handle one signal.

The data that a signal leaves is in the row, in a column that only signals
write; an operation that waits for it is unblocked.
"""

import collections.abc
import dataclasses

from oslo_log import log

from orch import errors as base_errors
from orch import ids
from orch import redacted
from orch.context import request
from orch.db import engine as db_engine
from orch.db import types as db_types
from orch.db.repositories import forwarding
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import last_requester
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import stack_lock
from orch.engine.forwarding import pending_signals
from orch.engine.judged_requests import judged_request
from orch.engine.nested import stack_type
from orch.engine.queries import errors
from orch.engine.secrets import tree_secrets
from orch.engine.signals import clear_breakpoint
from orch.engine.signals import events
from orch.engine.signals import targets
from orch.flow.state import contexts
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import registry
from orch.plugin import resource as plugin_resource
from orch.plugin import signals as plugin_signals
from orch.rpc import contract


class GroupBusy(base_errors.Conflict):
    """An operation of the group's stack is in progress."""

    code = "orch.group.busy"


class GroupMissing(base_errors.Invalid):
    """The stack has no group of that name."""

    code = "orch.group.missing"


_Group = tuple[resource.Resource, stack_type.StackType, call_context.Context]


def resize_group(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    connection: db_engine.Connection,
    stack: stack.Stack,
    request: plugin_signals.Resize,
) -> contract.Accepted | None:
    """Accept the resize of a group, as an operation of the group's stack.

    New members are made for the sender; without roles, for the caller who
    last changed the stack.

    :param stack: the stack with the group
    :returns: the operation; ``None`` when the size does not change
    :raises GroupMissing: the stack has no such group
    :raises GroupBusy: its stack, or the parent, is being changed
    :raises orch.errors.NotSupported: it has no size of its own
    :raises orch.errors.Forbidden: they may not have the members' type
    :raises orch.template.errors.TooLarge: the tree would have too many
        resources
    """
    stack = stacks.lock(connection, stack.id)
    ctxt = last_requester.acting_context(connection, ctxt, stack)
    rows = resources.list_(connection, stack.id)
    parsed_template = deps.templates.load(connection, stack)
    types = deps.types_of(stack, parsed_template, ctxt, rows)
    row, plugin, context = _find(stack, rows, types, ctxt, request.group)
    for stack_id in (stack.id, ids.StackId(row.id)):
        if operations.find_open(connection, stack_id):
            raise GroupBusy(
                f"The group {row.name} is being changed; signal again"
                " when that is done."
            )
    found = plugin.resize(connection, context, request, ctxt)
    if found is None:
        return None
    changed = dataclasses.replace(
        row, data=found.data, updated_at=deps.clock.now()
    )
    resources.save_many(connection, [changed])
    return contract.Accepted(
        identity=contract.StackIdentity(
            project_id=found.stack.project_id,
            stack_name=found.stack.name,
            stack_id=found.stack.id,
        ),
        operation_id=found.operation_id,
    )


def _find(
    stack: stack.Stack,
    rows: collections.abc.Iterable[resource.Resource],
    types: registry.Types,
    ctxt: request.RequestContext,
    group_name: str,
) -> _Group:
    """Return the group of a name, reference id or physical id.

    :raises GroupMissing: the stack has no such group
    """
    for row in rows:
        plugin = types.find(row.plugin_type)
        if not row.is_current or not isinstance(plugin, stack_type.StackType):
            continue
        context = contexts.build_context(stack, row, ctxt)
        if group_name in (
            plugin.reference_id(context),
            row.physical_id,
            row.name,
        ):
            return row, plugin, context
    raise GroupMissing(
        f"The stack {stack.name} has no group {group_name}: let the policy"
        " name"
        " it by get_resource."
    )


LOG = log.getLogger(__name__)

_NOT_DURING = (states.Action.SUSPEND, states.Action.DELETE)


class SignalNotSupported(base_errors.Invalid):
    """The resource type takes no signals."""

    code = "orch.resource.signal_not_supported"


class SignalNotNow(base_errors.Invalid):
    """The resource takes no signals while it is suspended or deleted."""

    code = "orch.resource.signal_not_now"


class AddressRevoked(base_errors.Forbidden):
    """The signal addresses of the resource were revoked."""

    code = "orch.signals.revoked"


class SignalRefused(base_errors.Invalid):
    """The resource cannot take this signal."""

    code = "orch.resource.signal_refused"


class SignalTooLarge(base_errors.LimitExceeded):
    """The data that signals left with the resource exceeds the limit."""

    code = "orch.resource.signal_too_large"


@dataclasses.dataclass(frozen=True, slots=True)
class HandledSignal:
    """The result of a signal; an error is raised after the commit."""

    answer: contract.Signalled
    error: base_errors.OrchError | None = None


class SignalHandler:
    """Handles one signal within one transaction."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        connection: db_engine.Connection,
        stack: stack.Stack,
        judged: judged_request.JudgedRequest,
    ) -> None:
        self._judged = judged
        self._deps = deps
        self._ctxt = ctxt
        self._connection = connection
        self._stack = stack

    def take(
        self,
        name: str,
        resource_id: str | None,
        details: object,
        came: pending_signals.Arrival,
        *,
        is_sealed: bool,
    ) -> HandledSignal:
        """Let the plug-in handle the signal, and store the result.

        Signals that need no event are refused first, without a lock; then come
        the locks, that of the operation first.

        :param resource_id: the one incarnation that may take it
        :param is_sealed: it came to an address of that incarnation, which may
            be revoked
        """
        try:
            plugin, _ = self._find(name, resource_id)
        except SignalNotNow as error:
            if is_sealed:
                raise
            self._record_unsupported(name)
            return HandledSignal(_nothing(), error)
        held = stack_lock.lock_stack(self._connection, self._stack.id)
        _, row = self._find(name, resource_id)
        if is_sealed and signals.is_revoked(self._connection, row):
            raise AddressRevoked(
                "The address for signals was revoked; the resource has to be"
                " replaced to get another one."
            )
        signal_data = signals.lock_data(self._connection, row)
        if signal_data is None:
            raise targets.resource_missing(self._stack, name)
        if is_sealed:
            # The stack may have been abandoned a moment ago; an abandonment
            # locks the row as well.
            gone = pending_signals.find_address(
                self._connection, self._ctxt, row.id
            )
            if gone is not None:
                return HandledSignal(
                    pending_signals.save_signal(
                        self._deps, self._connection, gone, details, came
                    )
                )
        if came.signal_id is not None and forwarding.is_taken(
            self._connection, row.stack_id, row.id, came.signal_id
        ):
            return HandledSignal(_nothing())
        row = dataclasses.replace(row, signals=signal_data)
        resized: contract.Accepted | None = None
        try:
            found = self._ask(plugin, row, details)
            if found.resize is not None:
                resized = resize_group(
                    self._deps,
                    self._ctxt,
                    self._connection,
                    self._stack,
                    found.resize,
                )
                if resized is None:
                    return HandledSignal(_nothing())
        except base_errors.OrchError as error:
            failure_reason = f"Signal refused: {error.message}"
            self._record_event(held, row, states.Status.FAILED, failure_reason)
            return HandledSignal(_nothing(), error)
        is_change = found.signal_data not in (None, signal_data)
        if is_change and resized is None:
            # A resize is judged with its operation.
            self._judged.check(self._stack, row.name)
            self._judged.allow(self._connection)
        if came.signal_id is not None:
            forwarding.note_taken(
                self._connection, row.stack_id, row.id, came.signal_id
            )
        self._record_event(held, row, row.status, found.reason)
        answer = contract.Signalled(accepted=resized, answer=found.answer)
        if found.signal_data is None or not is_change:
            return HandledSignal(answer)
        signals.save_data(self._connection, row, found.signal_data)
        if held.newest is not None and self._is_awaited():
            clear_breakpoint.unblock_operation(
                self._connection, held.stack, held.newest
            )
            goes_on = operation_factory.accepted_facts(
                held.newest, held.stack.name
            )
            answer["accepted"] = resized or goes_on
        return HandledSignal(answer)

    def _record_unsupported(self, name: str) -> None:
        """Record an event that a resource at rest takes no signal."""
        held = stack_lock.lock_stack(self._connection, self._stack.id)
        row = targets.find_target(
            targets.list_named(self._connection, self._stack, name),
            None,
        )
        if row is not None and row.is_complete and not held.is_running:
            events.record_unsupported(
                self._connection, held, row, self._deps.clock.now()
            )

    def _find(
        self, name: str, resource_id: str | None
    ) -> tuple[plugin_resource.Resource, resource.Resource]:
        """Return plug-in and row of the target, if it takes signals now."""
        row = targets.find_target(
            targets.list_named(self._connection, self._stack, name),
            resource_id,
        )
        if row is None:
            raise targets.resource_missing(self._stack, name)
        plugin = self._deps.types.find(row.plugin_type)
        if plugin is None or not plugin.takes_signals:
            raise SignalNotSupported(
                f"The resource {row.name} takes no signals, but"
                f' {{"{clear_breakpoint.CLEARS}": …}}, which clears a'
                " breakpoint."
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
    ) -> plugin_signals.SignalResult:
        """Return the plug-in's result for the signal.

        :raises orch.errors.OrchError: the plug-in refuses it, or it leaves too
            much data
        """
        context = contexts.build_context(self._stack, row, self._ctxt)
        try:
            found = plugin.handle_signal(context, details)
            size = len(db_types.dump(found.signal_data or {}).encode())
            db_types.dump(found.answer)
        except base_errors.Invalid as error:
            raise SignalRefused(error.message) from error
        except Exception as error:
            LOG.error(
                "a signal of %s was not taken",
                row.type_name,
                exc_info=redacted.redact_trace(
                    error,
                    logged_errors.redact_error(error, [context], details),
                ),
            )
            raise SignalRefused(
                f"{row.type_name} failed on it; the engine's log has the"
                " reason"
            ) from error
        if size > self._deps.settings.max_stored_size:
            raise SignalTooLarge(
                f"signals have left {size} bytes with the resource"
                f" {row.name}, more than the"
                f" {self._deps.settings.max_stored_size} allowed; send less,"
                " or"
                " use the ids of earlier signals again"
            )
        return found

    def _record_event(
        self,
        held: stack_lock.LockedStack,
        row: resource.Resource,
        status: states.Status,
        reason: str,
    ) -> None:
        if reason:
            reason = tree_secrets.redact_said(
                self._connection,
                self._deps.templates.find,
                self._stack,
                reason,
            )
            events.record_signal(
                self._connection,
                held,
                row,
                status,
                reason,
                self._deps.clock.now(),
            )

    def _is_awaited(self) -> bool:
        """Whether a busy resource of the stack may wait for signals."""
        busy = resources.list_busy_types(self._connection, self._stack.id)
        plugins = (self._deps.types.find(each) for each in busy)
        return any(
            each is not None and (each.takes_signals or each.listens_to)
            for each in plugins
        )


def _nothing() -> contract.Signalled:
    return contract.Signalled(accepted=None, answer=None)
