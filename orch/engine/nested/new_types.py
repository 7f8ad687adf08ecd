"""Check the types of new resources of child stacks, before these change.

It is an early answer, so that nothing is left half done: the rows of the
resources are checked when they are made.
"""

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.template import template
from orch.template.resources import declaration


def check_types(
    parsed_template: template.Template, check_type: declaration.CheckType
) -> None:
    """Check the types of all resources of a new child stack.

    :raises orch.errors.Forbidden: who asks may not have one
    """
    for each in parsed_template.resources.values():
        each.check_types(check_type)


def check_new_types(
    connection: db_engine.Connection,
    stack_id: ids.StackId,
    parsed_template: template.Template,
    check_type: declaration.CheckType,
) -> None:
    """Check the types of the resources that a child stack does not have.

    Their rows are read only where a type is refused. A resource exists already
    if the type that serves it is the same: under another one it is a new
    resource, whatever name the template has for its type.

    :raises orch.errors.Forbidden: who asks may not have one
    """
    try:
        check_types(parsed_template, check_type)
    except errors.Forbidden:
        there = {
            row.name: row.plugin_type
            for row in resources.list_(connection, stack_id)
            if row.is_current
        }
        for name, each in parsed_template.resources.items():
            if there.get(name) != each.type_name:
                each.check_types(check_type)
