"""Looks at a template without making anything of it."""

import collections.abc

from orch import errors
from orch.context import request
from orch.engine import dependencies
from orch.rpc import contract
from orch.template import identity
from orch.template import inputs as template_inputs
from orch.template import template

_IGNORABLE = frozenset({"99001"})
"""Heat's number for a type whose service is away. Whether a type is there
depends on no service here, so there is nothing to ignore."""


def validate(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    inputs: contract.StackInputs,
    show_nested: bool,
    ignore_errors: collections.abc.Iterable[str],
) -> dict[str, object]:
    """Return what the template declares, in the words of the wire.

    :param ignore_errors: numbers of errors, as Heat counts them
    :raises orch.errors.Invalid: the template is wrong, or a number is
    """
    unknown = sorted(set(ignore_errors) - _IGNORABLE)
    if unknown:
        raise errors.Invalid(
            f"Invalid codes in ignore_errors : {', '.join(unknown)[:255]}"
        )
    who = identity.Identity("None", "dummy", ctxt.project_id or "")
    bound = template.Template.load(
        template_inputs.Inputs(**inputs),
        deps.types,
        who,
        deps.limits,
        is_strict=False,
        installed=deps.installed,
    )
    return bound.validation_answer(show_nested)
