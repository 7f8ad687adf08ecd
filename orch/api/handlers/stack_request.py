"""What a request says of a stack, ready for the engine."""

import dataclasses
import typing

from orch.api import body
from orch.api import server
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import stacks
from orch.clients import template_url
from orch.context import request
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class StackRequest:
    """A body that was checked, and what describes the stack in it."""

    body: stacks.Body
    inputs: contract.StackInputs


def read(
    backend: backends.Backend, req: web.Request, *, needs_template: bool = True
) -> StackRequest:
    """Return the checked body, template and files fetched if need be.

    :param needs_template: refuse a body without one
    :raises orch.errors.Invalid: it does not describe a stack
    :raises orch.project_slots.SlotsTaken: too many templates are fetched
    :raises orch.errors.NotFound: the container of its files is not there
    """
    asked = body.read(req, backend.limits.max_json_body_size)
    return StackRequest(
        asked,
        read_inputs(backend, req.caller, asked, needs_template=needs_template),
    )


def read_inputs(
    backend: backends.Backend,
    caller: request.RequestContext,
    request: stacks.Body,
    *,
    needs_template: bool = True,
) -> contract.StackInputs:
    """Return what describes the stack in a body, as :meth:`read` does."""
    inputs = typing.cast(
        contract.StackInputs,
        {
            key: request[key]
            for key in stacks.INPUTS
            if request.get(key) is not None
        },
    )
    url = stacks.template_url_of(request, needs_template=needs_template)
    if url is not None:
        inputs["template"] = _fetch(backend, caller, url)
    container = request.get("files_container")
    if container:
        sent = inputs.get("files", {})
        found = backend.templates.files(
            caller,
            str(container),
            sorted(sent),
            backend.limits.max_json_body_size,
        )
        inputs["files"] = {**found, **sent}
    return inputs


def _fetch(
    backend: backends.Backend, caller: request.RequestContext, url: str
) -> str:
    """Return the template at an address.

    :raises orch.project_slots.SlotsTaken: too many are fetched now
    """
    template_url.check_url(url)
    with backend.fetches.taken(caller.project_id), server.Hold.held():
        return template_url.fetch_template(
            url,
            limit=backend.limits.max_template_size,
            timeout_s=backend.limits.template_url_timeout_s,
            time=backend.clock,
            within=backend.limits.within,
        )
