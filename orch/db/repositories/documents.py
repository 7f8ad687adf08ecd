"""What documents for a search are made of, of many stacks by few statements.

Nothing here looks at whose the stacks are.
"""

import base64
import collections.abc
import dataclasses
import functools
import hashlib
import typing

import orjson
import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db import types
from orch.db.models import events
from orch.db.models import observations
from orch.db.models import software
from orch.db.models import stacks
from orch.db.repositories import resources
from orch.model import credential
from orch.model import observation
from orch.model import resource
from orch.model import stack
from orch.model import states

_STACKS = stacks.STACKS.c
_RESOURCES = stacks.RESOURCES.c
_EVENTS = events.EVENTS.c
_OBSERVATIONS = observations.OBSERVATIONS.c
_OPERATIONS = stacks.OPERATIONS.c
_CREDENTIALS = stacks.CREDENTIALS.c
_DEPLOYMENTS = software.SOFTWARE_DEPLOYMENTS.c
_STACK_ROWS = rows.Rows(stack.Stack, stacks.STACKS)
_PLAIN: typing.Final = (
    "id",
    "stack_id",
    "name",
    "type_name",
    "mapped_type",
    "action",
    "status",
    "replaced_by",
    "status_reason",
    "physical_id",
    "external_id",
    "deletion_policy",
    "adopted_by",
    "created_at",
    "updated_at",
)
_JSON: typing.Final[collections.abc.Mapping[str, types.Json]] = {
    "properties": types.MarkedJson(),
    "attributes": types.MarkedJson(),
    "requires": types.JsonList(),
}
_DIGEST_BYTES: typing.Final = 12
_MAX_REASONS = 5000
_LATEST_EVENTS = 500
_FETCH_BATCH = 50
StackIds = collections.abc.Collection[ids.StackId]


@dataclasses.dataclass(frozen=True, slots=True)
class DriftState:
    """What was seen of a resource in the world.

    :ivar state: unknown where the stack has changed it since
    :ivar properties: those that have drifted
    """

    stack_id: ids.StackId
    resource_id: ids.ResourceId
    state: observation.State
    is_vanished: bool
    properties: tuple[str, ...]


class StoredResource:
    """The row of a resource; its JSON is parsed when it is asked for.

    :ivar json_length: characters of its JSON
    """

    def __init__(
        self, row: tuple[typing.Any, ...], dialect: sa.Dialect
    ) -> None:
        self.id: ids.ResourceId = row[0]
        self.stack_id: ids.StackId = row[1]
        self.name: str = row[2]
        self.plugin_type: str = row[4] or row[3]
        self.action: states.Action = row[5]
        self.is_gone = self.action is states.Action.DELETE and (
            row[6] is states.Status.COMPLETE
        )
        self.replaced_by: ids.ResourceId | None = row[7]
        self.json_length = sum(len(each or "") for each in row[len(_PLAIN) :])
        self._row = row
        self._dialect = dialect

    @property
    def is_current(self) -> bool:
        """Whether it is the newest incarnation of its name."""
        return self.replaced_by is None and not self.is_gone

    def digest(self, *beside: bytes) -> str:
        """Return a digest of the row, and of what else a document is made of.

        Rows that differ in anything a document shows have other digests.
        """
        made = hashlib.blake2b(
            orjson.dumps(self._row), digest_size=_DIGEST_BYTES
        )
        for each in beside:
            made.update(b"\0" + each)
        return base64.b64encode(made.digest()).decode()

    @functools.cached_property
    def resource(self) -> resource.Resource:
        """Return the resource, with only what documents tell."""
        make: collections.abc.Callable[..., resource.Resource] = (
            resource.Resource
        )
        count = len(_PLAIN)
        parsed = {
            name: read(text)
            for (name, read), text in zip(
                _readers(self._dialect).items(),
                self._row[count:],
                strict=True,
            )
        }
        return make(**dict(zip(_PLAIN, self._row, strict=False)), **parsed)


@functools.lru_cache(maxsize=4)
def _readers(
    dialect: sa.Dialect,
) -> dict[str, collections.abc.Callable[[str | None], object]]:
    """Return what reads each column of JSON, by name."""
    return {
        name: kind.result_processor(dialect, None)
        for name, kind in _JSON.items()
    }


@dataclasses.dataclass(frozen=True, slots=True)
class OperationSummary:
    """An operation, in short.

    :ivar context: who asked for it
    """

    id: ids.OperationId
    action: states.Action
    state: states.OperationState
    attempt: int
    owner: ids.WorkerId | None
    context: collections.abc.Mapping[str, object]
    project_id: str


