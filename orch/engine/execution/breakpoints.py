"""Find the breakpoints of a stack in its current environment."""

import collections.abc

from oslo_log import log

from orch import errors
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.engine.execution import planning
from orch.flow.engine import breakpoints

LOG = log.getLogger(__name__)


def breakpoint_lookup(
    database: db_engine.Database,
    loaded: planning.Loaded,
    load_template: planning.LoadTemplate,
) -> breakpoints.HooksOf:
    """Return a function that gives the breakpoints of a resource.

    An operation without a template uses the stack's own environment. If that
    cannot be loaded any more there are no breakpoints: a stack that cannot be
    loaded must still be removable.

    :raises orch.db.errors.DatabaseDown: the database gave no answer
    """
    if loaded.parsed_template is not None:
        return loaded.parsed_template.hooks
    try:
        parsed_template = database.query(
            lambda connection: load_template(connection, loaded.stack)
        )
    except db_errors.DatabaseDown:
        raise
    except errors.OrchError as error:
        LOG.warning(
            "stack %s goes without breakpoints: %s", loaded.stack.id, error
        )
        return _no_breakpoints
    return parsed_template.hooks


def _no_breakpoints(name: str) -> collections.abc.Collection[str]:
    return ()
