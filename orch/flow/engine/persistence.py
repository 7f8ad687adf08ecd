"""Operation and resource rows as TaskFlow's flow and atom details.

There is no second copy of progress: a resource row *is* the detail of the
atom that changes it. An engine that runs a flow with this backend has its
state changes noted in the operation's :class:`orch.flow.state.store.Store`;
a reader gets what the rows say, after a crash too.

==============  =====================================
TaskFlow        Orch
==============  =====================================
logbook         a stack
flow detail     an operation
atom detail     a resource changed by the operation
==============  =====================================
"""

import collections.abc
import typing

from taskflow import exceptions
from taskflow import states
from taskflow.persistence import base
from taskflow.persistence import models
from taskflow.types import failure

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.flow import call_pool
from orch.flow.state import store
from orch.flow.state import transitions
from orch.flow.tasks import base as task_base
from orch.model import marked
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import states as model_states
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import nested_stack

FLOW_STATES = {
    model_states.OperationState.WAITING: states.PENDING,
    model_states.OperationState.RUNNING: states.RUNNING,
    model_states.OperationState.BLOCKED: states.SUSPENDED,
    model_states.OperationState.COMPLETE: states.SUCCESS,
    model_states.OperationState.FAILED: states.FAILURE,
    model_states.OperationState.SUPERSEDED: states.SUSPENDED,
}
ATOM_STATES = {
    model_states.Status.IN_PROGRESS: states.RUNNING,
    model_states.Status.COMPLETE: states.SUCCESS,
    model_states.Status.FAILED: states.FAILURE,
}


_KINDS = {
    model_states.Action.DELETE: plan.Kind.DELETE,
    model_states.Action.ADOPT: plan.Kind.ADOPT,
    model_states.Action.UPDATE: plan.Kind.UPDATE,
    model_states.Action.CHECK: plan.Kind.CHECK,
    model_states.Action.SUSPEND: plan.Kind.SUSPEND,
    model_states.Action.RESUME: plan.Kind.RESUME,
    model_states.Action.SNAPSHOT: plan.Kind.SNAPSHOT,
}


class Backend(base.Backend):
    """TaskFlow's backend over the rows of operations and resources.

    The configuration map takes ``database`` (:class:`Database`, for reading)
    or ``store`` and ``plan`` (for running one operation). With ``store``,
    each state change is written at once unless ``batched`` is true: then
    the runner of the flow calls :meth:`orch.flow.state.store.Store.flush`.
    """

    def __init__(self, conf: collections.abc.Mapping[str, object]) -> None:
        super().__init__(dict(conf))  # type: ignore[no-untyped-call]
        self.database = typing.cast(
            db_engine.Database | None, conf.get("database")
        )
        self.store = typing.cast(store.Store | None, conf.get("store"))
        self.is_batched = bool(conf.get("batched"))
        wanted = typing.cast(plan.Plan | None, conf.get("plan"))
        self.changes = {
            change.key: change for change in (wanted.changes if wanted else ())
        }
        self.noted: dict[str, str | None] = {}

    def get_connection(self) -> "Connection":
        """Return a connection; it opens no transaction."""
        return Connection(self)

    def close(self) -> None:
        """Leave the database open; its owner closes it."""


