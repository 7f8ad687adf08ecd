"""Let the observer pause for a project or for all, and go on."""

import collections.abc

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import drift_pauses
from orch.engine import dependencies
from orch.model import observation
from orch.rpc import contract


def show_pause(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> contract.DriftPause:
    """Return whether the observer pauses for the caller's project."""
    return deps.database.query(lambda conn: _shown(conn, ctxt))


def pause_observer(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    *,
    is_of_all: bool = False,
) -> contract.DriftPause:
    """Let the observer pause; operations that are in progress go on.

    :param is_of_all: for all projects, not only for the caller's
    """
    return _change(
        deps,
        ctxt,
        is_of_all,
        lambda conn, scope: drift_pauses.pause(
            conn, scope, ctxt.user_id or ""
        ),
    )


def resume_observer(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    *,
    is_of_all: bool = False,
) -> contract.DriftPause:
    """Let the observer go on, and stopped repairs of the project too.

    What has vanished by now is repaired, however much it is.

    :param is_of_all: end the pause of all projects
    """
    return _change(deps, ctxt, is_of_all, drift_pauses.resume)


def _change(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    is_of_all: bool,
    act: collections.abc.Callable[[db_engine.Connection, str], None],
) -> contract.DriftPause:
    """Change the pause of the caller's project, or of all; show it."""

    def work(conn: db_engine.Connection) -> contract.DriftPause:
        own = ctxt.project_id or ""
        act(conn, observation.ALL_PROJECTS if is_of_all else own)
        return _shown(conn, ctxt)

    return deps.database.run(work)


def _shown(
    conn: db_engine.Connection, ctxt: request.RequestContext
) -> contract.DriftPause:
    found = drift_pauses.find(conn, ctxt.project_id or "")
    return contract.DriftPause(
        paused_at=found.paused_at,
        paused_by=found.paused_by,
        is_of_all=found.project_id == observation.ALL_PROJECTS,
        repairs_stopped_at=found.stopped_at,
    )
