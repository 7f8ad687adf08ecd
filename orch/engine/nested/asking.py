"""Asks for the operations of the stacks in a stack."""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import ownership
from orch.engine import planning
from orch.engine import restoring
from orch.engine import stored
from orch.engine.nested import nest
from orch.engine.nested import requests
from orch.flow import fence
from orch.model import adoption
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.plugin import holder
from orch.plugin import resource
from orch.template import inputs as template_inputs
from orch.template import template

_RESTORE: typing.Final = states.Action.RESTORE

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Acting:
    """The operation of the outer stack that changes the inner ones.

    :ivar ttl_s: for how long each write renews its lease
    """

    asked: operation.Operation
    held: fence.Fence
    ttl_s: float


class Asking(nest.Nest):
    """A stack that an operation changes, with the stacks in it.

    Each attempt of the operation asks once for each act of an inner stack.
    """

    def __init__(
        self,
        around: nest.Surroundings,
        subject: stack.Stack,
        bound: template.Template | None,
        acting: Acting,
        *,
        rows: collections.abc.Iterable[model_resource.Resource] = (),
        asked_by: request.RequestContext,
    ) -> None:
        """Act on a stack.

        :param bound: the template that it is to have; ``None`` where nothing
            is to be left
        :param rows: its resources, where a plan is made of them
        """
        super().__init__(around, subject, bound, rows=rows, asked_by=asked_by)
        self._acting = acting

    def goes_back(self, name: str) -> bool:
        """Answer whether an inner stack is to return to a snapshot."""
        return name in self._restored

    @functools.cached_property
    def _restored(self) -> dict[str, str]:
        """The snapshots that inner stacks go back to, by their resources."""
        asked = self._acting.asked
        if asked.action is not _RESTORE:
            return {}
        snapshot_id = str(asked.options.get(planning.SNAPSHOT))
        found = self._around.database.query(
            lambda connection: snapshots.find(connection, snapshot_id)
        )
        rows = found.resources() if found else []
        return {
            row.name: str(row.kept[requests.SNAPSHOT])
            for row in rows
            if row.kept and requests.SNAPSHOT in row.kept
        }

    def bring(
        self,
        plugin: holder.Holder,
        context: resource.Context,
        action: states.Action,
    ) -> Values:
        """Ask for the first stage of an inner stack, once an attempt.

        :returns: what its holder wants to remember
        :raises orch.errors.Invalid: what is wanted cannot be
        """
        found = self._own(context)
        if found is not None and found.action in (action, _RESTORE):
            return requests.data_of(found) or context.data
        if context.name in self._restored:
            self._restore(context, self._restored[context.name])
            return context.data
        data = plugin.data_of(context, self._members(plugin, context))
        context = dataclasses.replace(context, data=data)
        stage = self._stages(plugin, context)[0]
        self._begin(context, action, stage, data)
        return data

    def adopt(
        self,
        plugin: holder.Holder,
        context: resource.Context,
        document: Values | None,
    ) -> Values:
        """Ask for the adoption of an inner stack, once an attempt.

        Its template is that which its resource wants, as a whole.

        :param document: what it is adopted from; ``None`` to go on with an
            adoption that was begun
        :returns: what its holder wants to remember
        :raises orch.errors.Invalid: what is wanted cannot be
        """
        action = states.Action.ADOPT
        found = self._own(context)
        if found is not None and found.action is action:
            return requests.data_of(found)
        if document is None and self.find(context.token) is None:
            raise errors.Permanent("Resource ID was not provided.")
        data, stage = self._adopted(plugin, context, document)
        context = dataclasses.replace(context, data=data)
        self._begin(context, action, stage, data, document)
        return data

    def abandon(self, context: resource.Context) -> None:
        """Ask an inner stack to let go of all its things, and to go."""
        self.act(context, states.Action.DELETE, abandons=True)

    def go_on(
        self,
        plugin: holder.Holder,
        context: resource.Context,
        action: states.Action,
    ) -> float | None:
        """Ask for the next stage of an inner stack that reached one.

        :returns: seconds until it is to be looked at again, ``None`` when
            there is no further stage
        """
        found = self._own(context)
        subject = self.find(context.token)
        if found is None or subject is None or found.action is _RESTORE:
            return None
        data = requests.data_of(found)
        context = dataclasses.replace(context, data=data)
        stage = self._stages(plugin, context)[0]
        inputs = self._inputs(context, stage)
        loaded = self._load(context, inputs)
        wanted = stored.documents(inputs, loaded.raw).hashes
        if wanted == (subject.template_hash, subject.environment_hash):
            return None
        ended = found.finished_at or found.created_at
        left_s = ended + stage.pause_s - self._around.clock.now()
        if left_s > 0:
            return left_s
        self._begin(context, states.Action.UPDATE, stage, data)
        return 0.0

    def act(
        self,
        context: resource.Context,
        action: states.Action,
        *,
        abandons: bool = False,
    ) -> ids.OperationId | None:
        """Ask for an operation of an inner stack, once an attempt.

        One that is gone needs none.

        :param abandons: a deletion lets all things stand
        :returns: the operation; ``None`` when the stack is gone
        """
        found = self._own(context)
        if found is not None and found.action is action:
            return found.id
        acting = self._acting
        asked = requests.operation_of(
            acting.asked, self._subject, context, action, self._around.clock
        )
        if abandons:
            asked = ownership.with_options(asked, {adoption.ABANDONS: True})

        def work(connection: db_engine.Connection) -> ids.OperationId | None:
            requests.hold(connection, acting.held, acting.ttl_s)
            return requests.act(connection, asked)

        begun = self._around.database.run(work)
        self._wake(begun)
        return begun

    def _restore(self, context: resource.Context, snapshot_id: str) -> None:
        """Ask for an inner stack to go back to one of its snapshots.

        :raises orch.errors.NotFound: the snapshot is not there any more
        """
        around = self._around

        def look(
            connection: db_engine.Connection,
        ) -> tuple[stack.Stack, snapshot.Snapshot, restoring.Then]:
            subject = stacks.get(connection, ids.StackId(context.token))
            found = snapshots.find(connection, snapshot_id)
            if found is None:
                raise errors.NotFound(
                    f"the snapshot {snapshot_id} of stack {subject.name} was"
                    " deleted, so it cannot be restored"
                )
            then = restoring.look(connection, subject, found, around.templates)
            return subject, found, then

        subject, found, then = around.database.query(look)
        inner = nest.Nest(around, subject, then.bound, asked_by=self._asked_by)
        raw = restoring.restored_template(
            then.bound, found, around.serve(inner)
        )
        inputs = dataclasses.replace(then.given, template=raw)
        self._accept(
            context, _RESTORE, inputs, {planning.SNAPSHOT: snapshot_id}
        )

    def _begin(
        self,
        context: resource.Context,
        action: states.Action,
        stage: holder.Stage,
        data: Values,
        document: Values | None = None,
    ) -> None:
        """Ask for a stage of an inner stack.

        :raises orch.errors.OrchError: as :meth:`_accept` does
        """
        options = {requests.DATA: dict(data)} if data else {}
        inputs = self._inputs(context, stage)
        self._accept(
            context, action, inputs, options, document, stage.timeout_s
        )

    def _accept(
        self,
        context: resource.Context,
        action: states.Action,
        inputs: template_inputs.Inputs,
        options: Values,
        document: Values | None = None,
        timeout_s: int | None = None,
    ) -> None:
        """Ask for an inner stack to become what inputs say.

        :param timeout_s: how long its operations may take from now on;
            ``None`` for as long as they may, or those of the outer one
        :raises orch.errors.OrchError: its template is wrong, or the tree
            would be too large
        """
        acting = self._acting
        loaded = self._load(context, inputs)
        loaded.validate()
        asked = requests.operation_of(
            acting.asked,
            self._subject,
            context,
            action,
            self._around.clock,
            options,
        )

        def work(
            connection: db_engine.Connection,
        ) -> tuple[stack.Stack, ids.OperationId]:
            requests.hold(connection, acting.held, acting.ttl_s)
            return requests.bring(
                connection,
                asked,
                self._subject,
                context,
                inputs,
                loaded,
                self._around.limits,
                document,
                timeout_s,
            )

        subject, operation_id = self._around.database.run(work)
        self._around.templates.keep(subject, loaded)
        self._wake(operation_id)

    def _wake(self, operation_id: ids.OperationId | None) -> None:
        if operation_id is not None:
            self._around.wake(operation_id)

    def _own(self, context: resource.Context) -> operation.Operation | None:
        """Return the inner stack's operation, if this attempt asked for it."""
        acting = self._acting

        def look(
            connection: db_engine.Connection,
        ) -> operation.Operation | None:
            found = stacks.find(connection, ids.StackId(context.token))
            if found is None or found.operation_id is None:
                return None
            return operations.get(connection, found.operation_id)

        found = self._around.database.query(look)
        is_own = found is not None and requests.is_of(found, acting.asked)
        return found if is_own else None
