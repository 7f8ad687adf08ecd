"""A stack that nobody has made, as plug-ins may look at it."""

import dataclasses

from orch import clock
from orch import ids
from orch.context import request
from orch.flow import contexts
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import acts
from orch.template import identity
from orch.template import template
from orch.template import world


class World(world.EmptyWorld):
    """The world before anything was made, as a preview shows it.

    A resource without an id is referred to by its name.
    """

    def reference_id(self, name: str) -> object:
        """Return the name."""
        return name


def stack_of(clock_: clock.Clock, who: identity.Identity) -> stack.Stack:
    """Return a stack that nobody has made."""
    return stack.Stack(
        id=ids.StackId(who.stack_id),
        root_id=ids.StackId(who.stack_id),
        project_id=who.project_id,
        name=who.stack_name,
        action=states.Action.CREATE,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash="",
        environment_hash="",
        created_at=clock_.now(),
    )


def context_of(
    ctxt: request.RequestContext,
    subject: stack.Stack,
    bound: template.Template,
    name: str,
    values: dict[str, object],
) -> acts.Context:
    """Return what a plug-in may know of a resource of such a stack.

    :param values: its properties
    """
    row = resource.Resource(
        id=ids.ResourceId(ids.new()),
        stack_id=subject.id,
        name=name,
        type_name=bound.resources[name].type_name,
        created_at=subject.created_at,
        updated_at=subject.created_at,
    )
    return dataclasses.replace(
        contexts.context_of(subject, row, ctxt), properties=values
    )
