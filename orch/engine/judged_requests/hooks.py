"""Call lifecycle plug-ins for a request that has no operation, or none yet.

The pre-ops are called while the caller waits; that they may have been called
is stored first. The transaction that does the work stores that it was allowed.
The post-ops follow at once, or are left to an operation that the request has
begun.
"""

import collections.abc
import dataclasses
import functools
import math
import types
import typing

from oslo_log import log

from orch import errors
from orch import ids
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.lifecycle import dry_run
from orch.engine.lifecycle import enforcement
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import hook_loading
from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import messages
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import transitions
from orch.engine.lifecycle import views
from orch.engine.secrets import tree_secrets
from orch.events import recorder
from orch.flow.state import submit as flow_submit
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation

LOG = log.getLogger(__name__)

CHANGED: typing.Final = "A stack has changed meanwhile."


class RequestDenied(errors.Forbidden):
    """A lifecycle plug-in denies the request; nothing was done."""

    code = "orch.lifecycle.denied"


class CannotHold(errors.Conflict):
    """A lifecycle plug-in holds a request that cannot wait for approval."""

    code = "orch.lifecycle.cannot_hold"


@dataclasses.dataclass(slots=True)
class JudgedStack:
    """One stack of a request, and the calls of plug-ins for it.

    :ivar entry: the state of the calls
    :ivar show: returns the operation as the plug-ins of a run see it
    :ivar decided: decisions of plug-ins, by plug-in, then by path
    """

    stack: stack_model.Stack
    entry: journals.Entry
    show: collections.abc.Callable[[model.Run], situation.OperationOf]
    redact: hook_call.Redact
    decided: dict[str, collections.abc.Mapping[str, object]] = (
        dataclasses.field(default_factory=dict)
    )


