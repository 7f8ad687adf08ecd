"""Actions on templates."""

import collections.abc
import json
import typing

from orch.api.cfn import errors
from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import requests
from orch.api.cfn import views
from orch.api.handlers import backends
from orch.api.handlers import stack_request
from orch.context import request

COST: typing.Final = "https://en.wikipedia.org/wiki/Gratis"
"""What a stack costs: clouds of OpenStack have no list of prices."""

_TYPES: typing.Final = "resource_registry"

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
    return _declarations(_checked(backend, caller, given))


def summarize(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show what a template, or that of a stack, declares."""
    if given.find(lookup.NAME) is None:
        return validate(backend, caller, given)
    if requests.find_template(given):
        raise errors.InvalidCombination(
            f"{lookup.NAME} and a template exclude each other."
        )
    stack_id = lookup.get_stack(backend, caller, given)["stack_id"]
    environment = backend.stacks.environment(caller, stack_id)
    told = backend.templates.validate(
        caller,
        {
            "template": backend.stacks.template(caller, stack_id),
            "files": backend.stacks.files(caller, stack_id),
            # Other sections may have redacted values.
            "environment": {_TYPES: environment.get(_TYPES, {})},
        },
    )
    return _declarations(told)


def _declarations(told: View) -> View:
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