def begin_repeatable_read(conn: sa.Connection) -> None:
    """Let all that is read until the end stand as of one moment.

    It has to be the first statement of a transaction.
    """
    if conn.dialect.name != "sqlite":
        conn.execute(
            sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        )


def list_live(conn: sa.Connection, after: str, limit: int) -> list[str]:
    """Return ids of stacks at any depth that are not deleted, in order."""
    found = sa.select(_STACKS.id).where(
        _STACKS.id > after, _STACKS.deleted_at.is_(None)
    )
    return list(conn.scalars(found.order_by(_STACKS.id).limit(limit)))


def list_versions(
    conn: sa.Connection, stack_ids: StackIds
) -> tuple[clock.Timestamp, dict[ids.StackId, int]]:
    """Return the numbers of the newest events, and the database's clock.

    Of a stack that is not there at all there is no number; 0 stands for no
    event.
    """
    return functions.read_clock(conn), list_newest(conn, stack_ids)


def list_newest(
    conn: sa.Connection, stack_ids: StackIds
) -> dict[ids.StackId, int]:
    """Return the numbers of the newest events, as :func:`list_versions`.

    One step through an index for each stack, however many events it has.
    """
    found = conn.execute(
        sa.select(_STACKS.id, sa.func.coalesce(_newest(), 0)).where(
            _STACKS.id.in_(list(stack_ids))
        )
    )
    return {ids.StackId(each): int(newest) for each, newest in found}


def list_with_parents(
    conn: sa.Connection, stack_ids: StackIds
) -> list[stack.Stack]:
    """Return stacks and those around them, deleted ones too."""
    up = (
        sa.select(_STACKS.id, _STACKS.parent_id)
        .where(_STACKS.id.in_(list(stack_ids)))
        .cte("up", recursive=True)
    )
    up = up.union(
        sa.select(_STACKS.id, _STACKS.parent_id).where(
            _STACKS.id == up.c.parent_id
        )
    )
    return _STACK_ROWS.all(
        conn.execute(
            _STACK_ROWS.select().where(_STACKS.id.in_(sa.select(up.c.id)))
        )
    )


def list_descendants(
    conn: sa.Connection, stack_ids: StackIds
) -> list[tuple[ids.StackId, stack.Stack]]:
    """Return the stacks in stacks at any depth, each with what it is in."""
    below = (
        sa.select(_STACKS.id, _STACKS.parent_id.label("top"))
        .where(
            _STACKS.parent_id.in_(list(stack_ids)),
            _STACKS.deleted_at.is_(None),
        )
        .cte("below", recursive=True)
    )
    below = below.union_all(
        sa.select(_STACKS.id, below.c.top).where(
            _STACKS.parent_id == below.c.id, _STACKS.deleted_at.is_(None)
        )
    )
    found = conn.execute(sa.select(below.c.id, below.c.top)).all()
    if not found:
        return []
    values = {
        each.id: each
        for each in _STACK_ROWS.find_all(
            conn, _STACKS.id.in_(sa.select(below.c.id))
        )
    }
    return [
        (ids.StackId(top), values[ids.StackId(stack_id)])
        for stack_id, top in found
    ]


def list_resources(
    conn: sa.Connection,
    stack_ids: StackIds,
    limit: int,
    after: str = "",
) -> collections.abc.Generator[StoredResource, None, None]:
    """Return resources by stack and name, those that are gone left out.

    They come a few at a time, so that whoever has enough of them may stop.

    :param after: only names that sort after it
    """
    found = sa.select(
        *(_RESOURCES[name] for name in _PLAIN),
        *(sa.type_coerce(_RESOURCES[name], sa.Text()) for name in _JSON),
    ).where(_RESOURCES.stack_id.in_(list(stack_ids)), ~resources.IS_GONE)
    if after:
        found = found.where(_RESOURCES.name > after)
    order = ("stack_id", "name", "created_at", "id")
    with conn.execute(
        found.order_by(*(_RESOURCES[name] for name in order)).limit(limit),
        execution_options={"yield_per": _FETCH_BATCH},
    ) as result:
        for row in result:
            yield StoredResource(tuple(row), conn.dialect)


