"""Request the operations of child stacks."""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import ownership
from orch.engine.execution import planning
from orch.engine.nested import accept
from orch.engine.nested import child_creation
from orch.engine.nested import child_requests
from orch.engine.nested import stages as nested_stages
from orch.engine.stack_inputs import store
from orch.flow.state import forgotten_signals
from orch.model import adoption
from orch.model import operation
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import template

_RESTORE: typing.Final = states.Action.RESTORE

Values = collections.abc.Mapping[str, object]


class ChildOperations(child_creation.ChildCreation):
    """The child stacks that an operation creates, changes or deletes.

    Each attempt of the operation requests each action of a child stack once.
    """

    def is_done(self, found: stack_model.Stack) -> bool:
        """Whether a user has completed a child stack with exclusions."""
        if found.operation_id is None:
            return False
        operation_id = found.operation_id
        last = self._around.database.query(
            lambda connection: operations.get(connection, operation_id)
        )
        is_own = child_requests.is_requested_by(
            last, self._acting.operation, found.parent_resource or ""
        )
        return is_own and child_requests.is_shortened(last)

    def bring(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        action: states.Action,
        *,
        is_new: bool = False,
    ) -> Values:
        """Request the first stage of a child stack, once an attempt.

        :param is_new: the stack does not exist yet
        :returns: the data that its resource stores
        :raises orch.errors.Invalid: the desired state is not possible
        """
        if is_new:
            if context.token not in self._made:
                self.make(plugin, (context,))
            if context.token in self._made:
                return self._made.pop(context.token)
            if self._too_large is not None:
                raise template_errors.TooLarge(self._too_large.message)
        found = self._own(context)
        if found is not None and found.action in (action, _RESTORE):
            return child_requests.holder_data_of(found) or context.data
        if context.name in self._restored:
            is_creation = action is states.Action.CREATE
            return self._restore(context, action if is_creation else _RESTORE)
        data = plugin.data_of(context, self._members(plugin, context))
        context = dataclasses.replace(context, data=data)
        stages = self._stages(plugin, context)
        nested_stages.check_pauses(self._stack, stages[0])
        self._begin(plugin, context, action, stages, data)
        return data

    def adopt(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        document: Values | None,
    ) -> Values:
        """Request the adoption of a child stack, once an attempt.

        Its template is the final one of its resource, without stages.

        :param document: the document that it is adopted from; ``None`` to
            continue an adoption
        :returns: the data that its resource stores
        :raises orch.errors.Invalid: the desired state is not possible
        """
        action = states.Action.ADOPT
        found = self._own(context)
        if found is not None and found.action is action:
            return child_requests.holder_data_of(found)
        if document is None and self.children.find(context.token) is None:
            raise errors.Permanent("Resource ID was not provided.")
        if self.children.find(context.token) is not None:
            return self._correct(plugin, context, document)
        data, stage = self._adopted(plugin, context, document)
        context = dataclasses.replace(context, data=data)
        self._begin(plugin, context, action, (stage,), data, document=document)
        return data

    def _correct(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        document: Values | None,
    ) -> Values:
        """Request that the adoption of a child stack continues.

        :param document: has the ids that a request gives for its resources,
            or is what it was adopted from, which is stored in its rows
        :returns: the data that its resource stores
        """
        action, names = states.Action.ADOPT, adoption.CORRECTS
        given = self._acting.operation.options.get(names)
        is_given = isinstance(given, list) and context.name in given
        data, stage = self._adopted(plugin, context, None)
        context = dataclasses.replace(context, data=data)
        self._begin(
            plugin,
            context,
            action,
            (stage,),
            data,
            document=document if is_given else None,
        )
        return data

    def abandon(self, context: call_context.Context) -> None:
        """Request the abandonment of a child stack."""
        self.act(context, states.Action.DELETE, abandons=True)

    def go_on(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        stack: stack_model.Stack,
    ) -> float | None:
        """Request the next stage of a child stack that has completed one.

        :param stack: the child stack
        :returns: seconds until it is to be looked at again, ``None`` when
            there is no further stage
        """
        reached = (stack.template_hash, stack.environment_hash)
        if self._last_stages.get(context.token) == reached:
            return None
        found = self._own(context)
        if found is None or child_creation.is_restoration(found):
            return None
        data = child_requests.holder_data_of(found)
        context = dataclasses.replace(context, data=data)
        stages = self._stages(plugin, context)
        stage = stages[0]
        inputs = self._inputs(plugin, context, stage)
        loaded = self._load(context, inputs)
        wanted = store.documents_of_request(inputs, loaded.raw).hashes
        if wanted == reached:
            return None
        ended = found.finished_at or found.created_at
        left_s = ended + stage.pause_s - self._around.clock.now()
        if left_s > 0:
            return left_s
        self._begin(plugin, context, states.Action.UPDATE, stages, data)
        return 0.0

    def act(
        self,
        context: call_context.Context,
        action: states.Action,
        *,
        abandons: bool = False,
    ) -> ids.OperationId | None:
        """Request an operation of a child stack, once an attempt.

        A stack that is gone needs none.

        :param abandons: a deletion leaves all physical resources in place
        :returns: the operation; ``None`` when the stack is gone
        """
        found = self._own(context)
        if found is not None and found.action is action:
            return found.id
        acting = self._acting
        operation = self._operation(context, action)
        if abandons:
            operation = ownership.with_options(
                operation, {adoption.ABANDONS: True}
            )

        def work(connection: db_engine.Connection) -> ids.OperationId | None:
            accept.check_parent_lease(connection, acting.held, acting.ttl_s)
            accepted = accept.accept_action(connection, operation)
            self._forget_failures(connection, operation, accepted)
            return accepted

        begun = self._around.database.run(work)
        if begun is not None:
            self._unseen.add(context.token)
            self._around.wake((begun,))
        return begun

    def _restore(
        self, context: call_context.Context, action: states.Action
    ) -> Values:
        """Request the restoration of a child stack from a snapshot.

        :param action: a creation where the stack of that time is deleted
        :returns: the data that its resource stores
        :raises orch.errors.OrchError: the snapshot, or a state that it has
            stored, does not exist any more
        """
        wanted = self._restored[context.name]
        self._accept(
            context,
            action,
            self.snapshots.restored_inputs(wanted.snapshot_id),
            {
                planning.SNAPSHOT: wanted.snapshot_id,
                **child_creation.options_of(wanted.data),
            },
        )
        return wanted.data

    def _begin(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
        action: states.Action,
        stages: collections.abc.Sequence[nested_stack.Stage],
        data: Values,
        *,
        document: Values | None = None,
    ) -> None:
        """Request the first of the stages of a child stack.

        :raises orch.errors.OrchError: as :meth:`_accept` does
        """
        stage = stages[0]
        stack = self._accept(
            context,
            action,
            self._inputs(plugin, context, stage),
            child_creation.options_of(data),
            document=document,
            timeout_s=stage.timeout_s,
        )
        self._note_requested(context.token, stack, len(stages) == 1)

    def _accept(
        self,
        context: call_context.Context,
        action: states.Action,
        inputs: template_inputs.Inputs,
        options: Values,
        *,
        document: Values | None = None,
        timeout_s: int | None = None,
    ) -> stack_model.Stack:
        """Accept an operation of a child stack with new inputs.

        :param timeout_s: how long its operations may take from now on;
            ``None`` to leave it, or to take that of the parent
        :returns: the stack as it is accepted
        :raises orch.errors.OrchError: its template is wrong, or the tree
            would be too large
        """
        acting = self._acting
        loaded = self._load_valid(context, inputs)
        operation = self._operation(context, action, options)

        def work(
            limits: template_inputs.Limits, connection: db_engine.Connection
        ) -> tuple[stack_model.Stack, ids.OperationId]:
            accept.check_parent_lease(connection, acting.held, acting.ttl_s)
            accepted = accept.accept_change(
                connection,
                operation,
                self._stack,
                context,
                inputs,
                loaded,
                limits,
                self._around.types,
                self._check_type,
                document,
                timeout_s,
            )
            self._forget_failures(connection, operation, accepted[1])
            return accepted

        run, limits = self._around.database.run, self._around.limits
        try:
            accepted = run(functools.partial(work, limits))
        except template_errors.TooLarge as error:
            if self._too_large is not None or not self._is_within_limit():
                self._too_large = error
                raise
            limits = dataclasses.replace(limits, resources=-1)
            accepted = run(functools.partial(work, limits))
        stack, operation_id = accepted
        self._around.templates.add(stack, loaded)
        self._unseen.add(context.token)
        self._around.wake((operation_id,))
        return stack

    def _forget_failures(
        self,
        connection: db_engine.Connection,
        wanted: operation.Operation,
        accepted: ids.OperationId | None,
    ) -> None:
        """Forget signals of failure where an earlier operation is retried."""
        if accepted not in (None, wanted.id):
            forgotten_signals.forget_failures(
                connection, wanted.stack_id, self._around.types
            )

    def _is_within_limit(self) -> bool:
        """Whether the tree is within the limit after the operation.

        Resources that the same operation removes count as gone.
        """
        around = self._around
        origin_id = ids.OperationId(
            child_requests.origin_of(self._acting.operation)
        )

        def look(
            connection: db_engine.Connection,
        ) -> tuple[operation.Operation, stack_model.Stack, template.Template]:
            origin = operations.get(connection, origin_id)
            top = stacks.get(connection, origin.stack_id)
            return origin, top, around.templates.load(connection, top)

        origin, top, parsed_template = around.database.query(look)
        if origin.action in states.BEGINNING or origin in around.refused:
            return False
        limit = around.limits.resources
        if self._tree_size.is_within_limit(top, parsed_template, limit):
            return True
        around.refused.add(origin)
        return False

    def _own(
        self, context: call_context.Context
    ) -> operation.Operation | None:
        """Return the child's operation, if this attempt requested it."""
        acting = self._acting

        def look(
            connection: db_engine.Connection,
        ) -> operation.Operation | None:
            found = stacks.find(connection, ids.StackId(context.token))
            if found is None or found.operation_id is None:
                return None
            return operations.get(connection, found.operation_id)

        found = self._around.database.query(look)
        is_own = found is not None and child_requests.is_requested_by(
            found, acting.operation, context.name
        )
        return found if is_own else None
