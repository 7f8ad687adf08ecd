"""Check whether a caller may adopt, abandon, or use a resource type."""

import collections.abc
import functools

from orch import errors
from orch.context import request
from orch.engine import dependencies


def check_adopt(deps: dependencies.Dependencies) -> None:
    """Raise NotSupported if the operator has not enabled adoption.

    :raises orch.errors.NotSupported: adoption is off
    """
    if not deps.settings.adopts:
        raise errors.NotSupported(
            "Stack Adopt is not supported here: an operator switches it on"
            " with the option enable_stack_adopt."
        )


def check_abandon(deps: dependencies.Dependencies) -> None:
    """Raise NotSupported if the operator has not enabled abandoning.

    :raises orch.errors.NotSupported: export and abandonment are off
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
    """Return a function that says whether the caller may use a type."""
    rules = deps.rules
    if rules is None:
        return _permit_all
    return functools.partial(rules.allows_type, ctxt)


def _permit_all(type_name: str) -> bool:
    return True
