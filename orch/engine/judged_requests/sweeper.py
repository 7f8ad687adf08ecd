"""Sweep, at an interval, for what requests and lost workers have left."""

import collections.abc
import dataclasses
import functools
import logging
import typing

from orch import periodic
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import judged_requests
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.judged_requests import hooks
from orch.engine.judged_requests import release_outcomes
from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import transitions
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation

LOG = logging.getLogger(__name__)

PAUSE_S: typing.Final = 60.0

SWEEP_AGE_S: typing.Final = 900.0
"""Seconds after which the calls of an unfinished request are made."""

_LOST: typing.Final = "It was not done: its worker was lost."


def new_thread(sweep: collections.abc.Callable[[], None]) -> periodic.Thread:
    """Return a thread that sweeps when it starts, and after each pause."""

    def sweep_once() -> float:
        sweep()
        return PAUSE_S

    return periodic.Thread(
        "orch-sweep",
        sweep_once,
        periodic.Failures(
            LOG,
            "what requests have left is processed later",
            "what requests have left is processed again",
            first_pause_s=PAUSE_S,
            max_pause_s=PAUSE_S,
        ),
    )


def sweep_requests(deps: dependencies.Dependencies) -> None:
    """Call the post-ops that other processes, or operations, have left.

    They are those of requests whose worker was lost, long ago, and those of
    releases whose operation has ended.

    :raises orch.errors.AskAnother: the worker does not have the plug-ins in
        force, and others have
    """
    left = deps.database.query(
        lambda connection: [
            *judged_requests.list_left(connection, SWEEP_AGE_S),
            *judged_requests.list_ended_releases(connection),
        ]
    )
    if left:
        deps.plugins.check_active()
    for run in left:
        claimed = deps.database.run(functools.partial(_claim, run=run))
        if claimed is not None:
            _call_post_hooks(deps, claimed)


def _claim(
    connection: db_engine.Connection, run: model.Run
) -> model.Run | None:
    """Return the run with its outcome, unless another worker has claimed it.

    Once it is claimed, others leave it alone for a time.
    """
    claimed = judged_requests.claim(connection, run)
    if claimed is None or claimed.stage is model.Stage.CLOSING:
        return claimed
    if claimed.for_operation is not None:
        claimed = release_outcomes.with_outcome(connection, claimed)
    claimed = transitions.close(
        claimed,
        claimed.outcome or lifecycle.Outcome.FAILED.value,
        claimed.reason or _LOST,
    )
    runs.save(connection, claimed)
    return claimed


def _call_post_hooks(deps: dependencies.Dependencies, run: model.Run) -> None:
    def read(
        connection: db_engine.Connection,
    ) -> tuple[stack_model.Stack | None, operation_model.Operation | None]:
        stack = stacks.find(connection, run.stack_id)
        if run.for_operation is None:
            return stack, None
        return stack, operations.find(connection, run.for_operation)

    stack, operation = deps.database.query(read)
    asked = lifecycle_operation.OperationRequest(
        operation_id=run.operation_id,
        action=run.verb.upper(),
        verb=run.verb,
        project_id=run.project_id,
    )
    if operation is not None:
        asked = dataclasses.replace(
            situation.request_info(operation, run.verb),
            operation_id=run.operation_id,
            action=asked.action,
            attempt=run.attempt,
            project_id=run.project_id,
            paths=release_outcomes.list_paths(run, operation),
        )
    operation_of = hooks.show_unchanged(
        deps, request.RequestContext(), asked, stack, (), run
    )
    redact = hooks.redactor_of(deps, stack)
    hooks.call_post_hooks(
        deps, journals.Entry(run, run, run), operation_of, redact
    )
