"""Read the observed state of physical resources.

Those of one type are read at once where the type can list them, else each by a
call of its own; a call that hangs occupies a thread of a limited number, and
no caller waits for it longer than the limit.

No list says that a physical resource has vanished: what a list lacks is read
by a call of its own. A transient error counts once it has come again.
"""

import collections
import collections.abc
import dataclasses
import time
import typing
from concurrent import futures

import orjson

from orch import clock
from orch import errors
from orch import ids
from orch.engine import plugin_reads
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import registry
from orch.plugin import resource

Answers = collections.abc.Mapping[ids.ResourceId, reality.Answer]
ContextOf = collections.abc.Callable[
    [model_resource.Resource], call_context.Context
]
_Rows = collections.abc.Sequence[model_resource.Resource]
Pace = collections.abc.Callable[[str, str], object]
"""Blocks until a call may be made, for a project and a type."""
_Read = typing.TypeVar("_Read")
_Answer = typing.TypeVar("_Answer")

CALL_LIMIT_S: typing.Final = 60.0
"""Seconds after which a call counts as hung."""
WHOLE_LIMIT_S: typing.Final = 300.0
"""Seconds in which calls are begun; later ones are not made.

Waiting for the rate limit does not count.
"""
MAX_LATE_CALLS: typing.Final = 3
"""Calls of a type that found no thread in time before its rest is given up."""
RETRY_PAUSES_S: typing.Final = (0.5, 1.5)
"""Seconds before each further attempt to read what has failed transiently."""


