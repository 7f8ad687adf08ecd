"""Check the quotas of stacks in a project and of resources in a tree."""

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
from orch.template import inputs
from orch.template import resource_count
from orch.template import template


def check_stack_quota(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    who: inputs.Identity,
) -> None:
    """Raise an error if the project may not create this stack now.

    So the common case gets its answer before anything is written. Of two
    concurrent requests the unique key of the table decides which gets the
    name, and :func:`claim_stack` which gets the last place of the quota.

    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.errors.LimitExceeded: the project has too many stacks
    """
    found = stacks.find_live(connection, who.project_id, who.stack_name)
    if found is not None and found.id == who.stack_id:
        # A retry of the transaction whose commit got no answer.
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
    """Raise LimitExceeded if a newly stored stack exceeds the quota.

    Other creations of the project wait until the transaction ends: call it
    last, so that they do not wait long.

    :raises orch.errors.LimitExceeded: other requests came first
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
    """Add to the count of resources in the tree of a stack.

    :param more: negative where resources are removed
    :param is_within_quota: :func:`has_tree_quota` allows it
    :raises orch.template.errors.TooLarge: the tree would exceed its limit
    """
    limit = -1 if is_within_quota else deps.limits.resources
    if not stacks.add_to_count(connection, stack.root_id, more, limit):
        raise template_errors.TooLarge(resource_count.TOO_MANY)


def has_tree_quota(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
) -> bool:
    """Whether a tree is within its limit once a stack has this template.

    Resources that the change removes in its child stacks no longer count.

    :param parsed_template: the template that the stack is to have
    """
    size = _tree_size(deps, ctxt)
    return size.is_within_limit(stack, parsed_template, deps.limits.resources)


def check_stated_size(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
) -> None:
    """Raise TooLarge if a template states more resources than a tree may have.

    Sizes that are not known before the run are checked by the run.

    :param stack: that is to have the template; it may not exist yet
    :raises orch.template.errors.TooLarge: with those of all levels they are
        more
    """
    size = _tree_size(deps, ctxt)
    size.check_stated(stack, parsed_template, deps.limits.resources)


def _tree_size(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> tree_size.TreeSize:
    return tree_size.TreeSize(
        deps.database,
        lambda each, wanted, rows: deps.types_of(each, wanted, ctxt, rows),
        deps.reads,
        ctxt,
    )
