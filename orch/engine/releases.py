"""Requests that may take physical resources from other stacks.

They are judged by the lifecycle plug-ins of each stack that may lose one,
while the caller waits.
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
from orch.engine.judged_requests import judged_request
from orch.model import adoption
from orch.model import operation as operation_model
from orch.rpc import contract

Answer = typing.TypeVar("Answer")


class JudgedReleases:
    """A request that adopts, and the calls of plug-ins for what it takes.

    Use it as a context manager: its end calls the post-ops. A request without
    ``adopt_owned`` calls no plug-in.
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
        self._judged = (
            judged_request.JudgedRequest(
                # The calls are not part of what a saved plan encloses.
                dataclasses.replace(
                    deps, database=deps.database.enclosing(None)
                ),
                ctxt,
                "release",
                done="The adoption is accepted",
                database=deps.database,
            )
            if wanted.get("allows_owned")
            else None
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
        """Call the post-ops."""
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
            return self._deps.database.run(work)
        return self._judged.run(work)

    def check(
        self,
        connection: db_engine.Connection,
        begun: operation_model.Operation,
    ) -> None:
        """Have plug-ins called for what an accepted operation may take.

        :raises orch.errors.Conflict: other stacks have it than when they were
            called
        """
        found = _sources_of(begun)
        if self._judged is None or not found:
            return
        self._judged.check_all(
            [
                (stacks.get(connection, root_id), (), paths)
                for root_id, paths in found.items()
            ]
        )
        self._judged.allow(connection)


def _sources_of(
    operation: operation_model.Operation,
) -> dict[ids.StackId, list[str]]:
    """Return what an operation may take, by the roots of the trees."""
    found = operation.options.get(adoption.SOURCES, {})
    return typing.cast("dict[ids.StackId, list[str]]", found)
