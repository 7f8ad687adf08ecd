"""Requests that lifecycle plug-ins judge while the caller waits."""

import collections.abc
import functools
import types
import typing

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.judged_requests import hooks
from orch.engine.lifecycle import hook_call
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation

_DONE: typing.Final = "It was done"
_UNCHANGED: typing.Final = "The stack has changed meanwhile."

Answer = typing.TypeVar("Answer")


class _Ask(Exception):  # noqa: N818 - it is no error: the work is done again
    """Ends a transaction in which plug-ins have to be called first."""

    def __init__(
        self,
        stack: stack_model.Stack,
        names: tuple[str, ...],
        paths: tuple[str, ...],
    ) -> None:
        """Store what they are called for."""
        super().__init__(stack, names, paths)
        self.stack = stack
        self.names = names
        self.paths = paths


class JudgedRequest:
    """A request that plug-ins judge once it is known that it changes a stack.

    Use it as a context manager: its end calls the post-ops. Its transaction is
    done twice where plug-ins are called: the first ends where it asks.
    """

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        verb: str,
        begun: operation_model.Operation | None = None,
    ) -> None:
        """Make no call yet.

        :param begun: the operation that the request begins, if it does; the
            post-ops are left to it
        """
        self._deps = deps
        self._ctxt = ctxt
        self._verb = verb
        self._begun = begun
        self._hooks = hooks.RequestHooks(deps, ctxt, verb)
        self._is_needed = bool(deps.plugin_order.chain(verb))
        self._has_asked = False

    def __enter__(self) -> typing.Self:
        """Begin the request."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Call the post-ops."""
        if not self._has_asked:
            return
        reason = hook_call.error_text(error) if error else _UNCHANGED
        if self._begun is not None or not self._hooks.is_allowed():
            self._hooks.close_unless_allowed(reason)
        elif error is not None:
            self._hooks.close(lifecycle.Outcome.FAILED, reason)
        else:
            self._hooks.close(lifecycle.Outcome.COMPLETE, _DONE)

    def run(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Return the result of a transaction, which may :meth:`check`.

        :raises hooks.RequestDenied: a plug-in denies the request
        :raises hooks.CannotHold: a plug-in holds it
        """
        try:
            return self._deps.database.run(work)
        except _Ask as wanted:
            self._ask(wanted)
        return self._deps.database.run(work)

    def check(
        self,
        stack: stack_model.Stack,
        *names: str,
        paths: collections.abc.Iterable[str] = (),
    ) -> None:
        """Have plug-ins called, if they were not, before a stack changes.

        Call it in the transaction of :meth:`run`.

        :param names: the resources of the stack that change
        :param paths: the resources of its tree that change, from the root
        """
        if self._is_needed and not self._has_asked:
            raise _Ask(stack, names, tuple(paths))

    def allow(
        self, connection: db_engine.Connection, *, is_done: bool = True
    ) -> None:
        """Store, in the transaction that does the work, that it was allowed.

        :param is_done: nothing is left to do after the transaction
        """
        if not self._has_asked:
            return
        is_over = is_done and self._begun is None
        self._hooks.allow(
            connection, lifecycle.Outcome.COMPLETE if is_over else None, _DONE
        )

    def followed_by(
        self, operation: operation_model.Operation
    ) -> operation_model.Operation:
        """Return the operation that the request begins.

        It calls the post-ops, and no pre-op again.
        """
        if not self._has_asked:
            return operation
        return hooks.with_earlier_calls(operation)

    def _ask(self, wanted: _Ask) -> None:
        operation_id = ids.OperationId(ids.new())
        if self._begun is not None:
            operation_id = self._begun.id
        asked = lifecycle_operation.OperationRequest(
            operation_id=operation_id,
            action=self._verb.upper(),
            verb=self._verb,
            paths=wanted.paths,
            project_id=wanted.stack.project_id,
            user_id=self._ctxt.user_id or "",
            user_name=self._ctxt.user_name or "",
            roles=tuple(self._ctxt.roles),
            request_id=self._ctxt.request_id or "",
        )
        self._hooks.judged.append(
            hooks.JudgedStack(
                wanted.stack,
                self._hooks.new_entry(wanted.stack, operation_id),
                functools.partial(
                    hooks.show_unchanged,
                    self._deps,
                    self._ctxt,
                    asked,
                    wanted.stack,
                    wanted.names,
                ),
                hooks.redactor_of(self._deps, wanted.stack),
            )
        )
        self._hooks.ask()
        self._has_asked = True
