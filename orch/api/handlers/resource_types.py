"""Which types of resources there are, and what each declares."""

from orch import errors
from orch.api import query
from orch.api import web
from orch.api.handlers import backends

_FILTERS = ("name", "version", "support_status")
_TEMPLATE_TYPES = ("cfn", "hot")


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the types, with descriptions if asked for."""
    filters = {
        key: value
        for key in _FILTERS
        if (value := query.find_parameter(req, key)) is not None
    }
    found = backend.resource_types.list(
        req.caller, filters, query.get_boolean(req, "with_description")
    )
    return web.Answer({"resource_types": found})


def show(
    backend: backends.Backend, req: web.Request, type_name: str
) -> web.Answer:
    """Show the properties and attributes of a type."""
    return web.Answer(
        backend.resource_types.show(
            req.caller,
            type_name,
            query.get_boolean(req, "with_description"),
        )
    )


def template(
    backend: backends.Backend, req: web.Request, type_name: str
) -> web.Answer:
    """Show a template with one resource of the type."""
    language = query.find_parameter(req, "template_type") or "cfn"
    if language not in _TEMPLATE_TYPES:
        raise errors.Invalid(
            f"template_type must be cfn or hot, not {language[:80]!r}."
        )
    return web.Answer(
        backend.resource_types.template(req.caller, type_name, language)
    )
