"""Which templates decide what is hidden in a plan of a stack."""

import dataclasses

from orch.engine import dependencies
from orch.engine.operations import masks
from orch.model import stack
from orch.template import template


def of(
    deps: dependencies.Dependencies,
    before: stack.Stack,
    bound: template.Template | None,
) -> masks.Masks:
    """Return the masks of a plan.

    What stands may come from the template in force, or from the one that
    was complete last.

    :param before: the stack as it is now
    :param bound: the template that is brought about, if any
    """
    found = deps.database.query(
        lambda connection: [
            deps.templates.find(connection, each) for each in _sources(before)
        ]
    )
    readable = [each for each in found if each is not None]
    if bound is not None:
        readable.append(bound)
    return masks.Masks(readable, is_blind=None in found)


def _sources(subject: stack.Stack) -> list[stack.Stack]:
    template_hash = subject.good_template_hash
    environment_hash = subject.good_environment_hash
    if not template_hash or not environment_hash:
        return [subject]
    good = dataclasses.replace(
        subject,
        template_hash=template_hash,
        environment_hash=environment_hash,
    )
    return [subject] if good == subject else [subject, good]
