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
from orch.model import observation
from orch.model import resource
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
        stack = lookup.get_live(connection, ctxt, stack_id)
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
    rewritten = rewriting.Rewriting(text, parsed_template.version.format)
    return _write(found, rewritten, redacts)


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


def _write(
    found: drift_state.ObservedTree,
    text: rewriting.Rewriting,
    redacts: redaction.Redaction,
) -> contract.DriftTemplate:
    """Return the template, its changes and what was omitted.

    :param text: of the template, into which drifted values are set
    """
    changes: list[contract.DriftChange] = []
    omitted: list[contract.OmittedChange] = []

    def leave(
        one: drift_state.ObservedResource, name: str | None, reason: str
    ) -> None:
        omitted.append(
            contract.OmittedChange(path=one.path, property=name, reason=reason)
        )

    first, *children = found.members
    for one in first.resources:
        if one.observed.is_vanished:
            leave(one, None, VANISHED)
        for each in one.observed.differences if one.is_drifted else ():
            is_full = len(changes) >= MAX_CHANGES
            reason = _set(text, redacts, one.row, each, is_full=is_full)
            if reason is not None:
                leave(one, each.property, reason)
            else:
                changes.append(
                    contract.DriftChange(path=one.path, property=each.property)
                )
    for one in (one for each in children for one in each.resources):
        if one.is_drifted or one.observed.is_vanished:
            leave(one, None, IN_CHILD)
    return contract.DriftTemplate(
        template=text.text, changes=changes, omitted=omitted
    )


def _set(
    text: rewriting.Rewriting,
    redacts: redaction.Redaction,
    row: resource.Resource,
    drifted: observation.Difference,
    *,
    is_full: bool,
) -> str | None:
    """Set the live value of a property in a template.

    :param is_full: no more properties may be set
    :returns: why it is not set; ``None`` where it is
    """
    name, live = drifted.property, drifted.live
    if live is None:
        return NO_VALUE
    if redacts.part(row.properties, name, live) != live:
        return HIDDEN
    if is_full:
        return TOO_MANY
    try:
        text.set(row.name, name, live, {*row.properties, name})
    except rewriting.CannotSet as error:
        return error.message
    except yaml.YAMLError:
        return "the template is no YAML"
    return None
