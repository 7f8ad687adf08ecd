"""The resource type of child stacks, as plans, flows and readers use it.

To them it is a plug-in like any other: ``create`` requests an operation of the
child stack and returns, ``is_created`` checks whether that has ended. The
child stack's id is the resource's own, so a second request finds the first
one's stack.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.engine.nested import child_operations as askings
from orch.engine.nested import child_requests
from orch.engine.nested import children as nests
from orch.model import blocked
from orch.model import marked
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import resource
from orch.plugin import sensitivity
from orch.plugin import signals
from orch.template import inputs
from orch.template import template

_ASK_AGAIN_S: typing.Final = 2.0
"""Seconds after which a stack is checked without a notification."""


class StackType(resource.Resource):
    """A plug-in of child stacks, with the stacks of its resources."""

    is_nested_stack = True
    has_late_effects = False
    can_snapshot = False
    expects_batches = True

    def __init__(
        self,
        plugin: nested_stack.NestedStackResource,
        child_stacks: nests.ChildStacks,
    ) -> None:
        """Serve the resources of one stack.

        :param child_stacks: the child stacks of that stack
        """
        self.__dict__.update(
            type_name=plugin.type_name,
            properties=plugin.properties,
            attributes=plugin.attributes,
            shows_any_attribute=True,
            names_by_properties=plugin.names_by_properties,
            is_scalable=plugin.is_scalable,
        )
        self._plugin = plugin
        self._child_stacks = child_stacks

    @property
    def fetches_definition(self) -> bool:
        """Whether the template of the child stack is fetched from elsewhere.

        Then each look at it may take long.
        """
        return self._plugin.fetches_definition

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Delegate to the plug-in of the type."""
        return self._plugin.needs_replacement(before, after, changed)

    def reference_id(self, context: call_context.Context) -> str:
        """Delegate to the plug-in of the type."""
        return self._plugin.reference_id(context)

    def needs_update(
        self,
        name: str,
        physical_id: str | None,
        properties: collections.abc.Mapping[str, object],
        metadata: collections.abc.Mapping[str, object],
    ) -> bool:
        """Whether the child stack differs from its desired state."""
        return self._child_stacks.is_other(
            self._plugin, name, physical_id, properties, metadata
        )

    def expect(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> None:
        """Request the creation of several child stacks together."""
        self._asking.make(self._plugin, contexts)

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Request the creation of the child stack."""
        return self._bring(context, states.Action.CREATE, is_new=True)

    def find(
        self, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Find the child stack that an earlier attempt requested."""
        found = self._child_stacks.children.find(context.token)
        if found is None or found.deleted_at is not None:
            return None
        return call_context.CreateResult(context.token, context.data)

    def continue_creation(self, context: call_context.Context) -> None:
        """Continue the creation of a child stack that has failed."""
        self._bring(context, states.Action.CREATE)

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Request the adoption of the child stack.

        :raises orch.errors.Permanent: only its id is given, and its resources
            are not
        """
        is_elsewhere = given.physical_id not in (None, context.token)
        if is_elsewhere and given.document is None:
            raise errors.Permanent(
                f"Stack {given.physical_id} is in another installation, and"
                " the document has only its id: export that stack too, and"
                " give its document in place of the id."
            )
        data = self._asking.adopt(self._plugin, context, given.document)
        return dataclasses.replace(given, physical_id=context.token, data=data)

    def abandon(self, context: call_context.Context) -> None:
        """Request the abandonment of the child stack."""
        self._asking.abandon(context)

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult:
        """Request an update of the child stack."""
        return self._bring(context, states.Action.UPDATE)

    def delete(self, context: call_context.Context) -> None:
        """Request the deletion of the child stack."""
        self._asking.act(context, states.Action.DELETE)

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Check whether the child stack has reached all its stages.

        :raises orch.plugin.nested_stack.ChildFailed: its operation failed, or
            a user has deleted the stack
        """
        if self._asking.take_unseen(context):
            return call_context.Pending(after_s=_ASK_AGAIN_S)
        found = self._find(context)
        pending = _pending(found)
        if pending is not None:
            return pending
        left_s = self._asking.go_on(self._plugin, context, found)
        if left_s is None:
            return call_context.DONE
        return call_context.Pending(after_s=left_s or _ASK_AGAIN_S)

    is_updated = is_created

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Check whether the child stack is gone; it may be deleted already.

        :raises orch.plugin.nested_stack.ChildFailed: its operation failed
        """
        if self._asking.take_unseen(context):
            return call_context.Pending(after_s=_ASK_AGAIN_S)
        found = self._child_stacks.children.find(context.token)
        return _pending(found) if _exists(found) else call_context.DONE

    is_abandoned = is_deleted

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Check whether the child stack's operation has ended.

        :raises orch.plugin.nested_stack.ChildFailed: it failed, or a user has
            deleted the stack
        """
        if self._asking.take_unseen(context):
            return call_context.Pending(after_s=_ASK_AGAIN_S)
        return _pending(self._find(context))

    is_resumed = is_suspended
    is_adopted = is_suspended

    def suspend(self, context: call_context.Context) -> None:
        """Request the suspension of the child stack."""
        self._asking.act(context, states.Action.SUSPEND)

    def resume(self, context: call_context.Context) -> None:
        """Request the resumption of the child stack."""
        self._asking.act(context, states.Action.RESUME)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Request a check of the child stack, once, and return its state."""
        self._asking.act(context, states.Action.CHECK)
        return self.is_suspended(context)

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Request a snapshot of the child stack.

        :param snapshot_id: not used: the child's snapshot has an id of its own
        """
        found = self._asking.act(context, states.Action.SNAPSHOT)
        return {} if found is None else {child_requests.SNAPSHOT: found}

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object] | None:
        """Find the child's snapshot that the parent's snapshot requested."""
        found = self._child_stacks.children.find_snapshot(
            context.token, snapshot_id
        )
        return None if found is None else {child_requests.SNAPSHOT: found}

    def is_snapshotted(
        self,
        context: call_context.Context,
        kept: collections.abc.Mapping[str, object],
    ) -> call_context.Pending | None:
        """Check whether the child's snapshot is complete."""
        return self.is_suspended(context)

    def delete_snapshot(
        self,
        context: call_context.Context,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Delete the child's snapshot."""
        found = kept.get(child_requests.SNAPSHOT)
        if found is not None:
            self._child_stacks.snapshots.delete(context.token, str(found))

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties as they are, if the child can be restored.

        :raises orch.errors.OrchError: the child's snapshot, or a state that it
            has stored, does not exist any more
        """
        found = snapshot_data.get(child_requests.SNAPSHOT)
        if found is not None:
            self._child_stacks.snapshots.restored_inputs(str(found))
        return properties

    def resize(
        self,
        connection: db_engine.Connection,
        context: call_context.Context,
        request: signals.Resize,
        requested_by: request.RequestContext,
    ) -> nests.ResizedGroup | None:
        """Accept the resize of a group, in the caller's transaction.

        :returns: ``None`` when its size does not change
        :raises orch.errors.NotSupported: it has no size of its own
        """
        return self._child_stacks.resize(
            connection, self._plugin, context, request, requested_by
        )

    def foresee(
        self,
        context: call_context.Context,
        document: collections.abc.Mapping[str, object] | None = None,
    ) -> template.Template:
        """Return the template that the child stack is to have in the end.

        :param context: with all properties known
        :param document: the document that it is adopted from, if any
        :raises orch.errors.Invalid: the desired state is not possible
        """
        return self._child_stacks.foresee(self._plugin, context, document)

    def foresee_inputs(
        self,
        context: call_context.Context,
        document: collections.abc.Mapping[str, object] | None = None,
    ) -> inputs.Inputs:
        """Return the inputs of the template that :meth:`foresee` returns.

        :raises orch.errors.Invalid: the desired state is not possible
        """
        return self._child_stacks.foresee_inputs(
            self._plugin, context, document
        )

    def is_derived(
        self,
        context: call_context.Context,
        document: collections.abc.Mapping[str, object],
        found: stack.Stack,
    ) -> bool:
        """Whether an adoption gives the child stack the inputs that it has.

        :param document: the document that it would be adopted from
        """
        return self._child_stacks.is_derived(
            self._plugin, context, document, found
        )

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Read attributes of the child stack; unreadable ones are missing."""
        view = self._child_stacks.view(context)
        found: dict[str, object] = {}
        sensitive = []
        for name in names:
            before = view.sensitive_reads
            try:
                found[name] = self._plugin.read(
                    context, nested_stack.parse_path_key(name), view
                )
            except errors.Invalid:
                if len(names) == 1:
                    raise
                continue
            if view.sensitive_reads > before or sensitivity.has_text(
                found[name], view.sensitive_references
            ):
                sensitive.append((name,))
        return marked.Marked(found, sensitive)

    @property
    def _asking(self) -> askings.ChildOperations:
        assert isinstance(self._child_stacks, askings.ChildOperations), (
            "it is only read"
        )
        return self._child_stacks

    def _bring(
        self,
        context: call_context.Context,
        action: states.Action,
        *,
        is_new: bool = False,
    ) -> call_context.CreateResult:
        """Request the first stage that is not reached yet."""
        data = self._asking.bring(self._plugin, context, action, is_new=is_new)
        return call_context.CreateResult(context.token, data)

    def _find(self, context: call_context.Context) -> stack.Stack:
        """Return the stack.

        :raises orch.plugin.nested_stack.ChildFailed: a user has deleted it
        """
        found = self._child_stacks.children.find(context.token)
        if not _exists(found):
            raise nested_stack.ChildFailed(
                f"the stack of {context.name} was deleted; update the stack"
                " around it, to make it again"
            )
        return found


def _exists(
    found: stack.Stack | None,
) -> typing.TypeGuard[stack.Stack]:
    return found is not None and found.deleted_at is None


def _pending(found: stack.Stack) -> call_context.Pending | None:
    """Return what to wait for, or that the operation is done.

    :raises orch.plugin.nested_stack.ChildFailed: the stack's operation failed
    """
    if found.status is states.Status.IN_PROGRESS:
        return call_context.Pending(
            after_s=_ASK_AGAIN_S, child_waits=blocked.Blocked.of(found.blocked)
        )
    if found.status is states.Status.FAILED:
        raise nested_stack.ChildFailed.of(found.status_reason)
    return call_context.DONE
