"""Actions on templates."""

import collections.abc
import json
import typing

from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import requests
from orch.api.cfn import views
from orch.api.handlers import backends
from orch.api.handlers import stack_request
from orch.context import request

COST: typing.Final = "https://en.wikipedia.org/wiki/Gratis"
"""What a stack costs: clouds of OpenStack have no list of prices."""

View = dict[str, object]


def get(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show the template of a stack, as JSON text."""
    found = lookup.get_stack(backend, caller, given)
    told = backend.stacks.template(caller, found["stack_id"])
    return {"TemplateBody": json.dumps(told)}


def validate(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show what a template declares, if it is right."""
    told = _checked(backend, caller, given)
    declared = told.get("Parameters")
    if not isinstance(declared, collections.abc.Mapping):
        declared = {}
    return {
        "Description": str(told.get("Description") or ""),
        "Capabilities": [],
        "Parameters": [
            views.declared_parameter(name, each)
            for name, each in declared.items()
        ],
    }


def estimate(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Tell where the costs of a template stand, if it is right."""
    _checked(backend, caller, given)
    return {"Url": COST}


def _checked(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    inputs = stack_request.read_inputs(
        backend, caller, requests.needed_template(given)
    )
    return backend.templates.validate(caller, inputs)