class RequestHooks:
    """The calls of plug-ins around one request.

    Use it as a context manager: its end calls the post-ops.

    :ivar judged: the stacks that it concerns; none where no plug-in is called
    """

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        verb: str,
        done: str = "It was done",
        *,
        leaves_post_ops: bool = False,
    ) -> None:
        """Make no call yet.

        :param done: the message for post-ops of a request that was done
        :param leaves_post_ops: the request begins an operation, which calls
            the post-ops
        :raises orch.errors.AskAnother: the worker does not have the plug-ins
            in force
        """
        deps.plugins.check_active()
        self._deps = deps
        self._verb = verb
        self._done = done
        self._leaves_post_ops = leaves_post_ops
        self._members = deps.plugin_order.chain(verb)
        # What a signal leads to cannot be overridden either.
        self._override = (
            None if verb == "signal" else enforcement.override_of(ctxt)
        )
        self.judged: list[JudgedStack] = []

    def __enter__(self) -> typing.Self:
        """Begin the request."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Call the post-ops, unless an operation calls them."""
        if not self.judged:
            return
        outcome, reason = lifecycle.Outcome.FAILED, CHANGED
        if isinstance(error, RequestDenied | CannotHold):
            outcome, reason = lifecycle.Outcome.DENIED, error.message
        elif error is not None:
            reason = hook_call.error_text(error)
        try:
            is_allowed = self._is_allowed()
            if is_allowed and self._leaves_post_ops:
                return
            if is_allowed and error is None:
                outcome, reason = lifecycle.Outcome.COMPLETE, self._done
            self._close(outcome, reason)
        except errors.OrchError as failure:
            LOG.warning(
                "plug-ins are notified later of the outcome of a %s: %s",
                self._verb,
                failure,
            )

    def new_entry(
        self, stack: stack_model.Stack, operation_id: ids.OperationId
    ) -> journals.Entry:
        """Return the calls for a stack, with no plug-in called yet."""
        return journals.Entry(
            model.Run(
                operation_id=operation_id,
                attempt=1,
                verb=self._verb,
                stack_id=stack.id,
                project_id=stack.project_id,
                chain=tuple(each.name for each in self._members),
                began_at=self._deps.clock.now(),
            )
        )

    def ask(self) -> None:
        """Call the pre-ops, for each stack.

        :raises RequestDenied: a plug-in denies it
        :raises CannotHold: a plug-in holds it
        :raises orch.project_slots.SlotsTaken: too many requests wait
        """
        if not self.judged:
            return
        with outside.awaited().slot():
            until = self._deps.clock.monotonic() + dry_run.TIME_LIMIT_S
            shown = [each.show(each.entry.run) for each in self.judged]
            for each, operation_of in zip(self.judged, shown, strict=True):
                self._ask(each, operation_of, until)
            for each, operation_of in zip(self.judged, shown, strict=True):
                before = self._capture(each, operation_of, until)
                each.entry.save_before(before)

    def allow(
        self,
        connection: db_engine.Connection,
        *,
        is_done: bool = True,
        for_operation: ids.OperationId | None = None,
    ) -> None:
        """Store, in the transaction that does the work, that it was allowed.

        :param is_done: nothing is left to do after the transaction
        :param for_operation: the operation that does the work later
        """
        for each in self.judged:
            entry = each.entry
            # A transaction may be done again.
            if entry.run.stage is model.Stage.OPENING:
                entry.run = transitions.begin(entry.run)
            # The updates that follow a move record its verdicts.
            if self._verb != model.MOVE:
                self._record_overrides(connection, each)
            if for_operation is not None:
                self._leaves_post_ops = True
                entry.run = dataclasses.replace(
                    entry.run, for_operation=for_operation
                )
            elif is_done:
                complete = lifecycle.Outcome.COMPLETE.value
                entry.run = transitions.close(entry.run, complete, self._done)
            runs.save(connection, entry.run, entry.before)
            entry.stored = entry.run

    def _is_allowed(self) -> bool:
        """Whether the work was committed.

        The answer to a commit may have got lost.
        """
        found = self._deps.database.query(
            lambda connection: [
                stored
                for each in self.judged
                for stored in runs.list_(
                    connection, each.entry.run.operation_id
                )
            ]
        )
        return any(each.stage is not model.Stage.OPENING for each in found)

    def _close(self, outcome: lifecycle.Outcome, reason: str) -> None:
        """Call the post-ops."""
        for each in reversed(self.judged):
            run = each.entry.run
            each.entry.run = transitions.close(run, outcome.value, reason)
            call_post_hooks(
                self._deps, each.entry, each.show(each.entry.run), each.redact
            )

    def _ask(
        self,
        each: JudgedStack,
        operation_of: situation.OperationOf,
        until: float,
    ) -> None:
        """Call the pre-ops for one stack, until one refuses the request."""
        entry = each.entry
        for heard, call in _make_calls(
            self._deps, entry, operation_of, each.redact, until
        ):
            call, ruling = enforcement.judge(
                self._deps.plugin_order, call, self._override, each.redact
            )
            if ruling is not lifecycle.Ruling.ALLOW:
                entry.run = transitions.refuse(entry.run, call)
                raise self._refusal(call, ruling)
            if heard.verdict is not None:
                each.decided[call.plugin] = heard.verdict.decisions
            entry.run = transitions.allow(entry.run, call)

    def _capture(
        self,
        each: JudgedStack,
        operation_of: situation.OperationOf,
        until: float,
    ) -> bytes | None:
        """Return the stacks before the request, if they can be read in time.

        :param until: by the monotonic clock
        """
        try:
            return self._deps.reads.ask(
                functools.partial(
                    each.entry.capture, self._deps.plugin_order, operation_of
                ),
                until,
            )
        except Exception as error:
            LOG.warning(
                "%s: post-ops are shown the current stack as that before the"
                " request, which was not read: %s",
                self._verb,
                each.redact(hook_call.error_text(error)),
            )
            return None

    def _refusal(
        self, call: model.Call, ruling: lifecycle.Ruling
    ) -> errors.OrchError:
        what = _shown(self._verb)
        if ruling is lifecycle.Ruling.HOLD:
            return CannotHold(messages.cannot_hold_message(call, what))
        has_override = self._override is not None
        return RequestDenied(
            messages.denial_message(call, what, has_override=has_override)
        )

    def _record_overrides(
        self, connection: db_engine.Connection, each: JudgedStack
    ) -> None:
        """Record which denials the request has overridden, for the audit.

        Its calls are deleted when it is over.
        """
        found = [
            x for x in each.entry.run.calls if x.overridden_by is not None
        ]
        if not found or each.stack.operation_id is None:
            return
        notes = recorder.Recorder(
            flow_submit.find_newest_event(connection, each.stack.id),
            operations.get(connection, each.stack.operation_id),
        )
        for call in found:
            notes.record_override(
                each.stack,
                call,
                each.redact(
                    messages.verdict_message(call, _shown(self._verb))
                ),
                self._deps.clock.now(),
                resources.count_by_status(connection, each.stack.id),
                is_remark=False,
            )
        notes.take().store(connection)


