"""Operations of child stacks, as operations of a parent request them.

How they are built, and how it is seen later who requested one.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.context import request
from orch.model import adoption
from orch.model import converge
from orch.model import operation as operation_model
from orch.model import repair
from orch.model import retry_exclusions
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.template import inputs as template_inputs
from orch.template import template

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class ChildRequest:
    """The desired state of a child stack.

    :ivar operation: the operation that creates or changes it
    :ivar inputs: what its template is made of
    :ivar parsed_template: its template
    :ivar timeout_s: how long its operations may take from now on; ``None`` to
        leave it, or to take that of the parent
    """

    context: call_context.Context
    operation: operation_model.Operation
    inputs: template_inputs.Inputs
    parsed_template: template.Template
    timeout_s: int | None = None


_ORIGIN: typing.Final = "origin"
"""Option of a child operation: the id of the outermost operation."""


DATA: typing.Final = "holder_data"
"""Option of a child operation: data of the resource that has the stack."""


SNAPSHOT: typing.Final = "child_snapshot_id"
"""Key in the data of a snapshot: the id of the child stack's snapshot."""


_PASSED_ON: typing.Final = (
    "keep_going",
    converge.OPTION,
    repair.OPTION,
    *adoption.PASSED_ON,
)
"""Options of a parent's operation that apply to those of its children."""


MAX_NAME_CHARACTERS: typing.Final = 255
"""Of a child stack."""


def operation_of(
    parent: operation_model.Operation,
    around: stack.Stack,
    context: call_context.Context,
    action: states.Action,
    clock_: clock.Clock,
    more: Values | None = None,
) -> operation_model.Operation:
    """Return the child operation that an operation of the parent needs.

    :param around: the parent stack
    :param more: further options
    """
    options: dict[str, object] = {
        key: parent.options[key] for key in _PASSED_ON if key in parent.options
    }
    options |= exclusions_below(parent, context.name).to_options()
    options[operation_model.WITHIN] = [parent.id, parent.attempt]
    options[_ORIGIN] = origin_of(parent)
    options.update(more or {})
    return operation_model.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=ids.StackId(context.token),
        project_id=around.project_id,
        action=action,
        state=states.OperationState.WAITING,
        depth=around.depth + 1,
        options=options,
        context=parent.context,
        created_at=clock_.now(),
    )


def free_operation(
    around: stack.Stack,
    context: call_context.Context,
    requested_by: request.RequestContext,
    clock_: clock.Clock,
) -> operation_model.Operation:
    """Return an update of a child stack without an operation of the parent."""
    return operation_model.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=ids.StackId(context.token),
        project_id=around.project_id,
        action=states.Action.UPDATE,
        state=states.OperationState.WAITING,
        depth=around.depth + 1,
        context=requested_by.to_stored(),
        created_at=clock_.now(),
    )


def exclusions_below(
    parent: operation_model.Operation, name: str
) -> retry_exclusions.RetryExclusions:
    """Return the exclusions that the child stack of a resource inherits."""
    return retry_exclusions.RetryExclusions.of(parent.options).below(name)


def is_requested_by(
    operation: operation_model.Operation,
    parent: operation_model.Operation,
    name: str,
) -> bool:
    """Whether this attempt of a parent's operation requested an operation.

    One that an earlier attempt requested, and that completed with retry
    exclusions, counts for all attempts of the outermost operation that do not
    exclude anything else.

    :param name: of the resource that the child stack is
    """
    within = operation.options.get(operation_model.WITHIN)
    if within == [parent.id, parent.attempt]:
        return True
    mine = retry_exclusions.RetryExclusions.of(operation.options)
    return (
        operation.state is states.OperationState.COMPLETE
        and mine != retry_exclusions.NOTHING
        and mine.extended(exclusions_below(parent, name)) == mine
        and origin_of(operation) == origin_of(parent)
    )


def is_within(
    operation: operation_model.Operation, parent_id: ids.OperationId
) -> bool:
    """Whether any attempt of a parent's operation requested an operation."""
    within = operation.options.get(operation_model.WITHIN)
    return isinstance(within, list) and within[0] == parent_id


def is_shortened(operation: operation_model.Operation) -> bool:
    """Whether an operation has retry exclusions."""
    return (
        retry_exclusions.RetryExclusions.of(operation.options)
        != retry_exclusions.NOTHING
    )


def origin_of(operation: operation_model.Operation) -> str:
    """Return the id of the outermost operation."""
    return str(operation.options.get(_ORIGIN, operation.id))


def holder_data_of(operation: operation_model.Operation) -> Values:
    """Return the data that the resource stored with the operation."""
    found = operation.options.get(DATA)
    return found if isinstance(found, dict) else {}
