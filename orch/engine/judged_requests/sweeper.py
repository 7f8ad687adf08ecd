"""Sweep, at an interval, for what requests and lost workers have left."""

import collections.abc
import logging
import typing

from orch import periodic
from orch.context import request
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.judged_requests import hooks
from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import transitions
from orch.model import lifecycle as model
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
    """Make the calls after requests whose worker was lost, long ago.

    :raises orch.errors.AskAnother: the worker does not have the plug-ins in
        force, and others have
    """
    left = deps.database.query(
        lambda connection: runs.list_left(connection, SWEEP_AGE_S)
    )
    if left:
        deps.plugins.check_active()
    for run in left:
        _close_lost(deps, run)


def _close_lost(deps: dependencies.Dependencies, run: model.Run) -> None:
    stack = deps.database.query(
        lambda connection: stacks.find(connection, run.stack_id)
    )
    if not run.outcome:
        run = transitions.close(run, lifecycle.Outcome.FAILED.value, _LOST)
    asked = lifecycle_operation.OperationRequest(
        operation_id=run.operation_id,
        action=run.verb.upper(),
        verb=run.verb,
        project_id=run.project_id,
    )
    operation_of = hooks.show_unchanged(
        deps, request.RequestContext(), asked, stack, (), run
    )
    entry = journals.Entry(run, run, run)
    redact = hooks.redactor_of(deps, stack)
    hooks.call_post_hooks(deps, entry, operation_of, redact)
