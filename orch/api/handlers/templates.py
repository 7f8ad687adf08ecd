"""The template language: its versions, and the validation of templates."""

from orch import errors
from orch.api import faults
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import stack_request


def list_versions(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the versions."""
    found = backend.templates.versions(req.caller)
    return web.Answer({"template_versions": found})


def list_functions(
    backend: backends.Backend, req: web.Request, version: str
) -> web.Answer:
    """List the functions of a version, those of conditions if asked."""
    found = backend.templates.functions(
        req.caller, version, query.get_boolean(req, "with_condition_func")
    )
    return web.Answer({"template_functions": found})


def validate(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Say what the template declares, or all that is wrong with it."""
    request = stack_request.read(backend, req)
    ignored = query.list_words(req, "ignore_errors")
    for number in ignored:
        query.parse_integer("ignore_errors", number)
    try:
        found = backend.templates.validate(
            req.caller,
            request.inputs,
            show_nested=query.get_boolean(req, "show_nested"),
            ignore_errors=ignored,
        )
    except errors.OrchError as error:
        if faults.fault_of(error) != faults.VALIDATION:
            raise
        # Here the wire has no word of its own for a wrong template.
        raise errors.Invalid(error.message, error.problems) from error
    return web.Answer(found)
