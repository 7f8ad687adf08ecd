"""``OS::Mistral::CronTrigger``: a workflow that runs at certain times.

API reference: https://docs.openstack.org/mistral/latest/api/v2.html
"""

import collections.abc
import json
import typing

from orch.clients import lookup
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.resources.openstack import base
from orch.resources.openstack import wire

_WORKFLOW: typing.Final = "workflow"
_ID: typing.Final = "workflow_id"
_NAME: typing.Final = "workflow_name"
_INPUT: typing.Final = "workflow_input"

Values = collections.abc.Mapping[str, object]


class CronTrigger(base.OpenStackResource):
    """A trigger, known by its name, that runs a workflow."""

    def get_id_scope(
        self, account: id_scopes.Account, properties: Values
    ) -> str | None:
        """Return the project: each has triggers of its own."""
        return account.project_id

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, with the workflow by its id or name."""
        body = super().body_of_properties(context)
        workflow = wire.to_mapping(context.properties[_WORKFLOW])
        name = str(workflow["name"])
        body[_ID if lookup.is_id(name) else _NAME] = name
        if workflow.get("input"):
            body[_INPUT] = workflow["input"]
        return body

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, the workflow as it is given."""
        found = super().reality_of(context, body)
        name = str(
            wire.to_mapping(context.properties.get(_WORKFLOW)).get("name")
        )
        found[_WORKFLOW] = {
            "name": body.get(_ID if lookup.is_id(name) else _NAME),
            "input": _read_input(body.get(_INPUT)),
        }
        return found

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        if name == _WORKFLOW:
            found = wire.to_mapping(value)
            return {**found, "input": found.get("input") or {}}
        return super().normalise(name, value)


def _read_input(found: object) -> object:
    """Return the input of a workflow, which answers have as JSON text."""
    try:
        return json.loads(found) if isinstance(found, str) else found
    except ValueError:
        return found
