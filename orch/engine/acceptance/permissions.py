"""Which types of resources a caller may have."""

import collections.abc

from orch import errors
from orch.context import request
from orch.engine import dependencies


def check_adopt(deps: dependencies.Dependencies) -> None:
    """Return only if stacks may be adopted.

    :raises orch.errors.NotSupported: they may not
    """
    if not deps.settings.adopts:
        raise errors.NotSupported(
            "Stack Adopt is not supported here: an operator switches it on"
            " with the option enable_stack_adopt."
        )


def check_abandon(deps: dependencies.Dependencies) -> None:
    """Return only if stacks may be exported and abandoned.

    :raises orch.errors.NotSupported: they may not
    """
    if not deps.settings.abandons:
        raise errors.NotSupported(
            "Stack Abandon and Export are not supported here: an operator"
            " switches them on with the option enable_stack_abandon."
        )


Permits = collections.abc.Callable[[str], bool]


def type_permissions(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> Permits:
    """Return what answers whether the caller may have a type."""
    rules = deps.rules
    if rules is None:
        return _permit_all
    return lambda type_name: rules.allows_type(ctxt, type_name)


def _permit_all(type_name: str) -> bool:
    return True
