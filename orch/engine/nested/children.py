"""The child stacks of one stack: current state and desired state."""

import collections.abc
import contextlib
import dataclasses
import functools
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import plugin_reads
from orch.engine.execution import planning
from orch.engine.nested import accept
from orch.engine.nested import child_marks
from orch.engine.nested import child_requests
from orch.engine.nested import child_rows
from orch.engine.nested import child_snapshots
from orch.engine.nested import child_view as views
from orch.engine.nested import stages
from orch.engine.nested import tree_size
from orch.engine.stack_inputs import store
from orch.engine.stack_inputs import template_cache
from orch.events import scaling
from orch.flow.state import contexts
from orch.model import lease
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import registry
from orch.plugin import signals
from orch.policies import enforcer
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template.environment import installation
from orch.template.resources import declaration
from orch.template.resources import nested_type

Values = collections.abc.Mapping[str, object]
Wake = collections.abc.Callable[
    [collections.abc.Sequence[ids.OperationId]], None
]
Serve = collections.abc.Callable[["ChildStacks"], registry.Types]


class LocalRunner(typing.Protocol):
    """Runs operations of child stacks that this worker itself accepts."""

    def offer(self) -> tuple[lease.Taken, int]:
        """Return the lease for operations, and how many it takes at most."""

    def take(
        self,
        operation: operation.Operation,
        loaded: planning.Loaded,
        since: float,
    ) -> None:
        """Run an operation that is accepted under that lease.

        :param since: monotonic seconds, from before it was accepted
        """


FindLocalRunner = collections.abc.Callable[[], LocalRunner | None]


