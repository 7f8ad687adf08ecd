"""Plan an operation from the rows, to run it or to preview it.

A preview shows what runs, because both plans come from here.
"""

import collections.abc
import dataclasses
import json
import typing

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import contents
from orch.db.repositories import events
from orch.db.repositories import resources
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.flow.state import adoptions
from orch.flow.state import planner_knowledge
from orch.model import adoption
from orch.model import breakpoints
from orch.model import event
from orch.model import operation
from orch.model import repair
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import snapshot
from orch.model import stack as stack_model
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import registry
from orch.template import template

SNAPSHOT: typing.Final = "snapshot_id"
"""Option of a restoration: the snapshot that the stack is restored to."""


class LoadTemplate(typing.Protocol):
    """Loads the template of a stored stack (``engine.stack_inputs``)."""

    def __call__(
        self, connection: db_engine.Connection, stack: stack_model.Stack
    ) -> template.Template:
        """Return the template of a stack, from its stored inputs."""


@dataclasses.dataclass(frozen=True, slots=True)
class Loaded:
    """All that the plan of an operation depends on.

    :ivar newest: the stack's newest event
    :ivar parsed_template: the template that the operation brings about, if any
    :ivar snapshots: for a deletion, those of the stack
    :ivar documents: what child stacks are adopted from, by name of the
        resource that holds each
    :ivar survey: the state of the physical resources; ``None`` to use the rows
    """

    stack: stack_model.Stack
    rows: collections.abc.Sequence[resource.Resource]
    newest: event.Event | None
    parsed_template: template.Template | None
    snapshots: tuple[snapshot.Snapshot, ...] = ()
    documents: adoptions.Documents = dataclasses.field(default_factory=dict)
    survey: surveys.Survey | None = None


class Surveyor(typing.Protocol):
    """Surveys physical resources before an update (``engine.observer``)."""

    def survey(
        self,
        stack: stack_model.Stack,
        requested_by: request.RequestContext,
        *,
        is_awaited: bool = False,
        only: repair.Repair | None = None,
    ) -> surveys.Survey:
        """Return a survey of a stack's and its children's resources.

        It blocks for the time that the calls take.

        :param is_awaited: a caller waits for the answer
        :param only: what alone is repaired; ``None`` for everything
        """


def load_operation(
    connection: db_engine.Connection,
    operation: operation.Operation,
    load_template: LoadTemplate,
) -> Loaded:
    """Return all that the plan of an operation depends on.

    :raises orch.errors.Invalid: the current plug-ins refuse the template
    """
    stack = stacks.get(connection, operation.stack_id)
    return Loaded(
        stack=stack,
        rows=resources.list_(connection, stack.id),
        newest=events.find_newest(connection, stack.id),
        parsed_template=_load_template(
            connection, stack, operation, load_template
        ),
        snapshots=_load_snapshots(connection, operation),
        documents=_load_documents(connection, operation),
    )


def build_plan(
    loaded: Loaded,
    operation: operation.Operation,
    types: registry.Types,
    *,
    shows_all: bool = False,
) -> plan.Plan:
    """Return the plan of an operation.

    :param shows_all: compare new resources too
    :raises orch.errors.OrchError: it cannot be planned
    """
    return builder.build_plan(
        draft.Situation(
            action=operation.action,
            desired=loaded.parsed_template.resources
            if loaded.parsed_template
            else {},
            existing=loaded.rows,
            known=_known(loaded, operation, types),
            operation_id=operation.id,
            shows_all=shows_all,
            snapshots=tuple(each.id for each in loaded.snapshots),
            exclusions=retry_exclusions.RetryExclusions.of(operation.options),
            abandons=bool(operation.options.get(adoption.ABANDONS)),
            releases=_releases(operation),
            adopts=frozenset(loaded.documents),
            needs_ids=bool(operation.options.get(adoption.NEEDS_IDS)),
            held=_held(loaded, operation),
            survey=loaded.survey,
        )
    )


def _held(loaded: Loaded, operation: operation.Operation) -> frozenset[str]:
    """Return the resources with a breakpoint before their update."""
    parsed_template = loaded.parsed_template
    if parsed_template is None or operation.action is not states.Action.UPDATE:
        return frozenset()
    return frozenset(
        name
        for name in parsed_template.resources
        if breakpoints.BEFORE_UPDATE in parsed_template.hooks(name)
    )


def _known(
    loaded: Loaded,
    operation: operation.Operation,
    types: registry.Types,
) -> planner_knowledge.PlannerKnowledge | None:
    """Return what the planner compares with; ``None`` for a removal of all."""
    if loaded.parsed_template is None:
        return None
    return planner_knowledge.PlannerKnowledge(
        loaded.parsed_template,
        types,
        loaded.stack,
        request.RequestContext.from_stored(operation.context),
    )


def _releases(operation: operation.Operation) -> ids.OperationId | None:
    """Return the operation whose adoptions this one undoes."""
    found = operation.options.get(adoption.RELEASES)
    return ids.OperationId(str(found)) if found else None


def _load_documents(
    connection: db_engine.Connection, operation: operation.Operation
) -> adoptions.Documents:
    """Return the documents that child stacks are adopted from."""
    content = operation.options.get(adoption.CHILD_STACKS)
    if content is None:
        return {}
    found: adoptions.Documents = json.loads(
        contents.get_text(connection, str(content))
    )
    return found


def _load_snapshots(
    connection: db_engine.Connection, operation: operation.Operation
) -> tuple[snapshot.Snapshot, ...]:
    """Return the snapshots that an operation removes."""
    if operation.action is states.Action.DELETE:
        return tuple(snapshots.list_(connection, operation.stack_id))
    return ()


def _load_template(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation.Operation,
    load_template: LoadTemplate,
) -> template.Template | None:
    if operation.template_hash is None or operation.environment_hash is None:
        return None
    return load_template(
        connection,
        dataclasses.replace(
            stack,
            template_hash=operation.template_hash,
            environment_hash=operation.environment_hash,
        ),
    )
