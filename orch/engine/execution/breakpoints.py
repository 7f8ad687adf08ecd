"""Where the environment in force lets the operations of a stack stop."""

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
    """Return what gives the breakpoints of a name.

    An operation that leaves nothing stops where the stack's own environment
    says. If that cannot be read any more nothing stops it: what cannot be
    read must still be possible to remove.

    :raises orch.db.errors.DatabaseDown: nobody can tell now
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
