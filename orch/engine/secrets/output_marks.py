"""Which outputs of a stack are sensitive.

Notifications redact by the same rules what the API marks: an output that a
hidden parameter goes into, directly or by way of a resource; one with a
secret that a resource has generated; one that has the name of a secret.
"""

import collections.abc

from orch import errors
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.engine.secrets import generated
from orch.engine.secrets import masks as secret_masks
from orch.engine.secrets import named
from orch.engine.secrets import stack_masks
from orch.engine.stack_inputs import store
from orch.model import flat_fields
from orch.model import stack
from orch.template import template
from orch.template import world

Values = collections.abc.Mapping[str, object]


def load_masks(
    connection: db_engine.Connection,
    find: stack_masks.Find,
    stack: stack.Stack,
    parsed_template: template.Template,
) -> secret_masks.Masks:
    """Return the masks that decide which outputs of a stack are sensitive.

    Where the templates that decide cannot be read, all outputs are. No
    statement is executed for a root stack whose outputs can have no generated
    secret: it has no outputs, or neither child stacks nor resources that
    generate one.
    """
    if not _written_outputs(parsed_template):
        return secret_masks.Masks([])
    try:
        is_plain = _generates_nothing(stack, parsed_template)
        return stack_masks.outside(
            connection, find, stack, frozenset() if is_plain else None
        )
    except db_errors.DatabaseDown:
        raise
    except errors.OrchError:
        return secret_masks.Masks([], is_blind=True, is_strict=True)


def redact_outputs(
    masks: secret_masks.Masks,
    parsed_template: template.Template,
    values: Values,
) -> dict[str, object]:
    """Return the values of outputs with ``******`` for what is sensitive."""
    written = _written_outputs(parsed_template)
    return named.redact_named(
        {
            key: masks.shown(
                value,
                is_hidden=masks.mentions(written.get(key)),
                is_suspect=masks.suspects_in(written.get(key)),
            )
            for key, value in values.items()
        }
    )


def is_sensitive(
    masks: secret_masks.Masks,
    parsed_template: template.Template,
    key: str,
    value: object,
) -> bool:
    """Whether an output is sensitive, as a whole or in a part of its value."""
    written = _written_outputs(parsed_template).get(key)
    if flat_fields.is_secret(key) or masks.mentions(written):
        return True
    shown = masks.shown(
        value, is_hidden=False, is_suspect=masks.suspects_in(written)
    )
    return named.redact_in(shown) != world.visible_value(value)


def may_be_sensitive(
    masks: secret_masks.Masks, parsed_template: template.Template, key: str
) -> bool:
    """Whether an output may be sensitive, by its template alone."""
    written = _written_outputs(parsed_template).get(key)
    return (
        flat_fields.is_secret(key)
        or masks.mentions(written)
        or masks.suspects_in(written)
    )


def _written_outputs(parsed_template: template.Template) -> Values:
    """Return the outputs as the template declares them, by key."""
    section = parsed_template.raw.get(parsed_template.version.format.outputs)
    return section if isinstance(section, dict) else {}


def _generates_nothing(
    stack: stack.Stack, parsed_template: template.Template
) -> bool:
    """Whether no resource in the tree of a stack can generate a secret.

    While its template is not complete, resources of an earlier one may exist.
    """
    return (
        stack.parent_id is None
        and len(store.sources(stack)) == 1
        and not generated.may_make(parsed_template)
        and not any(
            parsed_template.is_nested_stack(name)
            for name in parsed_template.resources
        )
    )
