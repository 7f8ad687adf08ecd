"""Plan an operation from the rows, to run it or to preview it.

A preview shows what runs, because both plans come from here.
"""

import collections.abc
import dataclasses
import json
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import contents
from orch.db.repositories import events
from orch.db.repositories import resources
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.flow.state import child_snapshots
from orch.flow.state import contexts
from orch.model import adoption
from orch.model import breakpoints
from orch.model import converge
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
from orch.plugin import resource as plugin_resource
from orch.plugin import sensitivity
from orch.template import template
from orch.template import world

SNAPSHOT: typing.Final = "snapshot_id"
"""Option of a restoration: the snapshot that the stack is restored to."""


_MAX_NAMED: typing.Final = 5


LoadTemplate = collections.abc.Callable[
    [db_engine.Connection, stack_model.Stack], template.Template
]
"""Loads the template of a stack from its stored inputs."""


@dataclasses.dataclass(frozen=True, slots=True)
class Loaded:
    """All that the plan of an operation depends on.

    :ivar newest: the stack's newest event
    :ivar parsed_template: the template that the operation brings about, if any
    :ivar snapshots: for a deletion, those of the stack; for the retry of a
        snapshot, that one
    :ivar documents: what child stacks are adopted from, by name of the
        resource that holds each
    :ivar survey: the state of the physical resources; ``None`` to use the rows
    """

    stack: stack_model.Stack
    rows: collections.abc.Sequence[resource.Resource]
    newest: event.Event | None
    parsed_template: template.Template | None
    snapshots: tuple[snapshot.Snapshot, ...] = ()
    documents: adoption.Documents = dataclasses.field(default_factory=dict)
    survey: surveys.Survey | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class PlannerKnowledge:
    """A template with its inputs, and the resources of its stack."""

    parsed_template: template.Template
    types: registry.Types
    stack: stack_model.Stack
    requested_by: request.RequestContext

    def plugin(self, type_name: str) -> plugin_resource.Resource:
        """Return the plug-in of a type.

        :raises orch.errors.NotFound: no plug-in serves it
        """
        return self.types.get(type_name)

    def properties(
        self, name: str, world_view: world.World
    ) -> collections.abc.Mapping[str, object]:
        """Return the desired properties, unknown parts marked.

        :raises orch.errors.OrchError: a value is wrong
        """
        return self.parsed_template.resolve_properties(
            name, world_view, marks_unknown=True
        )

    def metadata(
        self, name: str, world_view: world.World
    ) -> collections.abc.Mapping[str, object] | world.Unknown:
        """Return the desired metadata, or that it is not known yet.

        :raises orch.errors.OrchError: a function failed
        """
        try:
            return self.parsed_template.resolve_metadata(name, world_view)
        except world.NotYetKnown:
            return world.UNKNOWN

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that the template reads of a resource."""
        return self.parsed_template.attributes_read(name)

    def is_sensitive(
        self, row: resource.Resource, attribute: str | None, value: object
    ) -> bool:
        """Whether what was read of an incarnation is sensitive."""
        return sensitivity.is_row_sensitive(
            self.types.find(row.plugin_type), row, attribute, value
        )

    def reference_id(self, row: resource.Resource) -> object:
        """Return what ``get_resource`` returns of an incarnation."""
        plugin = self.types.get(row.plugin_type)
        return plugin.reference_id(
            contexts.build_context(self.stack, row, self.requested_by)
        )


class NotRead(errors.Conflict):
    """A strict operation could not read all that it depends on.

    Nothing was changed.
    """

    code = "orch.converge.not_read"


def check_read(operation: operation.Operation, loaded: Loaded) -> None:
    """Raise NotRead if an operation is strict, and its survey has gaps.

    :raises NotRead: physical resources could not be read
    """
    if loaded.survey is None or not converge.is_strict(operation):
        return
    unread = loaded.survey.unread
    if not unread:
        return
    own = [row for row in loaded.rows if row.id in unread]
    said = [
        f"{row.name}: {unread[row.id]}"
        for row in sorted(own, key=lambda each: each.name)[:_MAX_NAMED]
    ]
    if len(unread) > len(said):
        said.append(f"{len(unread) - len(said)} more")
    raise NotRead(
        "Nothing was changed, as the update is strict and these physical"
        f" resources cannot be read: {'; '.join(said)}. Try again later, or"
        " update without strict."
    )


def needs_survey(operation: operation.Operation, loaded: Loaded) -> bool:
    """Whether physical resources are read before an operation is planned.

    Each that has failed a check is checked again before it is replaced.
    """
    return converge.is_convergence_requested(operation) or (
        operation.action in states.BRINGING_ABOUT
        and any(row.has_failed_check for row in loaded.rows)
    )


class Surveyor(typing.Protocol):
    """Surveys physical resources before an update (``engine.observer``)."""

    def survey(
        self,
        stack: stack_model.Stack,
        requested_by: request.RequestContext,
        *,
        is_awaited: bool = False,
        only: repair.Repair | None = None,
        converges: bool = True,
    ) -> surveys.Survey:
        """Return a survey of a stack's and its children's resources.

        It blocks for the time that the calls take.

        :param is_awaited: a caller waits for the answer
        :param only: what alone is repaired; ``None`` for everything
        :param converges: false to read only what has failed a check
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
        documents=load_documents(connection, operation),
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
    parsed_template = loaded.parsed_template
    known = None
    if parsed_template is not None:
        known = PlannerKnowledge(
            parsed_template,
            types,
            loaded.stack,
            request.RequestContext.from_stored(operation.context),
        )
    return builder.build_plan(
        draft.Situation(
            action=operation.action,
            desired=parsed_template.resources if parsed_template else {},
            existing=(
                loaded.rows
                if loaded.survey is None
                else [loaded.survey.judge(row) for row in loaded.rows]
            ),
            known=known,
            operation_id=operation.id,
            shows_all=shows_all,
            snapshots=tuple(each.id for each in loaded.snapshots),
            exclusions=_exclusions(loaded, operation),
            abandons=bool(operation.options.get(adoption.ABANDONS)),
            releases=_releases(operation),
            adopts=frozenset(loaded.documents),
            needs_ids=bool(operation.options.get(adoption.NEEDS_IDS)),
            held=_held(loaded, operation),
            survey=loaded.survey,
        )
    )


