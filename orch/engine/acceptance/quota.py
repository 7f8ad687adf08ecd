"""Whether a project may have one more stack, under a certain name."""

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import mutexes
from orch.db.repositories import stack_lists
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.nested import tree_size
from orch.model import stack
from orch.template import errors as template_errors
from orch.template import identity
from orch.template import template


def check_stack_quota(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    who: identity.Identity,
) -> None:
    """Return only if there is room for a stack of that name, as of now.

    So the common case gets its answer before anything is written. Of two
    requests at once the unique key of the table decides who has a name, and
    :func:`claim_stack` who has the room.

    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.errors.LimitExceeded: the project has too many stacks
    """
    found = stacks.find_live(connection, who.project_id, who.stack_name)
    if found is not None and found.id == who.stack_id:
        # The answer to its commit got lost.
        return
    if found is not None:
        raise db_errors.NameTaken(
            f"The Stack ({who.stack_name}) already exists."
        )
    _check_count(connection, deps, who.project_id, more=1)


def claim_stack(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    new_stack: stack.Stack,
) -> None:
    """Return only if there is room for a stack that was just stored.

    Nobody else in the project gets room before the transaction ends: call
    it last, so that they do not wait long.

    :raises orch.errors.LimitExceeded: others were first
    """
    if deps.settings.max_stacks_per_tenant >= 0:
        mutexes.pass_through(connection, "stacks", new_stack.project_id)
        _check_count(connection, deps, new_stack.project_id, more=0)


def _check_count(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    project_id: str,
    *,
    more: int,
) -> None:
    limit = deps.settings.max_stacks_per_tenant
    if limit < 0:
        return
    if stack_lists.count_live(connection, project_id) + more > limit:
        raise errors.LimitExceeded(
            f"The project has {limit} stacks already, and no more are allowed;"
            " delete one first."
        )


def count_tree(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    more: int,
    *,
    is_within_quota: bool = False,
) -> None:
    """Count further resources in the tree of a stack.

    :param more: negative where some go
    :param is_within_quota: there will be room, by :func:`has_tree_quota`
    :raises orch.template.errors.TooLarge: they would be too many
    """
    limit = -1 if is_within_quota else deps.limits.resources
    if not stacks.add_to_count(connection, stack.root_id, more, limit):
        raise template_errors.TooLarge(
            "Request limit exceeded: Maximum resources per stack exceeded."
        )


def has_tree_quota(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
) -> bool:
    """Answer whether a tree has room once a stack is what it is to be.

    What goes or shrinks in stacks below it counts as gone.

    :param parsed_template: the template that it is to have
    """
    size = tree_size.TreeSize(
        deps.database,
        lambda each, wanted, rows: deps.types_of(each, wanted, ctxt, rows),
        deps.reads,
        ctxt,
    )
    return size.is_within_limit(stack, parsed_template, deps.limits.resources)
