"""Write the template of a stack with its drifted values."""

import collections.abc
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
from orch.model import marked
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
LITERAL: typing.Final = (
    "a secret is written into the template: write it in place of ****** again"
)
NO_VALUE: typing.Final = (
    "it has no value any more, which a template cannot say: accept the drift"
    " instead"
)
MAX_CHANGES: typing.Final = 100
"""How many properties are set at most; each needs a pass over the text."""
TOO_MANY: typing.Final = (
    f"{MAX_CHANGES} others were set: update with this template, and ask again"
)
_PROPERTIES: typing.Final = (("properties",), ("Properties",))
IN_CHILD: typing.Final = "it is in another stack: request the template of that"


def make_template(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> contract.DriftTemplate:
    """Return the template of a stack with the last observed values.

    As it declares the observed state, a plan of that template with
    ``converge`` changes none of the properties that were set. Secrets that
    are written into the template are redacted; their properties, or their
    paths in it, are among the omitted ones.

    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.Conflict: the template cannot be read any more
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[
        drift_state.ObservedTree,
        template.Template,
        str,
        collections.abc.Mapping[str, object],
        redaction.Redaction,
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
            *_text_of(connection, deps, stack, parsed_template),
            tree_secrets.redaction_of(connection, deps.templates.find, stack),
        )

    found, parsed_template, text, root, redacts = deps.database.query(work)
    rewritten = rewriting.Rewriting(text, parsed_template.version.format)
    literals = parsed_template.secret_literals
    rewritten.redact(root, literals)
    return _write(found, rewritten, redacts, literals)


def _text_of(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    parsed_template: template.Template,
) -> tuple[str, collections.abc.Mapping[str, object]]:
    """Return the template as it was sent, where that was a text, and as JSON.

    What a plug-in put into that of a child stack is redacted.
    """
    text = ""
    if not parsed_template.sensitive_parts:
        text = store.read_source(connection, stack)
    root = stack_documents.read_template(
        connection, deps.templates.find, stack
    )
    return text or json.dumps(root, indent=2, ensure_ascii=False), root


def _write(
    found: drift_state.ObservedTree,
    text: rewriting.Rewriting,
    redacts: redaction.Redaction,
    literals: marked.Paths,
) -> contract.DriftTemplate:
    """Return the template, its changes and what was omitted.

    :param text: of the template, into which drifted values are set
    :param literals: paths of what is redacted in it
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
    known = {(each["path"], each["property"]) for each in (*changes, *omitted)}
    redacted = dict.fromkeys(map(_place, literals))
    return contract.DriftTemplate(
        template=text.text,
        changes=changes,
        omitted=[
            contract.OmittedChange(path=path, property=name, reason=LITERAL)
            for path, name in redacted
            if (path, name) not in known
        ]
        + omitted,
    )


def _place(path: marked.Path) -> tuple[str, str | None]:
    """Return the resource and property in which a literal is, if it is in one.

    :returns: else the path of the literal in the template
    """
    steps = [*map(str, path)]
    if len(steps) > 3 and path[2:3] in _PROPERTIES:
        return steps[1], steps[3]
    return "/".join(steps), None


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
