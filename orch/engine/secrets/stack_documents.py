"""Documents of a stack as Heat answers them, with child stacks redacted.

What the user of a root stack wrote is answered as it was written, hidden
parameters excepted. A child stack was made from properties of a resource, so
what is sensitive in these is redacted in its parameters and environment, and
in its template where a plug-in put it there.
"""

from orch.db import engine as db_engine
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import store
from orch.model import stack as stack_model
from orch.template import template


def child_redaction(
    connection: db_engine.Connection,
    find: tree_secrets.Find,
    stack: stack_model.Stack,
) -> redaction.Redaction:
    """Return what is redacted in the documents of a stack.

    In those of a root stack that is nothing but hidden parameters.
    """
    if stack.parent_id is None:
        return redaction.Redaction(is_plain=True)
    return tree_secrets.redaction_of(connection, find, stack, is_plain=True)


def redact_environment(
    parsed_template: template.Template, found: redaction.Redaction
) -> dict[str, object]:
    """Return the environment of a stack, redacted."""
    shown = parsed_template.shown_environment()
    for section in ("parameters", "parameter_defaults"):
        values = shown[section]
        assert isinstance(values, dict)
        shown[section] = {
            name: redaction.HIDDEN
            if name in found.parameters
            else found.value(value)
            for name, value in values.items()
        }
    return shown


def redact_parameters(
    parsed_template: template.Template, found: redaction.Redaction
) -> dict[str, str]:
    """Return the parameters as texts, redacted."""
    return {
        name: redaction.HIDDEN
        if name in found.parameters
        else found.text(text)
        for name, text in parsed_template.shown_parameters().items()
    }


def read_template(
    connection: db_engine.Connection,
    find: tree_secrets.Find,
    stack: stack_model.Stack,
) -> dict[str, object]:
    """Return the template of a stack, what was put into it redacted.

    A template that a user wrote is returned as it is.

    :returns: no part of the template of a child stack that cannot be read
        any more
    :raises orch.errors.NotFound: a content is missing
    """
    if stack.parent_id is None:
        return store.read_template(connection, stack)
    parsed_template = find(connection, stack)
    if parsed_template is None:
        return {}
    if not parsed_template.sensitive_parts:
        return store.read_template(connection, stack)
    found = child_redaction(connection, find, stack)
    if found.is_blind:
        return {}
    return found.template(parsed_template)
