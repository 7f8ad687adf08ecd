"""Plan an operation on a stack with its child stacks, before it runs."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch import ids
from orch.context import deadline
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import misfits
from orch.engine import ownership
from orch.engine import plugin_reads
from orch.engine.acceptance import permissions
from orch.engine.execution import planning
from orch.engine.nested import stack_type
from orch.engine.plan_tree import adoption_check
from orch.engine.plan_tree import rendering
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import store
from orch.flow.state import contexts
from orch.model import adoption
from orch.model import converge
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.rpc import contract
from orch.template import inputs
from orch.template import resource_count
from orch.template import template
from orch.template import world
from orch.template.resources import declaration


def with_survey(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    loaded: planning.Loaded,
    operation: operation_model.Operation,
) -> planning.Loaded:
    """Return the input of a plan with a survey, if the operation needs one.

    Call it outside of transactions: services may be called.

    :param operation: the operation; without convergence only what has failed
        a check is read
    """
    if deps.surveyor is None or operation.action not in states.BRINGING_ABOUT:
        return loaded
    found = deps.surveyor.survey(
        loaded.stack,
        ctxt,
        is_awaited=True,
        converges=converge.is_convergence_requested(operation),
    )
    return dataclasses.replace(loaded, survey=found)


Rows = collections.abc.Mapping[
    ids.StackId, collections.abc.Sequence[resource.Resource]
]
"""Resources of child stacks that replace the stored ones in a plan."""

_ACTIONS: typing.Final = {
    plan.Kind.CREATE: states.Action.CREATE,
    plan.Kind.ADOPT: states.Action.ADOPT,
    plan.Kind.UPDATE: states.Action.UPDATE,
    plan.Kind.CHECK: states.Action.CHECK,
    plan.Kind.SUSPEND: states.Action.SUSPEND,
    plan.Kind.RESUME: states.Action.RESUME,
    plan.Kind.SNAPSHOT: states.Action.SNAPSHOT,
    plan.Kind.DELETE: states.Action.DELETE,
}
"""The action of a child stack for each kind of change of its resource."""

_BRINGING: typing.Final = frozenset(
    {plan.Kind.CREATE, plan.Kind.ADOPT, plan.Kind.UPDATE}
)


_GROWING: typing.Final = frozenset(
    {_ACTIONS[kind] for kind in _BRINGING} | {states.Action.RESTORE}
)
"""The actions that may add resources to a tree."""


def plan_tree(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    loaded: planning.Loaded,
    operation: operation_model.Operation,
    redacts: redaction.Redaction,
    reads: plugin_reads.ReadBudget | None = None,
    rows: Rows | None = None,
    count: resource_count.ResourceCount | None = None,
    planned: plan.Plan | None = None,
) -> "PlannedStack":
    """Return a plan with the plans of child stacks, at all depths.

    :param loaded: the input of the plan
    :param redacts: redacts sensitive values
    :param reads: time that is left to read resources that are adopted
    :param rows: resources of child stacks that differ from the stored ones
    :param count: of the resources that the planned stacks are to have
    :param planned: the plan of the stack itself, where it is built already
    :raises orch.template.errors.TooLarge: with those of all levels they are
        too many
    """
    reads = reads or deps.reads.begin()
    count = count or resource_count.ResourceCount(deps.limits.resources)
    # Whatever brings nothing new may have any size.
    if loaded.parsed_template and operation.action in _GROWING:
        count.add(len(loaded.parsed_template.resources))
    if planned is None:
        types = deps.types_of(
            loaded.stack, loaded.parsed_template, ctxt, loaded.rows
        )
        planned = planning.build_plan(loaded, operation, types, shows_all=True)
    planned = adoption_check.check_adoptions(
        deps, ctxt, planned, loaded, operation, reads
    )
    children = ChildPlans(
        deps,
        ctxt,
        planned,
        loaded,
        operation,
        redacts,
        reads,
        rows or {},
        count,
    )
    idle = [each for each in planned.changes if children.is_idle(each)]
    return PlannedStack(
        plan.without_changes(planned, idle),
        loaded,
        operation,
        redacts,
        children,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class PlannedStack:
    """A plan, with its input and the plans of its child stacks.

    :ivar redacts: redacts sensitive values
    :ivar children: the plans of the child stacks
    """

    planned: plan.Plan
    loaded: planning.Loaded
    operation: operation_model.Operation
    redacts: redaction.Redaction
    children: "ChildPlans"

    def shown(self) -> contract.PlanFacts:
        """Return the plan as the API shows it, with those of child stacks."""
        return rendering.plan_facts(
            self.planned,
            self.loaded,
            self.operation.action.value,
            self.redacts,
            self.children.of,
            [*_not_read(self), *adoption.list_unused(self.operation.options)],
        )


def _not_read(stack: PlannedStack) -> list[str]:
    """Return why the operation will fail, as it is strict."""
    try:
        planning.check_read(stack.operation, stack.loaded)
    except planning.NotRead as error:
        return [stack.redacts.text(f"The update will fail. {error.message}")]
    return []


class ChildPlans:
    """The plans of one stack's child stacks, each built once."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        planned: plan.Plan,
        loaded: planning.Loaded,
        operation: operation_model.Operation,
        redacts: redaction.Redaction,
        reads: plugin_reads.ReadBudget,
        others: Rows,
        count: resource_count.ResourceCount,
    ) -> None:
        self._deps = deps
        self._ctxt = ctxt
        self._planned = planned
        self._loaded = loaded
        self._operation = operation
        self._redacts = redacts
        self._reads = reads
        self._others = others
        self._count = count
        self._rows = {row.id: row for row in loaded.rows}
        self._found: dict[str, PlannedStack | None] = {}
        self._types = deps.types_of(
            loaded.stack, loaded.parsed_template, ctxt, loaded.rows
        )

    def of(self, change: plan.Change) -> contract.PlanFacts | None:
        """Return the child plan of a change, as the API shows it.

        :returns: ``None`` as :meth:`find` does
        """
        found = self.find(change)
        return found.shown() if found else None

    def find(self, change: plan.Change) -> PlannedStack | None:
        """Return the child plan of a change.

        :returns: ``None`` when the resource has no child stack, or when its
            values are not known before the run
        """
        if change.key not in self._found:
            self._found[change.key] = self._find(change)
        return self._found[change.key]

    def is_idle(self, change: plan.Change) -> bool:
        """Whether a change has no effect on any physical resource.

        A resource is in its desired state already; or a child stack is only
        visited, and none of its drifted resources is to be changed.
        """
        if change.notes_only:
            return True
        survey = self._loaded.survey
        if survey is None or change.resource_id not in survey.drifted_stacks:
            return False
        if change.kind is not plan.Kind.UPDATE or change.changed:
            return False
        below = self.find(change) if change.is_certain else None
        return below is not None and not below.planned.changes

    @staticmethod
    def is_bringing(change: plan.Change) -> bool:
        """Whether a change brings its resource to its desired state."""
        return change.kind in _BRINGING

    def find_inputs(self, change: plan.Change) -> inputs.Inputs | None:
        """Return the inputs of the child stack of a changed resource.

        :returns: ``None`` when the resource has no child stack, or the inputs
            are not known yet
        :raises orch.errors.Invalid: the desired state is not possible
        """
        plugin = self._plugin(change)
        context = self._context_of(change)
        if plugin is None or context is None:
            return None
        return plugin.foresee_inputs(
            context, self._loaded.documents.get(change.name)
        )

    def _find(self, change: plan.Change) -> PlannedStack | None:
        deadline.check()
        action = _ACTIONS.get(change.kind)
        if action is None:
            return None
        plugin = self._plugin(change)
        if plugin is None:
            return None
        found = self._deps.database.query(
            lambda connection: _find_child(
                connection, change, self._deps.templates.find
            )
        )
        parsed_template = None
        if change.kind in _BRINGING:
            try:
                parsed_template = self._find_template(change, plugin)
            except (nested_stack.PausesTooLong, errors.LimitExceeded):
                raise
            except errors.Invalid:
                # It will fail, and then say why.
                return None
            if parsed_template is None:
                return None
        elif found.stack is None:
            return None
        return self._plan(change, action, found, parsed_template)

    def _plugin(self, change: plan.Change) -> stack_type.StackType | None:
        row = self._rows.get(change.resource_id)
        type_name = change.type_name
        if row is not None:
            type_name = row.plugin_type
        elif self._loaded.parsed_template is not None:
            type_name = self._loaded.parsed_template.resources[
                change.name
            ].type_name
        found = self._types.find(type_name)
        return found if isinstance(found, stack_type.StackType) else None

    def _find_template(
        self, change: plan.Change, plugin: stack_type.StackType
    ) -> template.Template | None:
        """Return the template that the child stack is to have.

        :returns: ``None`` while it depends on values that are not known yet
        :raises orch.errors.Invalid: the desired state is not possible
        """
        context = self._context_of(change)
        if context is None:
            return None
        row = self._rows.get(change.resource_id)
        is_begun = row is not None and row.physical_id is not None
        documents = {} if is_begun else self._loaded.documents
        return plugin.foresee(context, documents.get(change.name))

    def _context_of(self, change: plan.Change) -> call_context.Context | None:
        """Return the call context of a resource, with its desired properties.

        :returns: ``None`` while one depends on values that are not known yet
        """
        difference = self._planned.differences.get(change.name)
        row = self._rows.get(change.resource_id)
        properties = row.properties if row else {}
        if difference is not None:
            properties = difference.after or {}
        if world.has_unknown(dict(properties)):
            return None
        return self._context(change, row, properties)

    def _context(
        self,
        change: plan.Change,
        row: resource.Resource | None,
        properties: collections.abc.Mapping[str, object],
    ) -> call_context.Context:
        now = self._deps.clock.now()
        if row is None:
            row = resource.Resource(
                id=change.resource_id,
                stack_id=self._loaded.stack.id,
                name=change.name,
                type_name=change.type_name,
                created_at=now,
                updated_at=now,
            )
        return dataclasses.replace(
            contexts.build_context(self._loaded.stack, row, self._ctxt),
            properties=properties,
        )

    def _plan(
        self,
        change: plan.Change,
        action: states.Action,
        found: "_ChildRows",
        parsed_template: template.Template | None,
    ) -> PlannedStack:
        stack = found.stack or dataclasses.replace(
            self._loaded.stack, id=ids.StackId(change.resource_id)
        )
        operation = dataclasses.replace(
            self._operation,
            stack_id=stack.id,
            action=action,
            options=self._options(action),
        )
        rows = self._others.get(stack.id, found.rows)
        loaded = planning.Loaded(
            stack, rows, None, parsed_template, survey=self._loaded.survey
        )
        document = self._loaded.documents.get(change.name)
        given = self._operation.options.get(adoption.CORRECTS)
        is_given = found.stack is None or (
            isinstance(given, list) and change.name in given
        )
        if document is not None and parsed_template is not None and is_given:
            loaded, operation = _adopted(
                loaded,
                operation,
                parsed_template,
                document,
                permissions.type_check(self._deps, self._ctxt),
            )
        texts = (
            tree_secrets.of_parameters(each)
            for each in (*found.templates, parsed_template)
            if each is not None
        )
        redacts = self._redacts.extended(frozenset().union(*texts))
        return plan_tree(
            self._deps,
            self._ctxt,
            loaded,
            operation,
            redacts,
            self._reads,
            self._others,
            self._count,
        )

    def _options(self, action: states.Action) -> dict[str, object]:
        """Return the options of a child stack's adoption."""
        if action is not states.Action.ADOPT:
            return {}
        given = self._operation.options
        return {key: given[key] for key in adoption.PASSED_ON if key in given}