class Connection(base.Connection):
    """Records an engine's state changes, and reads the rows."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def backend(self) -> Backend:
        """The backend of this connection."""
        return self._backend

    def close(self) -> None:
        """Close nothing: transactions end where they begin."""

    def upgrade(self) -> None:
        """Change nothing: ``orch.db.migrate`` brings the schema forward."""

    def clear_all(self) -> None:
        """Raise NotSupported: TaskFlow must not remove operations.

        :raises orch.errors.NotSupported: always
        """
        raise errors.NotSupported("stacks are deleted by operations")

    def destroy_logbook(self, book_uuid: str) -> None:
        """Raise NotSupported: a stack is deleted by an operation.

        :raises orch.errors.NotSupported: always
        """
        raise errors.NotSupported("a stack is deleted by an operation")

    def validate(self) -> None:
        """Raise DatabaseDown if the database gives no answer."""
        if self._backend.database is not None:
            with self._backend.database.read():
                return

    def update_atom_details(
        self, atom_detail: models.AtomDetail
    ) -> models.AtomDetail:
        """Record the new state of an atom in its resource row."""
        store = self._backend.store
        change = self._backend.changes.get(atom_detail.name)
        if store is None or change is None:
            return atom_detail
        if self._backend.noted.get(atom_detail.name) == atom_detail.state:
            return atom_detail  # its progress or intention: no row of ours
        self._backend.noted[atom_detail.name] = atom_detail.state
        if atom_detail.state == states.RUNNING:
            store.note_begun(
                change,
                atom_detail.meta.get("effects", transitions.Effects()),
            )
        elif atom_detail.state == states.SUCCESS:
            store.results.note_complete(change, atom_detail.results or {})
        elif atom_detail.state == states.FAILURE:
            _note_failure(store, change, atom_detail.failure)
        if not self._backend.is_batched:
            store.flush()
        return atom_detail

    def update_flow_details(
        self, flow_detail: models.FlowDetail
    ) -> models.FlowDetail:
        """Store nothing: the conductor writes the operation's state."""
        return flow_detail

    def save_logbook(self, book: models.LogBook) -> None:
        """Store nothing: the stack's row exists before any flow does."""

    def get_logbooks(
        self, lazy: bool = False
    ) -> collections.abc.Iterator[models.LogBook]:
        """Raise NotSupported: an engine may not list all stacks.

        :raises orch.errors.NotSupported: always
        """
        raise errors.NotSupported("load the logbook of one stack")

    def get_logbook(
        self, book_uuid: str, lazy: bool = False
    ) -> models.LogBook:
        """Return a stack with its operations as a logbook.

        :raises taskflow.exceptions.NotFound: there is no such stack
        """
        with self._reading() as connection:
            try:
                found = stacks.get(connection, ids.StackId(book_uuid))
            except errors.NotFound as error:
                raise exceptions.NotFound(str(error)) from error
        book = models.LogBook(found.name, book_uuid)
        for flow in self.get_flows_for_book(book_uuid):
            book.add(flow)
        return book

    def get_flows_for_book(
        self, book_uuid: str
    ) -> collections.abc.Iterator[models.FlowDetail]:
        """Yield the operations of a stack, the oldest first."""
        with self._reading() as connection:
            found = operations.list_(connection, ids.StackId(book_uuid))
        for each in found:
            yield self._flow(each)

    def get_flow_details(
        self, fd_uuid: str, lazy: bool = False
    ) -> models.FlowDetail:
        """Return an operation and the progress of its changes.

        :raises taskflow.exceptions.NotFound: there is no such operation
        """
        return self._flow(self._operation(fd_uuid))

    def get_atom_details(self, ad_uuid: str) -> models.AtomDetail:
        """Return the atom detail of one resource row.

        :raises taskflow.exceptions.NotFound: there is no such row
        """
        with self._reading() as connection:
            row = resources.find(connection, ids.ResourceId(ad_uuid))
        if row is None or row.operation_id is None:
            raise exceptions.NotFound(f"no resource has the id {ad_uuid}")
        return _atom(row, self._operation(row.operation_id))

    def get_atoms_for_flow(
        self, fd_uuid: str
    ) -> collections.abc.Iterator[models.AtomDetail]:
        """Yield the atom details of the changes of an operation."""
        yield from self.get_flow_details(fd_uuid)

    def _operation(self, operation_id: str) -> operation.Operation:
        with self._reading() as connection:
            try:
                return operations.get(
                    connection, ids.OperationId(operation_id)
                )
            except errors.NotFound as error:
                raise exceptions.NotFound(str(error)) from error

    def _flow(self, operation: operation.Operation) -> models.FlowDetail:
        detail = models.FlowDetail(
            f"{operation.action} {operation.id}", operation.id
        )
        detail.state = FLOW_STATES[operation.state]
        detail.meta = {"total": operation.total, "done": operation.done}
        with self._reading() as connection:
            rows = resources.list_(connection, operation.stack_id)
        for row in rows:
            if row.operation_id == operation.id or (
                operation.state in model_states.OPEN_STATES
                and operation.action is not model_states.Action.CREATE
            ):
                detail.add(_atom(row, operation))
        return detail

    def _reading(
        self,
    ) -> typing.ContextManager[db_engine.Connection]:
        if self._backend.database is None:
            raise errors.NotSupported(
                "this backend runs an operation; open one with a database"
            )
        return self._backend.database.read()


def _note_failure(
    store: store.Store, change: plan.Change, raised: failure.Failure | None
) -> None:
    if raised is not None and isinstance(
        raised.exception, task_base.ChangeRefused
    ):
        reason = store.redact(raised.exception.message)
        store.results.note_refused(change, reason, raised.exception.shown_as)
        return
    error = raised.exception if raised is not None else None
    if isinstance(error, task_base.Useless):
        reason = store.redact(describe(change.name, error.verdict or error))
        store.results.note_useless(change, reason, is_gone=error.is_gone)
        return
    if isinstance(error, task_base.Returned):
        store.results.note_returned(change, error.message)
        return
    reason = store.redact(describe_failure(change.name, raised))
    store.results.note_failed(change, reason, is_outcome_unknown(raised))


def describe_failure(name: str, raised: failure.Failure | None) -> str:
    """Return the reason of a failed resource, ``Kind: resources.x: text``."""
    if raised is None or raised.exception is None:
        return f"resources.{name}: failed"
    return describe(name, raised.exception)


def describe(name: str, error: BaseException) -> str:
    """Return the reason of a resource whose call raised an error.

    Where it is a stack the path leads on, to what is at the bottom.
    """
    if isinstance(error, nested_stack.ChildFailed) and error.path:
        return f"{error.kind}: resources.{name}.{error.path}: {error}"
    return f"{errors.kind_of(error)}: resources.{name}: {error}"


def is_outcome_unknown(raised: failure.Failure | None) -> bool:
    """Whether the call may have taken effect all the same.

    An error that the plug-in itself raised is an answer: it failed. No
    answer at all is none.
    """
    error = raised.exception if raised is not None else None
    return isinstance(
        error,
        call_pool.HungCall | errors.Transient | call_context.OutcomeUnknown,
    )


def _atom(
    row: model_resource.Resource, operation: operation.Operation
) -> models.TaskDetail:
    """Return the atom of a row; pending if this operation has not begun it."""
    if row.operation_id != operation.id:
        kind, state = plan.Kind.DELETE, states.PENDING
    else:
        kind = _KINDS.get(row.action, plan.Kind.CREATE)
        state = (
            states.PENDING
            if row.action is model_states.Action.INIT
            else ATOM_STATES[row.status]
        )
    if kind is plan.Kind.DELETE and row.deletion_policy.lower() == "retain":
        kind = plan.Kind.RETAIN
    detail = models.TaskDetail(plan.change_key(kind, row.name, row.id), row.id)
    detail.state = state
    if state == states.SUCCESS:
        detail.results = {
            "physical_id": row.physical_id,
            "attributes": marked.merge(row.attributes),
        }
    detail.meta = {"reason": row.status_reason, "attempt": row.attempt}
    return detail
