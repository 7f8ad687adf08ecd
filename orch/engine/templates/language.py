"""Validate templates, and list versions and functions of the language."""

import collections.abc

from orch import errors as base_errors
from orch.context import request
from orch.engine import dependencies
from orch.engine.queries import errors
from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template.language import functions_of_version
from orch.template.language import versions as language


def list_versions(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[dict[str, object]]:
    """Return the versions: version, type, aliases."""
    return language.list_versions()


def list_functions(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    version: str,
    with_condition_func: bool,
) -> list[dict[str, str]]:
    """Return the functions that a version knows, with descriptions.

    :raises orch.engine.queries.errors.VersionNotFound: the version is unknown
    """
    found = language.get_named_version(version)
    if found is None:
        raise errors.VersionNotFound(
            f"Template with version {version[:255]} not found"
        )
    return functions_of_version.list_functions(found, with_condition_func)


_IGNORABLE = frozenset({"99001"})
"""Heat's number for a type whose service is unavailable.

Here no type depends on a service, so there is nothing to ignore.
"""


def validate_template(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    inputs: contract.StackInputs,
    show_nested: bool,
    ignore_errors: collections.abc.Iterable[str],
) -> dict[str, object]:
    """Return the declarations of a template, in the form of the API.

    :param ignore_errors: numbers of errors, as Heat counts them
    :raises orch.errors.Invalid: the template is wrong, or a number is
    """
    unknown = sorted(set(ignore_errors) - _IGNORABLE)
    if unknown:
        raise base_errors.Invalid(
            f"Invalid codes in ignore_errors : {', '.join(unknown)[:255]}"
        )
    who = template_inputs.Identity("None", "dummy", ctxt.project_id or "")
    parsed_template = template.Template.load(
        template_inputs.Inputs(**inputs),
        deps.types,
        who,
        deps.limits,
        is_strict=False,
        installed=deps.installed,
    )
    return parsed_template.validation_answer(show_nested)