def _exclusions(
    loaded: Loaded, operation: operation.Operation
) -> retry_exclusions.RetryExclusions:
    """Return the retry exclusions of an operation.

    Where no resource of the stack is to remain, a skipped resource is left in
    place as an orphan is.
    """
    found = retry_exclusions.RetryExclusions.of(operation.options)
    if loaded.parsed_template is not None:
        return found
    skipped = {
        row.id
        for row in loaded.rows
        if row.name in found.skip and not row.is_complete
    }
    return dataclasses.replace(found, orphaned=found.orphaned | skipped)


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


def _releases(operation: operation.Operation) -> ids.OperationId | None:
    """Return the operation whose adoptions this one undoes."""
    found = operation.options.get(adoption.RELEASES)
    return ids.OperationId(str(found)) if found else None


def load_documents(
    connection: db_engine.Connection, operation: operation.Operation
) -> adoption.Documents:
    """Return the documents that child stacks are adopted from."""
    content = operation.options.get(adoption.CHILD_STACKS)
    if content is None:
        return {}
    found: adoption.Documents = json.loads(
        contents.get_text(connection, str(content))
    )
    return found


def _load_snapshots(
    connection: db_engine.Connection, operation: operation.Operation
) -> tuple[snapshot.Snapshot, ...]:
    """Return the snapshots that an operation removes, or takes once more."""
    if operation.action is states.Action.DELETE:
        return tuple(child_snapshots.list_own(connection, operation.stack_id))
    if operation.action is states.Action.SNAPSHOT and operation.attempt > 1:
        found = snapshots.find(connection, operation.id)
        return (found,) if found is not None else ()
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