def list_drift_states(
    conn: sa.Connection, stack_ids: StackIds
) -> list[DriftState]:
    """Return what was seen of the resources of stacks that are there."""
    state = sa.case(
        (
            (
                _OBSERVATIONS.observed_at
                >= sa.func.coalesce(
                    _RESOURCES.changed_at, _RESOURCES.updated_at
                )
            )
            | (_OBSERVATIONS.state == observation.State.NOTHING),
            _OBSERVATIONS.state,
        ),
        else_=observation.State.UNKNOWN,
    )
    found = conn.execute(
        sa.select(
            _OBSERVATIONS.stack_id,
            _OBSERVATIONS.resource_id,
            state,
            _OBSERVATIONS.is_vanished,
            _OBSERVATIONS.differences,
        )
        .join_from(
            observations.OBSERVATIONS,
            stacks.RESOURCES,
            (_OBSERVATIONS.stack_id == _RESOURCES.stack_id)
            & (_OBSERVATIONS.resource_id == _RESOURCES.id),
        )
        .where(
            _OBSERVATIONS.stack_id.in_(list(stack_ids)),
            _RESOURCES.replaced_by.is_(None),
        )
    )
    return [_drift_state(*row) for row in found]


def list_operations(
    conn: sa.Connection,
    operation_ids: collections.abc.Collection[ids.OperationId],
) -> list[OperationSummary]:
    """Return these operations, in short and in no order."""
    names = [each.name for each in dataclasses.fields(OperationSummary)]
    found = conn.execute(
        sa.select(*(_OPERATIONS[name] for name in names)).where(
            _OPERATIONS.id.in_(list(operation_ids))
        )
    )
    return [OperationSummary(*row) for row in found]


def list_reasons(
    conn: sa.Connection,
    stack_ids: StackIds,
    passed_over: collections.abc.Collection[str],
) -> list[tuple[ids.StackId, str]]:
    """Return what the latest events of stacks say, the newest first.

    Where there is too much of it each stack has its newest ones.

    :param passed_over: reasons that say nothing, ``%`` for any text
    """
    newest = (
        sa.select(_STACKS.id, _newest().label("sequence"))
        .where(_STACKS.id.in_(list(stack_ids)))
        .subquery()
    )
    found = conn.execute(
        sa.select(_EVENTS.stack_id, _EVENTS.reason)
        .join_from(
            events.EVENTS, newest, newest.c.id == events.EVENTS.c.stack_id
        )
        .where(
            _EVENTS.sequence > newest.c.sequence - _LATEST_EVENTS,
            *(_EVENTS.reason.not_like(each) for each in passed_over),
        )
        .order_by(newest.c.sequence - _EVENTS.sequence)
        .limit(_MAX_REASONS)
    )
    return [(ids.StackId(stack_id), reason) for stack_id, reason in found]


def list_logins(
    conn: sa.Connection, root_ids: StackIds
) -> dict[ids.StackId, tuple[str, str]]:
    """Return the users in whose names trees log in, and how, by root."""
    found = conn.execute(
        sa.select(
            _CREDENTIALS.root_id, _CREDENTIALS.user_id, _CREDENTIALS.method
        ).where(
            _CREDENTIALS.root_id.in_(list(root_ids)),
            _CREDENTIALS.state == credential.State.ACTIVE,
        )
    )
    return {
        ids.StackId(root_id): (user_id, method)
        for root_id, user_id, method in found
    }


def list_user_projects(
    conn: sa.Connection, stack_ids: StackIds
) -> dict[ids.StackId, str]:
    """Return the projects of the users that stacks have made."""
    found = conn.execute(
        sa.select(_DEPLOYMENTS.stack_id, _DEPLOYMENTS.stack_user_project_id)
        .where(
            _DEPLOYMENTS.stack_id.in_(list(stack_ids)),
            _DEPLOYMENTS.stack_user_project_id.is_not(None),
        )
        .distinct()
    )
    return {ids.StackId(stack_id): project for stack_id, project in found}


def _newest() -> sa.ScalarSelect[int]:
    # MariaDB would read all events of the stack for a maximum.
    return (
        sa.select(_EVENTS.sequence)
        .where(_EVENTS.stack_id == _STACKS.id)
        .order_by(_EVENTS.sequence.desc())
        .limit(1)
        .correlate(stacks.STACKS)
        .scalar_subquery()
    )


def _drift_state(
    stack_id: str,
    resource_id: str,
    state: str,
    is_vanished: bool,
    differences: list[dict[str, object]],
) -> DriftState:
    word = observation.State(state)
    has_drifted = word is observation.State.DRIFTED
    return DriftState(
        ids.StackId(stack_id),
        ids.ResourceId(resource_id),
        word,
        has_drifted and is_vanished,
        tuple(str(each["property"]) for each in differences)
        if has_drifted
        else (),
    )
