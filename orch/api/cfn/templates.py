"""Actions on templates."""

import collections.abc
import json
import typing

from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import requests
from orch.api.cfn import views
from orch.api.handlers import stack_request
from orch.context import request
from orch.rpc import contract

COST: typing.Final = "https://en.wikipedia.org/wiki/Gratis"
"""What a stack costs: clouds of OpenStack have no list of prices."""

View = dict[str, object]


class Templates:
    """Serves what a template says."""

    def __init__(
        self,
        client: contract.Templates,
        stack_client: contract.Stacks,
        reader: stack_request.StackRequestReader,
        find: lookup.Lookup,
    ) -> None:
        self._templates = client
        self._stacks = stack_client
        self._reader = reader
        self._find = find

    def get(
        self, caller: request.RequestContext, given: parameters.Parameters
    ) -> View:
        """Show the template of a stack, as JSON text."""
        found = self._find.get(caller, given)
        told = self._stacks.template(caller, found["stack_id"])
        return {"TemplateBody": json.dumps(told)}

    def validate(
        self, caller: request.RequestContext, given: parameters.Parameters
    ) -> View:
        """Show what a template declares, if it is right."""
        told = self._checked(caller, given)
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
        self, caller: request.RequestContext, given: parameters.Parameters
    ) -> View:
        """Tell where the costs of a template stand, if it is right."""
        self._checked(caller, given)
        return {"Url": COST}

    def _checked(
        self, caller: request.RequestContext, given: parameters.Parameters
    ) -> View:
        inputs = self._reader.read_inputs(
            caller, requests.needed_template(given)
        )
        return self._templates.validate(caller, inputs)
