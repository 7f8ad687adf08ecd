"""Reads what the documents of some stacks are made of, all as of one moment.

The number of statements does not depend on how many stacks and resources
there are.
"""

import collections.abc
import contextlib
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import documents
from orch.db.repositories import lifecycle
from orch.engine import dependencies
from orch.engine.resources import facts
from orch.engine.search_documents import redaction
from orch.engine.secrets import redaction as secret_redaction
from orch.engine.stack_inputs import template_cache
from orch.flow.state import transitions
from orch.model import lifecycle as lifecycle_model
from orch.model import stack as stack_model

PAGE: typing.Final = 1000
"""Resources of a stack that come at once."""
MOST_ROWS: typing.Final = 5000
"""Resources of all stacks that come at once."""
MOST_CHARACTERS: typing.Final = 8_000_000
"""Of what these resources have of users and services, as JSON."""

_FIRST: typing.Final = ""
_SAYING_NOTHING: typing.Final = (
    "",
    transitions.STARTED,
    "Stack % started",
    "Stack % completed successfully",
)
"""Reasons that every operation gives, however it goes."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A stack that is there, and all that its documents tell.

    :ivar outer: the stacks around it, the root first
    :ivar tags: its own, and those of the root
    :ivar is_hidden: only administrators find it
    :ivar template: ``None`` where it cannot be read
    :ivar source: the template as it came; empty where that was no text
    :ivar redacts: knows what is sensitive
    :ivar rows: its resources that are shown, by name
    :ivar next: the name that the rest of them sort after; ``None`` for these
        are all
    :ivar seen: what was seen of its resources in the world, by their ids
    :ivar reasons: what its latest events say, the newest first
    :ivar decisions: of lifecycle plug-ins, by path from the root
    :ivar login: the user in whose name its tree logs in, and how
    """

    stack: stack_model.Stack
    outer: tuple[stack_model.Stack, ...]
    tags: tuple[str, ...]
    is_hidden: bool
    template: template_cache.Readable | None
    redacts: secret_redaction.Redaction
    rows: tuple[documents.StoredResource, ...]
    next: str | None
    seen: collections.abc.Mapping[ids.ResourceId, documents.DriftState]
    operation: documents.OperationSummary | None
    runs: tuple[lifecycle_model.Run, ...]
    reasons: tuple[str, ...]
    decisions: collections.abc.Mapping[str, list[lifecycle_model.Decision]]
    login: tuple[str, str] | None
    user_project: str | None

    @property
    def root(self) -> stack_model.Stack:
        """Return the outermost stack."""
        return self.outer[0] if self.outer else self.stack

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of resources on the way down from the root."""
        return tuple(
            each.parent_resource or ""
            for each in (*self.outer[1:], self.stack)
            if each.parent_id is not None
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Batch:
    """Some stacks as they were at one moment.

    :ivar versions: numbers of their newest events; of one that is not there
        at all there is none
    :ivar stacks: those that are not gone
    :ivar sensitive: names of what may not be seen of stacks, also of gone
        ones; none where only the rest of their resources was wanted
    """

    read_at: clock.Timestamp
    versions: collections.abc.Mapping[ids.StackId, int]
    stacks: tuple[Loaded, ...]
    sensitive: collections.abc.Mapping[ids.StackId, frozenset[str]]


def load(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack_ids: collections.abc.Collection[ids.StackId],
    after: str = _FIRST,
) -> Batch:
    """Return these stacks; nothing else may have been read before.

    :param after: only resources whose names sort after it
    """
    documents.begin_repeatable_read(connection)
    read_at, versions = documents.list_versions(connection, stack_ids)
    known = {
        each.id: each
        for each in documents.list_with_parents(connection, list(versions))
    }
    subjects = [known[each] for each in versions]
    live = [each for each in subjects if each.deleted_at is None]
    live_ids = [each.id for each in live]
    inner = _grouped(documents.list_descendants(connection, live_ids))
    found = redaction.StackSecrets(connection, deps, subjects, known, inner)
    loaded = _Loader(connection, deps, live, found, after) if live else None
    return Batch(
        read_at,
        versions,
        () if loaded is None else tuple(loaded.loaded()),
        {} if after else {each.id: found.names(each) for each in subjects},
    )


class _Loader:
    def __init__(
        self,
        connection: db_engine.Connection,
        deps: dependencies.Dependencies,
        live: list[stack_model.Stack],
        found: redaction.StackSecrets,
        after: str,
    ) -> None:
        self._live = live
        self._secrets = found
        live_ids = [each.id for each in live]
        root_ids = {each.root_id for each in live}
        self._rows = _rows(connection, live_ids, after)
        self._seen = _grouped(
            (each.stack_id, each)
            for each in documents.list_drift_states(connection, live_ids)
        )
        wanted = {each.operation_id for each in live if each.operation_id}
        self._operations = {
            each.id: each
            for each in documents.list_operations(connection, wanted)
        }
        self._runs = _grouped(
            (each.operation_id, each)
            for each in lifecycle.list_of_operations(connection, wanted)
        )
        self._reasons = _grouped(
            documents.list_reasons(connection, live_ids, _SAYING_NOTHING)
        )
        self._decisions = {
            root_id: _grouped((each.path, each) for each in found)
            for root_id, found in _grouped(
                (each.root_id, each)
                for each in decisions.list_of_trees(connection, root_ids)
            ).items()
        }
        self._logins = documents.list_logins(connection, root_ids)
        self._projects = documents.list_user_projects(connection, live_ids)

    def loaded(self) -> collections.abc.Iterator[Loaded]:
        """Return the stacks one by one."""
        for stack in self._live:
            rows, following = self._rows[stack.id]
            operation_id = stack.operation_id or ids.OperationId("")
            yield Loaded(
                stack=stack,
                outer=self._secrets.outer(stack),
                tags=tuple(self._secrets.tags(stack)),
                is_hidden=self._secrets.is_hidden(stack),
                template=self._secrets.template_of(stack),
                redacts=self._secrets.redaction_of(stack),
                rows=tuple(facts.newest_by_name(rows)),
                next=following,
                seen={
                    each.resource_id: each
                    for each in self._seen.get(stack.id, ())
                },
                operation=self._operations.get(operation_id),
                runs=tuple(self._runs.get(operation_id, ())),
                reasons=tuple(dict.fromkeys(self._reasons.get(stack.id, ()))),
                decisions=self._decisions.get(stack.root_id, {}),
                login=self._logins.get(stack.root_id),
                user_project=self._projects.get(stack.id),
            )


Key = typing.TypeVar("Key")
Value = typing.TypeVar("Value")


def _grouped(
    pairs: collections.abc.Iterable[tuple[Key, Value]],
) -> dict[Key, list[Value]]:
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


_Page = tuple[list[documents.StoredResource], str | None]


def _rows(
    connection: db_engine.Connection,
    stack_ids: collections.abc.Collection[ids.StackId],
    after: str,
) -> dict[ids.StackId, _Page]:
    """Return the first resources of each stack, and where to go on.

    Those that there is no room for have none, and begin at the beginning.
    """
    most = MOST_ROWS if len(stack_ids) > 1 else PAGE
    listed = []
    room, is_cut = MOST_CHARACTERS, False
    with contextlib.closing(
        documents.list_resources(connection, stack_ids, most + 1, after)
    ) as coming:
        for row in coming:
            listed.append(row)
            room -= row.json_length
            if room <= 0 and _has_two_names(listed):
                is_cut = True
                break
    is_cut = is_cut or len(listed) > most
    last = listed[-1].stack_id if listed else ids.StackId("")
    found = _grouped((row.stack_id, row) for row in listed)
    pages: dict[ids.StackId, _Page] = {}
    for each in stack_ids:
        rows = found.get(each, [])
        if is_cut and each > last:
            pages[each] = [], _FIRST
        elif len(rows) > PAGE or (is_cut and each == last):
            pages[each] = _page(rows[:PAGE], after)
        else:
            pages[each] = rows, None
    return pages


def _has_two_names(rows: list[documents.StoredResource]) -> bool:
    """Answer whether one name, with all that have it, is whole."""
    first, last = rows[0], rows[-1]
    return (first.stack_id, first.name) != (last.stack_id, last.name)


def _page(rows: list[documents.StoredResource], after: str) -> _Page:
    """Return whole names only: all incarnations of one come together."""
    name = rows[-1].name
    whole = [row for row in rows if row.name != name]
    if whole:
        return whole, whole[-1].name
    return (rows, name) if len(rows) >= PAGE else ([], after)