def with_earlier_calls(
    operation: operation_model.Operation,
) -> operation_model.Operation:
    """Return an operation that continues the calls before it."""
    return dataclasses.replace(
        operation, options={**operation.options, hook_loading.UNFINISHED: True}
    )


def show_unchanged(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    asked: lifecycle_operation.OperationRequest,
    stack: stack_model.Stack | None,
    names: tuple[str, ...],
    run: model.Run | None,
) -> situation.OperationOf:
    """Return the operation of a request that changes no physical resource.

    :param stack: the stack as it is; ``None`` where it is gone
    :param names: the resources of the stack that it is about
    :param run: the calls that it is shown for; ``None`` for a preview
    """
    path = ""
    if stack is not None:
        path = deps.database.query(
            functools.partial(tree_paths.path_of, stack=stack)
        )
    more = tuple(tree_paths.below(path, each) for each in names)
    return views.operations_by_scope(
        dataclasses.replace(asked, paths=(*asked.paths, *more)),
        views.unchanged_view(deps, ctxt, stack, path, run),
    )


def redactor_of(
    deps: dependencies.Dependencies, stack: stack_model.Stack | None
) -> hook_call.Redact:
    """Return what redacts texts about a stack.

    :param stack: ``None`` where it is gone
    """
    if stack is None:
        return str
    return tree_secrets.Redactor(deps.database, deps.templates.find, stack)


def call_post_hooks(
    deps: dependencies.Dependencies,
    entry: journals.Entry,
    operation_of: situation.OperationOf,
    redact: hook_call.Redact,
) -> None:
    """Call the post-ops of a request, then delete its run.

    After a release each call is stored, as only the next worker would repeat
    them, much later.
    """
    run = entry.run
    ended = lifecycle.OperationResult(
        outcome=lifecycle.Outcome(run.outcome), reason=run.reason
    )
    for _, call in _make_calls(deps, entry, operation_of, redact, ended=ended):
        if call.error is not None:
            text = messages.post_hook_failed_message(call, _shown(run.verb))
            LOG.warning("%s", text)
        entry.run = transitions.record(entry.run, call)
        if run.for_operation is not None:
            deps.database.run(
                lambda connection: runs.save(connection, entry.run)
            )
    deps.database.run(lambda connection: runs.forget(connection, run))


def _make_calls(
    deps: dependencies.Dependencies,
    entry: journals.Entry,
    operation_of: situation.OperationOf,
    redact: hook_call.Redact,
    until: float = math.inf,
    ended: lifecycle.OperationResult | None = None,
) -> collections.abc.Iterator[tuple[hook_call.CallResult, model.Call]]:
    """Make the calls of one phase; each has to be recorded before the next.

    :param until: by the monotonic clock
    :param ended: for post-ops
    """
    while (name := transitions.next_name(entry.run)) is not None:
        member = deps.plugin_order.find(name)
        if hook_call.needs_call(member, entry.phase):
            if entry.expect(member):
                deps.database.run(
                    lambda connection: runs.save(connection, entry.run)
                )
                entry.stored = entry.run
            view = operation_of(member)
            result = hook_call.call_within(
                deps.reads, until, member, view, deps.clock, ended
            )
        else:
            result = hook_call.idle_result(member, entry.phase, deps.clock)
        yield result, entry.call_record(name, result, redact)


def _shown(verb: str) -> str:
    return verb.replace("_", " ")
