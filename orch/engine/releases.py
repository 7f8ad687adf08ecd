"""Requests that may take physical resources from other stacks.

They are judged by the lifecycle plug-ins of each stack that may lose one,
while the caller waits. Post-ops of what they allow follow when the operation
of the request has ended (``judged_requests.sweeper``).
"""

import collections.abc
import dataclasses
import types
import typing

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import permissions
from orch.engine.judged_requests import judged_request
from orch.engine.judged_requests import release_outcomes
from orch.model import adoption
from orch.model import lifecycle
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.rpc import contract

Answer = typing.TypeVar("Answer")


class _UnjudgedError(Exception):
    """Plug-ins are to be called, and the transaction is to be done again."""


class JudgedReleases:
    """A request that adopts, and the calls of plug-ins for what it takes.

    Use it as a context manager: its end calls the post-ops of what was not
    accepted. Any request may take what an earlier one with ``adopt_owned`` was
    to take.
    """

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        wanted: contract.AdoptionOptions,
    ) -> None:
        """Make no call yet.

        :raises orch.errors.AskAnother: the worker does not have the plug-ins
            in force
        """
        self._deps = deps
        self._ctxt = ctxt
        self._judged = self._judge() if wanted.get("allows_owned") else None

    def _judge(self) -> judged_request.JudgedRequest:
        return judged_request.JudgedRequest(
            # The calls are not part of what a saved plan encloses.
            dataclasses.replace(
                self._deps, database=self._deps.database.enclosing(None)
            ),
            self._ctxt,
            lifecycle.RELEASE,
            database=self._deps.database,
        )

    def __enter__(self) -> typing.Self:
        """Begin the request."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Call the post-ops, unless the operation leads to them."""
        if self._judged is not None:
            self._judged.__exit__(kind, error, trace)

    def run(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Return the result of a transaction, which has to :meth:`check`.

        :raises orch.engine.judged_requests.hooks.RequestDenied: a plug-in of
            a stack that would lose something denies that
        :raises orch.engine.judged_requests.hooks.CannotHold: it holds that
        """
        if self._judged is None:
            try:
                return self._deps.database.run(work)
            except _UnjudgedError:
                self._judged = self._judge()
        return self._judged.run(work)

    def check(
        self,
        connection: db_engine.Connection,
        begun: operation_model.Operation,
    ) -> None:
        """Have plug-ins called for what an accepted operation may take.

        The releases of an earlier attempt get the outcome of that first.

        :raises orch.errors.Conflict: other stacks have it than when they were
            called
        :raises orch.errors.Forbidden: the caller may take nothing
        """
        release_outcomes.end_attempt(connection, begun)
        changed = [
            (root, (), paths)
            for root, paths in find_sources(connection, begun)
        ]
        if not changed:
            return
        if self._judged is None:
            permissions.check_adopt_owned(
                self._deps, self._ctxt, {"allows_owned": True}
            )
            raise _UnjudgedError
        self._judged.check_all(changed)
        self._judged.allow(connection, for_operation=begun.id)


def find_sources(
    connection: db_engine.Connection, operation: operation_model.Operation
) -> list[tuple[stack_model.Stack, list[str]]]:
    """Return the roots of the trees from which an operation may take.

    :returns: each with the paths of the resources there
    """
    sources = typing.cast(
        "dict[ids.StackId, list[str]]",
        operation.options.get(adoption.SOURCES, {}),
    )
    roots = stacks.find_known(connection, sources) if sources else ()
    return [
        (stacks.get(connection, root_id), paths)
        for root_id, paths in sources.items()
        if root_id in roots
    ]