def _adopted(
    loaded: planning.Loaded,
    operation: operation_model.Operation,
    parsed_template: template.Template,
    document: collections.abc.Mapping[str, object],
    check_type: declaration.CheckType,
) -> tuple[planning.Loaded, operation_model.Operation]:
    """Return a child stack as it is once its adoption is accepted.

    :returns: the stack, and its operation with what does not fit
    :raises orch.errors.Forbidden: the caller may not have a type of it
    :raises orch.engine.misfits.Mismatched: entries do not fit its template,
        and are to be refused
    """
    declared = parsed_template.resources
    entries = adoption.parse_document(document, needs_template=False).entries
    unfit = misfits.find_misfits(declared, entries, operation.options)
    adopted = ownership.rows_of(operation, declared, entries, check_type)
    current = {row.name: row for row in loaded.rows if row.is_current}
    rows = {row.id: row for row in loaded.rows}
    for row in adopted:
        before = current.get(row.name)
        if before is not None:
            row = dataclasses.replace(row, id=before.id)
        rows[row.id] = row
    return (
        dataclasses.replace(
            loaded,
            rows=tuple(rows.values()),
            documents=ownership.documents_of(declared, entries),
        ),
        ownership.with_options(operation, unfit.to_options()),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _ChildRows:
    """The stored state of a child stack.

    :ivar templates: those that its resources may be from; ``None`` for one
        that cannot be read
    """

    stack: stack_model.Stack | None
    rows: list[resource.Resource]
    templates: list[template.Template | None]


def _find_child(
    connection: db_engine.Connection,
    change: plan.Change,
    find: tree_secrets.Find,
) -> _ChildRows:
    stack = stacks.find(connection, ids.StackId(change.resource_id))
    if stack is None or stack.deleted_at is not None:
        return _ChildRows(None, [], [])
    return _ChildRows(
        stack,
        resources.list_(connection, stack.id),
        [find(connection, each) for each in store.sources(stack)],
    )
