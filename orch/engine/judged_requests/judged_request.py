"""Requests that lifecycle plug-ins judge while the caller waits."""

import collections.abc
import functools
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.judged_requests import hooks
from orch.model import operation as operation_model
from orch.model import origin
from orch.model import stack as stack_model
from orch.plugin import lifecycle_operation

Answer = typing.TypeVar("Answer")


class _Ask(Exception):  # noqa: N818 - it is no error: the work is done again
    """Ends a transaction in which plug-ins have to be called first."""


class JudgedRequest(hooks.RequestHooks):
    """A request that plug-ins judge once it is known that it changes a stack.

    Its transaction is done twice where plug-ins are called: the first ends
    where it asks.
    """

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        verb: str,
        begun: operation_model.Operation | None = None,
        database: db_engine.Database | None = None,
    ) -> None:
        """Make no call yet.

        :param begun: the operation that the request begins, if it does; the
            post-ops are left to it
        :param database: in which :meth:`run` works; ``None`` for that in which
            the calls are stored
        """
        super().__init__(deps, ctxt, verb, leaves_post_ops=begun is not None)
        self._database = database or deps.database
        self._ctxt = ctxt
        self._begun = begun
        self._is_asked = False

    def run(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Return the result of a transaction, which may :meth:`check`.

        :raises hooks.RequestDenied: a plug-in denies the request
        :raises hooks.CannotHold: a plug-in holds it
        """
        try:
            return self._database.run(work)
        except _Ask:
            self.ask()
            self._is_asked = True
        return self._database.run(work)

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
        self.check_all([(stack, names, paths)])

    def check_all(
        self,
        changed: collections.abc.Sequence[
            tuple[
                stack_model.Stack,
                tuple[str, ...],
                collections.abc.Iterable[str],
            ]
        ],
    ) -> None:
        """Have plug-ins called, as :meth:`check` does, for several stacks.

        :param changed: what :meth:`check` takes, for each
        :raises orch.errors.Conflict: they were called, but not for all of them
        """
        if self._is_asked:
            asked = {each.stack.id for each in self.judged}
            if not asked.issuperset(stack.id for stack, _, _ in changed):
                raise errors.Conflict(f"{hooks.CHANGED} Ask again.")
        # The first transaction too may be done again, before they are called.
        elif self._members and changed:
            self.judged[:] = [self._prepare(*each) for each in changed]
            raise _Ask

    def _prepare(
        self,
        stack: stack_model.Stack,
        names: tuple[str, ...],
        paths: collections.abc.Iterable[str],
    ) -> hooks.JudgedStack:
        """Return a stack that changes, with no plug-in called yet."""
        caused = origin.Origin.of(self._ctxt.to_stored())
        asked = lifecycle_operation.OperationRequest(
            operation_id=self._begun.id if self._begun else ids.new(),
            action=self._verb.upper(),
            verb=self._verb,
            paths=tuple(paths),
            project_id=stack.project_id,
            cause=caused.cause,
            user_id=caused.requester.user_id or "",
            user_name=caused.requester.user_name or "",
            roles=caused.requester.roles,
            policy_user_id=caused.policy_setter.user_id or "",
            policy_user_name=caused.policy_setter.user_name or "",
            request_id=self._ctxt.request_id or "",
        )
        return hooks.JudgedStack(
            stack,
            self.new_entry(stack, ids.OperationId(asked.operation_id)),
            functools.partial(
                hooks.show_unchanged,
                self._deps,
                self._ctxt,
                asked,
                stack,
                names,
            ),
            hooks.redactor_of(self._deps, stack),
        )

    def followed_by(
        self, operation: operation_model.Operation
    ) -> operation_model.Operation:
        """Return the operation that the request begins.

        It calls the post-ops, and no pre-op again.
        """
        return (
            hooks.with_earlier_calls(operation)
            if self._is_asked
            else operation
        )
