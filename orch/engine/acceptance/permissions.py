"""Check whether a caller may adopt, abandon, or use a resource type."""

import functools

from orch import errors
from orch.context import request
from orch.engine import dependencies
from orch.rpc import contract
from orch.template.resources import declaration


def check_adopt(deps: dependencies.Dependencies) -> None:
    """Raise NotSupported if the operator has not enabled adoption.

    :raises orch.errors.NotSupported: adoption is off
    """
    if not deps.settings.adopts:
        raise errors.NotSupported(
            "Stack Adopt is not supported here: an operator switches it on"
            " with the option enable_stack_adopt."
        )


def check_adopt_owned(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    options: contract.AdoptionOptions,
) -> None:
    """Check whether a caller may take what other stacks own, if it wants to.

    :raises orch.errors.Forbidden: it wants to, and may not
    """
    if options.get("allows_owned"):
        deps.rules.check(ctxt, "stacks:adopt_owned")


def check_abandon(deps: dependencies.Dependencies) -> None:
    """Raise NotSupported if the operator has not enabled abandoning.

    :raises orch.errors.NotSupported: export and abandonment are off
    """
    if not deps.settings.abandons:
        raise errors.NotSupported(
            "Stack Abandon and Export are not supported here: an operator"
            " switches them on with the option enable_stack_abandon."
        )


def type_check(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> declaration.CheckType:
    """Return a function that raises Forbidden if the caller may not."""
    return functools.partial(deps.rules.check_type, ctxt)
