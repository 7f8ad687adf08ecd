"""Write the template of a stack with its drifted values."""

import json
import typing

import yaml

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.drift import state as drift_state
from orch.engine.queries import lookup
from orch.engine.secrets import redaction
from orch.engine.secrets import stack_documents
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import store
from orch.model import stack
from orch.rpc import contract
from orch.template import rewriting
from orch.template import template

VANISHED: typing.Final = (
    "it has vanished: remove it from the template, or update with converge"
    " to create it again"
)
HIDDEN: typing.Final = "its value comes from a hidden parameter"
NO_VALUE: typing.Final = (
    "it has no value any more, which a template cannot say: accept the drift"
    " instead"
)
MAX_CHANGES: typing.Final = 100
"""How many properties are set at most; each needs a pass over the text."""
TOO_MANY: typing.Final = (
    f"{MAX_CHANGES} others were set: update with this template, and ask again"
)
IN_CHILD: typing.Final = "it is in another stack: request the template of that"


def make_template(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> contract.DriftTemplate:
    """Return the template of a stack with the last observed values.

    As it declares the observed state, a plan of that template with
    ``converge`` changes none of the properties that were set.

    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.Conflict: the template cannot be read any more
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[
        drift_state.ObservedTree, template.Template, str, redaction.Redaction
    ]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        lookup.check_live(ctxt, stack)
        parsed_template = deps.templates.find(connection, stack)
        if parsed_template is None:
            raise errors.Conflict(
                f"The template of stack {stack.name} cannot be read any"
                " more: update the stack first."
            )
        return (
            drift_state.load_observed(connection, deps, stack),
            parsed_template,
            _text_of(connection, deps, stack),
            tree_secrets.redaction_of(connection, deps.templates.find, stack),
        )

    found, parsed_template, text, redacts = deps.database.query(work)
    return _TemplateWriter(found, parsed_template, text, redacts).write()


def _text_of(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
) -> str:
    """Return the template as it was sent, where that was a text.

    That of a child stack is redacted.
    """
    text = store.read_source(connection, stack)
    return text or json.dumps(
        stack_documents.read_template(connection, deps.templates.find, stack),
        indent=2,
        ensure_ascii=False,
    )


class _TemplateWriter:
    """Sets drifted values in the text of one template."""

    def __init__(
        self,
        found: drift_state.ObservedTree,
        parsed_template: template.Template,
        text: str,
        redacts: redaction.Redaction,
    ) -> None:
        self._found = found
        self._redacts = redacts
        self._text = rewriting.Rewriting(text, parsed_template.version.format)
        self._changes: list[contract.DriftChange] = []
        self._omitted: list[contract.OmittedChange] = []

    def write(self) -> contract.DriftTemplate:
        """Return the template, its changes and what was omitted."""
        first, *children = self._found.members
        for resource in first.resources:
            if resource.observed.is_vanished:
                self._leave(resource.path, None, VANISHED)
            elif resource.is_drifted:
                self._set(resource)
        for member in children:
            for resource in member.resources:
                if resource.is_drifted or resource.observed.is_vanished:
                    self._leave(resource.path, None, IN_CHILD)
        return contract.DriftTemplate(
            template=self._text.text,
            changes=self._changes,
            omitted=self._omitted,
        )

    def _set(self, resource: drift_state.ObservedResource) -> None:
        row = resource.row
        for each in resource.observed.differences:
            name = each.property
            shown = self._redacts.part(row.properties, name, each.live)
            if each.live is None:
                self._leave(resource.path, name, NO_VALUE)
            elif shown != each.live:
                self._leave(resource.path, name, HIDDEN)
            elif len(self._changes) >= MAX_CHANGES:
                self._leave(resource.path, name, TOO_MANY)
            else:
                self._try(resource, name, each.live)

    def _try(
        self, resource: drift_state.ObservedResource, name: str, live: object
    ) -> None:
        try:
            self._text.set(
                resource.row.name, name, live, {*resource.row.properties, name}
            )
        except rewriting.CannotSet as error:
            self._leave(resource.path, name, error.message)
        except yaml.YAMLError:
            self._leave(resource.path, name, "the template is no YAML")
        else:
            self._changes.append(
                contract.DriftChange(path=resource.path, property=name)
            )

    def _leave(self, path: str, name: str | None, reason: str) -> None:
        self._omitted.append(
            contract.OmittedChange(path=path, property=name, reason=reason)
        )
