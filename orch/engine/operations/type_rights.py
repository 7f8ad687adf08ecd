"""Which types of resources a caller may have."""

import collections.abc

from orch.context import request
from orch.engine import dependencies

Permits = collections.abc.Callable[[str], bool]


def of(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> Permits:
    """Return what answers whether the caller may have a type."""
    rules = deps.rules
    if rules is None:
        return _everything
    return lambda type_name: rules.allows_type(ctxt, type_name)


def _everything(type_name: str) -> bool:
    return True