def _no_local_runner() -> None:
    """Return none: any worker may claim the operation."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NestedContext:
    """What the child stacks of a worker share.

    :ivar types: the installed ones
    :ivar serve: finds the types of one stack, those of child stacks too
    :ivar wake: notifies workers of waiting operations
    :ivar rules: which caller may have which types
    :ivar refused: attempts of operations whose trees would become too large
    :ivar find_taker: finds the runner of operations that this worker accepts
    """

    database: db_engine.Database
    types: registry.Types
    templates: template_cache.TemplateCache
    limits: template_inputs.Limits
    clock: clock.Clock
    serve: Serve
    wake: Wake
    reads: plugin_reads.PluginReads
    rules: enforcer.Enforcer
    refused: tree_size.RefusedAttempts = dataclasses.field(
        default_factory=tree_size.RefusedAttempts
    )
    find_taker: FindLocalRunner = _no_local_runner
    installed: installation.Installation = installation.NO_INSTALLATION


@dataclasses.dataclass(frozen=True, slots=True)
class ResizedGroup:
    """A group with a new size, and the operation that resizes it.

    :ivar stack: its stack
    :ivar data: the data that its resource stores from now on
    """

    stack: stack_model.Stack
    operation_id: ids.OperationId
    data: Values


class ChildStacks:
    """The child stacks of one stack, to read and to plan.

    :ivar children: reads the existing ones
    """

    def __init__(
        self,
        around: NestedContext,
        stack: stack_model.Stack,
        parsed_template: template.Template | None,
        *,
        rows: collections.abc.Iterable[model_resource.Resource] = (),
        requested_by: request.RequestContext,
    ) -> None:
        """Prepare to read the child stacks of a stack.

        :param parsed_template: the template that it is to have; ``None`` where
            no resource is to remain, or where it is only read
        :param rows: its resources, where a plan is built of them
        """
        self.children = child_rows.ChildRows(around.database, stack.id)
        self._around = around
        self._stack = stack
        self._parsed_template = parsed_template
        self._rows = {row.id: row for row in rows}
        self._requested_by = requested_by
        self._check_type = functools.partial(
            around.rules.check_type, requested_by
        )

    @property
    def installed_types(self) -> registry.Types:
        """The types that do not depend on a stack."""
        return self._around.types

    def nested_type(self, type_name: str) -> nested_type.NestedType | None:
        """Return the nested type of that name in the parent's template."""
        return (
            self._parsed_template.nested_type(type_name)
            if self._parsed_template
            else None
        )

    def goes_back(self, name: str) -> bool:
        """Whether a child stack is to be restored from a snapshot."""
        return False

    def is_done(self, found: stack_model.Stack) -> bool:
        """Whether a child stack needs no further operation.

        So it is when a user completed it with retry exclusions.
        """
        return False

    def view(self, context: call_context.Context) -> views.StoredView:
        """Return the read view of a child stack.

        :raises orch.errors.NotFound: there is no such stack
        """
        around = self._around

        def look(
            connection: db_engine.Connection,
        ) -> tuple[stack_model.Stack, template.Template]:
            stack = stacks.get(connection, ids.StackId(context.token))
            return stack, around.templates.load(connection, stack)

        stack, parsed_template = around.database.query(look)
        return views.StoredView(
            around.database,
            stack,
            parsed_template,
            self.types_of(stack, parsed_template),
            self._requested_by,
            around.reads.begin(),
        )

    def is_other(
        self,
        plugin: nested_stack.NestedStackResource,
        name: str,
        physical_id: str | None,
        properties: Values,
        metadata: Values,
    ) -> bool:
        """Whether a child stack differs from its desired state.

        :param properties: the desired properties of its resource
        """
        if self.goes_back(name) or plugin.fetches_definition:
            return True
        found = self.children.find_settled(physical_id or "")
        row = self._rows.get(ids.ResourceId(physical_id or ""))
        if found is None or row is None or found.deleted_at is not None:
            return True
        if found.status is not states.Status.COMPLETE:
            return True
        if self.children.is_unsound(found) and not self.is_done(found):
            return True
        context = dataclasses.replace(
            contexts.build_context(self._stack, row, self._requested_by),
            properties=properties,
            metadata=metadata,
        )
        stage = self._stages(plugin, context)[0]
        try:
            wanted = self._hashes(
                context, self._inputs(plugin, context, stage)
            )
        except errors.Invalid:
            return True
        is_same = wanted == (found.template_hash, found.environment_hash)
        return not (is_same and self.children.is_as_declared(found))

    def is_derived(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        document: Values,
        found: stack_model.Stack,
    ) -> bool:
        """Whether adoption from a document gives a child stack its inputs."""
        if plugin.fetches_definition:
            return False
        try:
            inputs = self.foresee_inputs(plugin, context, document)
            wanted = self._hashes(context, inputs)
        except errors.OrchError:
            return False
        return wanted == (found.template_hash, found.environment_hash)

    def foresee(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        document: Values | None = None,
    ) -> template.Template:
        """Return the template that a child stack is to have in the end.

        :param document: the document that it is adopted from, if any
        :raises orch.plugin.nested_stack.PausesTooLong: the pauses take longer
            than the timeout
        :raises orch.errors.Invalid: the desired state is not possible
        """
        return self._load(
            context, self.foresee_inputs(plugin, context, document)
        )

    def foresee_inputs(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        document: Values | None = None,
    ) -> template_inputs.Inputs:
        """Return the inputs of the template that :meth:`foresee` returns.

        :raises orch.plugin.nested_stack.PausesTooLong: the pauses take longer
            than the timeout
        :raises orch.errors.Invalid: the desired state is not possible
        """
        if document is None:
            members = self._members(plugin, context)
            data = plugin.data_of(context, members)
            context = dataclasses.replace(context, data=data)
            stage = self._stages(plugin, context, members)[-1]
            stages.check_pauses(self._stack, stage)
        else:
            _, stage = self._adopted(plugin, context, document)
        return self._inputs(plugin, context, stage)

    def _adopted(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        document: Values | None,
    ) -> tuple[Values, nested_stack.Stage]:
        """Return the data and the only stage of a stack that is adopted.

        :param document: the document that it is adopted from; ``None`` where
            the stack exists
        :returns: the data that its resource stores, and the stage
        """
        members = self._members(plugin, context)
        if plugin.needs_members and document is not None:
            members = child_rows.members_of_document(document)
        data = plugin.adopted_data(context, members)
        context = dataclasses.replace(context, data=data)
        return data, self._stages(plugin, context, members)[-1]

    def types_of(
        self,
        stack: stack_model.Stack,
        parsed_template: template.Template | None,
        rows: collections.abc.Iterable[model_resource.Resource] = (),
    ) -> registry.Types:
        """Return the types of another stack of the tree, which is only read.

        :param rows: its resources, where its size is computed
        """
        return self._around.serve(
            ChildStacks(
                self._around,
                stack,
                parsed_template,
                rows=rows,
                requested_by=self._requested_by,
            )
        )

    @functools.cached_property
    def snapshots(self) -> child_snapshots.ChildSnapshots:
        """The snapshots of child stacks."""
        return child_snapshots.ChildSnapshots(
            self._around.database,
            self._around.templates,
            self.types_of,
            self._requested_by,
        )

    def resize(
        self,
        connection: db_engine.Connection,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        request: signals.Resize,
        requested_by: request.RequestContext,
    ) -> ResizedGroup | None:
        """Accept the resize of a group, without an operation of the parent.

        :returns: ``None`` when its size does not change
        :raises orch.errors.OrchError: it cannot have that size
        """
        members = self._members(plugin, context)
        data = plugin.resized(context, members, request)
        if data is None:
            return None
        before = context.data
        context = dataclasses.replace(context, data=data)
        inputs = self._inputs(
            plugin, context, self._stages(plugin, context)[-1]
        )
        loaded = self._load(context, inputs)
        loaded.validate(declaration.check_with_rows)
        operation = child_requests.free_operation(
            self._stack, context, requested_by, self._around.clock
        )
        standing = [
            each for each in members if each.definition and not each.is_failed
        ]
        options = scaling.options_of(
            self._stack,
            operation,
            request,
            plugin.reference_id(context),
            (len(standing), len(loaded.resources)),
            (before, data),
        )
        stack, operation_id = accept.accept_change(
            connection,
            dataclasses.replace(operation, options=options),
            self._stack,
            context,
            inputs,
            loaded,
            self._around.limits,
            self._around.types,
            self._check_type,
        )
        return ResizedGroup(stack, operation_id, data)

    def _stages(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member] | None = None,
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the stages to the desired state.

        :param members: of the child stack; ``None`` for the existing ones
        """
        assert self._parsed_template is not None, "nothing is to be left"
        if members is None:
            members = self._members(plugin, context)
        context = dataclasses.replace(
            context,
            update_policy=self._parsed_template.resources[
                context.name
            ].update_policy,
            referred=self._find_referred(plugin, context),
        )
        return plugin.stages(context, members)

    def _find_referred(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
    ) -> call_context.ReferredResource | None:
        """Return the sibling resource that a resource refers to."""
        if plugin.refers_to is None:
            return None
        rows = self._around.database.query(
            lambda connection: resources.list_(connection, self._stack.id)
        )
        wanted = context.properties.get(plugin.refers_to)
        return contexts.find_resource(
            self._stack, wanted, rows, self._around.types
        )

    def _members(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
    ) -> collections.abc.Sequence[nested_stack.Member]:
        if (
            not plugin.needs_members
            or self.children.find(context.token) is None
        ):
            return ()
        return self.view(context).members

    def _inputs(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        stage: nested_stack.Stage,
    ) -> template_inputs.Inputs:
        assert self._parsed_template is not None, "nothing is to be left"
        found = self._parsed_template.nested_inputs(
            context.name, stage.parameters, context.metadata, stage.template
        )
        referred = self._find_referred(plugin, context)
        found = child_marks.mark_inputs(
            found,
            context.properties,
            context.metadata,
            referred.properties if referred else {},
            is_file=not plugin.writes_template,
        )
        if not stages.lacks_files(stage, found.files):
            return found
        if self.children.find(context.token) is None:
            return found
        # Members whose turn comes later still need the files of their
        # creation.
        with contextlib.suppress(errors.OrchError):
            files = {**self.view(context).files, **found.files}
            return dataclasses.replace(found, files=files)
        return found

    def _load(
        self, context: call_context.Context, inputs: template_inputs.Inputs
    ) -> template.Template:
        return template.Template.load(
            inputs,
            self._around.types,
            template_inputs.Identity(
                context.token,
                context.bounded_name(child_requests.MAX_NAME_CHARACTERS),
                self._stack.project_id,
            ),
            self._around.limits,
            installed=self._around.installed,
        )

    def _hashes(
        self, context: call_context.Context, inputs: template_inputs.Inputs
    ) -> tuple[str, str]:
        """Return the content hashes of template and environment.

        :raises orch.errors.Invalid: the template cannot be read
        """
        raw = inputs.template
        if not isinstance(raw, collections.abc.Mapping):
            raw = self._load(context, inputs).raw
        return store.documents_of_request(inputs, raw).hashes
