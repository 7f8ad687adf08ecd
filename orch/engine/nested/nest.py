"""One stack with the stacks in it: what they are, what they shall be."""

import collections.abc
import dataclasses
import functools

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stack_lists
from orch.db.repositories import stacks
from orch.engine import live
from orch.engine import outcome
from orch.engine import stored
from orch.engine.nested import adopted
from orch.engine.nested import requests
from orch.engine.nested import view as views
from orch.flow import contexts
from orch.flow import stored_states
from orch.model import resource as model_resource
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.plugin import holder
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import signals
from orch.template import identity
from orch.template import inputs as template_inputs
from orch.template import installation
from orch.template import limits as template_limits
from orch.template import nested_type
from orch.template import template

Values = collections.abc.Mapping[str, object]
Wake = collections.abc.Callable[[ids.OperationId], None]
Serve = collections.abc.Callable[["Nest"], registry.Types]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all stacks of a worker share.

    :ivar types: the installed ones
    :ivar serve: finds the types of one stack, those that nest too
    :ivar wake: tells the workers that an operation waits
    """

    database: db_engine.Database
    types: registry.Types
    templates: stored.Templates
    limits: template_limits.Limits
    clock: clock.Clock
    serve: Serve
    wake: Wake
    reads: live.Reads
    installed: installation.Installation = installation.NOTHING


@dataclasses.dataclass(frozen=True, slots=True)
class Resized:
    """A group that is about to have another size.

    :ivar subject: its stack
    :ivar data: what its holder remembers from now on
    """

    subject: stack.Stack
    operation_id: ids.OperationId
    data: Values


class Nest:
    """A stack whose resources may be stacks."""

    def __init__(
        self,
        around: Surroundings,
        subject: stack.Stack,
        bound: template.Template | None,
        *,
        rows: collections.abc.Iterable[model_resource.Resource] = (),
        asked_by: request.RequestContext,
    ) -> None:
        """Look at a stack.

        :param bound: the template that it is to have; ``None`` where nothing
            is to be left, or where it is only read
        :param rows: its resources, where a plan is made of them
        """
        self._around = around
        self._subject = subject
        self._bound = bound
        self._rows = {row.id: row for row in rows}
        self._asked_by = asked_by

    @property
    def installed_types(self) -> registry.Types:
        """The types that do not depend on a stack."""
        return self._around.types

    def nested_type(self, type_name: str) -> nested_type.NestedType | None:
        """Return the template that a type is, as the outer one names it."""
        return self._bound.nested_type(type_name) if self._bound else None

    @functools.cached_property
    def _inner(self) -> dict[str, stack.Stack]:
        """The stacks in it as they were when they were first looked at."""
        found = self._around.database.query(
            lambda connection: stacks.list_inner(connection, self._subject.id)
        )
        return {each.id: each for each in found}

    @functools.cached_property
    def _unsound(self) -> set[ids.StackId]:
        """Those of them in which something is amiss, at any depth."""
        if not self._inner:
            return set()
        return self._around.database.query(
            lambda connection: stack_lists.find_unsound(
                connection, self._subject.id
            )
        )

    def goes_back(self, name: str) -> bool:
        """Answer whether an inner stack is to return to a snapshot."""
        return False

    def find(self, stack_id: str) -> stack.Stack | None:
        """Return an inner stack as it is now; one that is gone too."""
        return self._around.database.query(
            lambda connection: stacks.find(connection, ids.StackId(stack_id))
        )

    def view(self, context: resource.Context) -> views.StoredView:
        """Return what can be read of an inner stack.

        :raises orch.errors.NotFound: there is no such stack
        """
        around = self._around

        def look(
            connection: db_engine.Connection,
        ) -> tuple[stack.Stack, template.Template]:
            subject = stacks.get(connection, ids.StackId(context.token))
            return subject, around.templates.load(connection, subject)

        subject, bound = around.database.query(look)
        inner = Nest(around, subject, bound, asked_by=self._asked_by)
        return views.StoredView(
            around.database,
            subject,
            bound,
            around.serve(inner),
            self._asked_by,
            around.reads.begin(),
        )

    def is_other(
        self,
        plugin: holder.Holder,
        name: str,
        physical_id: str | None,
        properties: Values,
        metadata: Values,
    ) -> bool:
        """Answer whether an inner stack is not what it should be.

        :param properties: those wanted of its resource
        """
        if self.goes_back(name):
            return True
        found = self._inner.get(physical_id or "")
        row = self._rows.get(ids.ResourceId(physical_id or ""))
        if found is None or row is None or found.deleted_at is not None:
            return True
        if found.status is not states.Status.COMPLETE:
            return True
        if found.id in self._unsound:
            return True
        context = dataclasses.replace(
            contexts.context_of(self._subject, row, self._asked_by),
            properties=properties,
            metadata=metadata,
        )
        stage = self._stages(plugin, context)[0]
        inputs = self._inputs(context, stage)
        if isinstance(stage.template, str):
            try:
                raw = self._load(context, inputs).raw
            except errors.Invalid:
                return True
        else:
            raw = stage.template
        wanted = stored.documents(inputs, raw)
        hashes = (found.template_hash, found.environment_hash)
        return wanted.hashes != hashes or not self._is_as_declared(found)

    def _is_as_declared(self, found: stack.Stack) -> bool:
        """Answer whether a complete stack is what its own template says.

        An act that ended well says nothing of an update before it that did
        not.
        """
        if found.action in outcome.BRINGING_ABOUT:
            return True
        ran = self._around.database.query(
            lambda connection: operations.list_(connection, found.id)
        )
        last = [each for each in ran if each.action in outcome.BRINGING_ABOUT]
        return bool(last) and last[-1].state is states.OperationState.COMPLETE

    def foresee(
        self,
        plugin: holder.Holder,
        context: resource.Context,
        document: Values | None = None,
    ) -> template.Template:
        """Return the template that an inner stack is to have in the end.

        :param document: what it is to be adopted from, if it is
        :raises orch.errors.Invalid: it cannot be
        """
        if document is None:
            members = self._members(plugin, context)
            data = plugin.data_of(context, members)
            context = dataclasses.replace(context, data=data)
            stage = self._stages(plugin, context, members)[-1]
        else:
            _, stage = self._adopted(plugin, context, document)
        return self._load(context, self._inputs(context, stage))

    def _adopted(
        self,
        plugin: holder.Holder,
        context: resource.Context,
        document: Values | None,
    ) -> tuple[Values, holder.Stage]:
        """Return what a stack that is adopted is to be, as a whole.

        :param document: what it is adopted from; ``None`` where it is there
        :returns: what its holder wants to remember beside
        """
        members = self._members(plugin, context)
        if plugin.needs_members and document is not None:
            members = adopted.members_of(document)
        data = plugin.adopted_data(context, members)
        context = dataclasses.replace(context, data=data)
        return data, self._stages(plugin, context, members)[-1]

    def drop_snapshot(
        self, context: resource.Context, snapshot_id: str
    ) -> None:
        """Remove a snapshot of an inner stack; already gone is success."""
        around = self._around

        def look(
            connection: db_engine.Connection,
        ) -> tuple[stack.Stack | None, snapshot.Snapshot | None]:
            return (
                stacks.find(connection, ids.StackId(context.token)),
                snapshots.find(connection, snapshot_id),
            )

        subject, found = around.database.query(look)
        if subject is None or found is None:
            return
        inner = Nest(around, subject, None, asked_by=self._asked_by)
        for each in stored_states.kept_of(
            found, subject, around.serve(inner), self._asked_by
        ):
            each.remove()
        around.database.run(
            lambda connection: snapshots.delete(connection, snapshot_id)
        )

    def resize(
        self,
        connection: db_engine.Connection,
        plugin: holder.Holder,
        context: resource.Context,
        wish: signals.Resize,
        asked_by: request.RequestContext,
    ) -> Resized | None:
        """Ask for a group to have another size, of nobody's operation.

        :returns: ``None`` when its size stays
        :raises orch.errors.OrchError: it cannot have that size
        """
        data = plugin.resized(context, self._members(plugin, context), wish)
        if data is None:
            return None
        context = dataclasses.replace(context, data=data)
        inputs = self._inputs(context, self._stages(plugin, context)[-1])
        loaded = self._load(context, inputs)
        loaded.validate()
        subject, operation_id = requests.bring(
            connection,
            requests.free_operation(
                self._subject, context, asked_by, self._around.clock
            ),
            self._subject,
            context,
            inputs,
            loaded,
            self._around.limits,
            None,
        )
        return Resized(subject, operation_id, data)

    def _stages(
        self,
        plugin: holder.Holder,
        context: resource.Context,
        members: collections.abc.Sequence[holder.Member] | None = None,
    ) -> collections.abc.Sequence[holder.Stage]:
        """Return the way to what is wanted.

        :param members: of the inner stack; ``None`` for those that it has
        """
        assert self._bound is not None, "nothing is to be left"
        policy = self._bound.resources[context.name].update_policy
        if members is None:
            members = self._members(plugin, context)
        return plugin.stages(
            dataclasses.replace(context, update_policy=policy), members
        )

    def _members(
        self, plugin: holder.Holder, context: resource.Context
    ) -> collections.abc.Sequence[holder.Member]:
        if not plugin.needs_members or self.find(context.token) is None:
            return ()
        return self.view(context).members

    def _inputs(
        self, context: resource.Context, stage: holder.Stage
    ) -> template_inputs.Inputs:
        assert self._bound is not None, "nothing is to be left"
        return self._bound.nested_inputs(
            context.name, stage.parameters, context.metadata, stage.template
        )

    def _load(
        self, context: resource.Context, inputs: template_inputs.Inputs
    ) -> template.Template:
        return template.Template.load(
            inputs,
            self._around.types,
            identity.Identity(
                context.token,
                requests.name_of(context),
                self._subject.project_id,
            ),
            self._around.limits,
            installed=self._around.installed,
        )