class RealityReader:
    """Reads physical resources, once; its limits begin when it is made."""

    def __init__(
        self,
        types: registry.Types,
        context_of: ContextOf,
        clock_: clock.Clock,
        reads: plugin_reads.PluginReads | None = None,
        *,
        call_limit_s: float = CALL_LIMIT_S,
        whole_limit_s: float = WHOLE_LIMIT_S,
        pace: Pace | None = None,
        wait: collections.abc.Callable[[float], object] = time.sleep,
    ) -> None:
        """Read nothing yet.

        :param context_of: returns the context in which a row is read
        :param whole_limit_s: seconds from now in which calls are begun
        :param reads: the threads to call on; ``None`` for own ones
        :param pace: called before each call of a plug-in; it may block
        :param wait: returns after so many seconds
        """
        self._pace = pace
        self._wait = wait
        self._types = types
        self._context_of = context_of
        self._clock = clock_
        self._reads = reads or plugin_reads.PluginReads(clock_=clock_)
        self._call_limit_s = call_limit_s
        # Calls are begun until then, by the monotonic clock.
        self._until = clock_.monotonic() + whole_limit_s
        # How many calls found no thread in time, by type.
        self._late: collections.Counter[str] = collections.Counter()

    def read(self, rows: _Rows) -> dict[ids.ResourceId, reality.Answer]:
        """Return the observed state of each row; it never raises.

        It blocks for the time that the calls take. The state is ``None`` for
        types that cannot be read, and for rows without a physical id.

        :param rows: of one project
        """
        found: dict[ids.ResourceId, reality.Answer] = {
            row.id: None for row in rows
        }
        return found | self._retry(rows, self._read_once, lambda each: each)

    def _retry(
        self,
        rows: _Rows,
        read: collections.abc.Callable[[_Rows], dict[ids.ResourceId, _Answer]],
        find_error: collections.abc.Callable[[_Answer], object],
    ) -> dict[ids.ResourceId, _Answer]:
        """Return what a read finds; a transient error is tried again."""
        found = read(rows)
        for pause_s in RETRY_PAUSES_S:
            failed = [
                row
                for row in rows
                if row.id in found
                and isinstance(find_error(found[row.id]), errors.Transient)
            ]
            if not failed or self._clock.monotonic() + pause_s >= self._until:
                break
            self._wait(pause_s)
            again = read(failed)
            found.update(again)
            if all(
                isinstance(find_error(each), errors.OrchError)
                for each in again.values()
            ):
                # The service is down rather than stumbling.
                break
        return found

    def _read_once(self, rows: _Rows) -> dict[ids.ResourceId, reality.Answer]:
        """Return the state of each row that can be read, by lists or calls."""
        by_type: dict[str, list[model_resource.Resource]] = {}
        for row in rows:
            if row.physical_id is not None:
                by_type.setdefault(row.plugin_type, []).append(row)
        found: dict[ids.ResourceId, reality.Answer] = {}
        singles: list[tuple[resource.Resource, _Rows]] = []
        for name, group in by_type.items():
            plugin = self._types.find(name)
            if plugin is None or not plugin.has_reality:
                continue
            listed = self._observe(plugin, group)
            unlisted = [
                row
                for row in group
                if row.id not in listed
                or isinstance(listed[row.id], reality.Vanished)
            ]
            found.update(listed)
            singles.append((plugin, unlisted))
        for plugin, left in singles:
            found.update(
                self._call_each(
                    plugin, left, plugin.get_reality, _checked, _failure
                )
            )
        return found

    def inspect(
        self, plugin: resource.Resource, rows: _Rows
    ) -> dict[ids.ResourceId, call_context.Inspection]:
        """Return what a check of each row finds now, all of one type.

        It blocks for the time that the calls take, and never raises: where
        there is no answer, the fault says why.
        """
        return self._retry(
            rows,
            lambda some: self._call_each(
                plugin,
                some,
                plugin.inspect,
                _checked_inspection,
                lambda _, error: call_context.Inspection(
                    fault=_failure(plugin, error)
                ),
            ),
            lambda found: found.fault,
        )

    def _observe(
        self, plugin: resource.Resource, rows: _Rows
    ) -> dict[ids.ResourceId, reality.Answer]:
        """Return what a list answers; of what it does not show, nothing."""
        # Most types do not: a thread for each would be for nothing.
        if type(plugin).observe is resource.Resource.observe:
            return {}
        try:
            contexts = [self._context_of(row) for row in rows]
            listed = self._reads.ask(
                lambda: plugin.observe(contexts),
                self._await_turn(contexts[0], plugin),
                contexts[0].stack_project,
            )
            if listed is None:
                return {}
            return {
                row.id: _checked(plugin, answer)
                for row, answer in zip(rows, listed, strict=True)
                if answer is not reality.UNLISTED
            }
        except Exception as error:
            return dict.fromkeys(
                (row.id for row in rows), _failure(plugin, error)
            )

    def _call_each(
        self,
        plugin: resource.Resource,
        rows: _Rows,
        read: collections.abc.Callable[[call_context.Context], _Read],
        check: collections.abc.Callable[[resource.Resource, _Read], _Answer],
        fail: collections.abc.Callable[
            [resource.Resource, Exception], _Answer
        ],
    ) -> dict[ids.ResourceId, _Answer]:
        """Return what a method of a plug-in answers for each row."""
        found: dict[ids.ResourceId, _Answer] = {}
        pending_calls: list[
            tuple[model_resource.Resource, futures.Future[_Read], float]
        ] = []
        for row in rows:
            try:
                pending_calls.append((row, *self._ask(plugin, row, read)))
            except Exception as error:
                found[row.id] = fail(plugin, error)
        for row, answer, limit in pending_calls:
            try:
                found[row.id] = check(
                    plugin, self._reads.result(answer, limit)
                )
            except Exception as error:
                found[row.id] = fail(plugin, error)
        return found

    def _ask(
        self,
        plugin: resource.Resource,
        row: model_resource.Resource,
        read: collections.abc.Callable[[call_context.Context], _Read],
    ) -> "tuple[futures.Future[_Read], float]":
        """Begin a call.

        :raises orch.engine.plugin_reads.TooLate: there was no thread in time,
            or there has been none for too many of this type
        """
        if self._late[plugin.type_name] >= MAX_LATE_CALLS:
            raise plugin_reads.TooLate(
                f"{plugin.type_name} is not asked any more for now: calls"
                " before this one hang"
            )
        context = self._context_of(row)
        limit = self._await_turn(context, plugin)
        try:
            started = self._reads.start(
                lambda: read(context),
                limit,
                context.stack_project,
            )
        except plugin_reads.TooLate:
            self._late[plugin.type_name] += 1
            raise
        return started, limit

    def _await_turn(
        self, context: call_context.Context, plugin: resource.Resource
    ) -> float:
        """Block until a call may be made; return at once if it is too late.

        :returns: until when the call may last, by the monotonic clock
        """
        now = self._clock.monotonic()
        if self._pace is not None and now < self._until:
            self._pace(context.stack_project, plugin.type_name)
            self._until += self._clock.monotonic() - now
        return min(self._until, self._clock.monotonic() + self._call_limit_s)


def _checked(plugin: resource.Resource, answer: object) -> reality.Answer:
    """Return an answer that can be stored and compared."""
    if answer is None or isinstance(answer, errors.OrchError):
        return answer
    if isinstance(answer, collections.abc.Mapping):
        try:
            orjson.dumps(answer, default=dict)
        except TypeError as error:
            return _failure(plugin, error)
        return answer
    return plugin_reads.ReadFailed(
        f"{plugin.type_name} answers with {type(answer).__name__}, not with"
        " properties"
    )


def _checked_inspection(
    plugin: resource.Resource, found: call_context.Inspection
) -> call_context.Inspection:
    """Return an inspection whose properties can be stored and compared."""
    live = _checked(plugin, found.reality)
    if not isinstance(live, errors.OrchError):
        return found
    return dataclasses.replace(found, fault=found.fault or live, reality=None)


def _failure(plugin: resource.Resource, error: Exception) -> errors.OrchError:
    if isinstance(error, errors.OrchError):
        return error
    return plugin_reads.ReadFailed(
        f"{plugin.type_name}: {type(error).__name__}: {error}"
    )
