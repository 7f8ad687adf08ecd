"""Whether a project may have one more stack, under a certain name."""

from orch import errors
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import stack_lists
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.model import stack
from orch.template import errors as template_errors
from orch.template import identity


def check(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    who: identity.Identity,
) -> None:
    """Return only if there is room for a stack of that name.

    The unique key of the table decides between two requests at once; here
    the common case gets its answer before anything is written.

    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.errors.LimitExceeded: the project has too many stacks
    """
    found = stacks.find_live(connection, who.project_id, who.stack_name)
    # Its own row is there when the answer to its commit got lost.
    if found is not None and found.id != who.stack_id:
        raise db_errors.NameTaken(
            f"The Stack ({who.stack_name}) already exists."
        )
    most = deps.settings.max_stacks_per_tenant
    if most < 0:
        return
    if stack_lists.count_live(connection, who.project_id) >= most:
        raise errors.LimitExceeded(
            f"The project has {most} stacks already, and no more are allowed;"
            " delete one first."
        )


def count_tree(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    subject: stack.Stack,
    more: int,
) -> None:
    """Count further resources in the tree of a stack.

    :param more: negative where some go
    :raises orch.template.errors.TooLarge: they would be too many
    """
    most = deps.limits.resources
    if not stacks.count(connection, subject.root_id, more, most):
        raise template_errors.TooLarge(
            "Request limit exceeded: Maximum resources per stack exceeded."
        )
