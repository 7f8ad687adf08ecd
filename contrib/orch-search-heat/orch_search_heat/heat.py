"""The REST API of Heat, or of Orch, asked by python-heatclient.

It has no feed of changes: its notifications say which stacks have changed, and
while an operation runs they are read again and again. One user asks, that of
``[search_heat]``, for the stacks of all projects: it needs the right to list
them all. What it may not look into is known by what the list says of it.
"""

import collections.abc
import contextlib
import dataclasses
import functools
import threading
import time
import typing

import keystoneauth1.exceptions
from heatclient import client as heatclient
from heatclient import exc
from keystoneauth1 import loading
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.search import document
from orch.search.sources import notifications
from orch.search.sources import port
from orch_search_heat import active_stacks
from orch_search_heat import inbox
from orch_search_heat import options
from orch_search_heat import outages
from orch_search_heat import reader
from orch_search_heat import redaction
from orch_search_heat import thin

_PAGE: typing.Final = 500
_WAITING_BATCHES: typing.Final = 64
_LISTEN_S: typing.Final = 5.0


class Misconfigured(errors.Invalid):
    """The user of ``[search_heat]`` cannot be used."""

    code = "orch.search.heat_misconfigured"


class Watch:
    """Receives notifications until it is stopped."""

    def __init__(self, conf: cfg.ConfigOpts, received: inbox.Inbox) -> None:
        """Listen, from now on or from when the broker is there."""
        self.is_listening = threading.Event()
        self._inbox = received
        self._listener = notifications.Listener(
            conf, received, self._begin, threads=_WAITING_BATCHES
        )
        self._outages = outages.Outages(
            self._listener.broker, self._listener.queue, received.note_miss
        )
        self._listener.start()
        self._outages.start()

    def _begin(self, has_missed: bool) -> None:
        if has_missed:
            self._inbox.note_miss()
        self.is_listening.set()

    def stop(self, grace_s: float) -> bool:
        """Receive nothing more; what is not confirmed goes back."""
        self._outages.stop(grace_s)
        return self._listener.stop(grace_s)


class HeatSource:
    """What an orchestration service tells. Safe for several threads."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Read the options; nothing is asked yet.

        :raises Misconfigured: they name no login
        """
        options.register(conf)
        group = conf[options.GROUP]
        self._conf = conf
        self._client = _connect(conf)
        self._hidden_tags = frozenset(group.hidden_stack_tags)
        self._lock = threading.Lock()
        self._listed: list[str] = []
        self._inbox = inbox.Inbox()
        self._watch: Watch | None = None
        self._active = active_stacks.ActiveStacks(
            clock.SystemClock(), group.reread_interval
        )
        self._has_resumed = False

    def list_stacks(self, after: str, limit: int) -> list[str]:
        """Return ids of stacks at any depth, in their order.

        The service has another order: the first page reads all ids, which
        are kept for the others.

        :raises orch.errors.Unavailable: the service does not answer
        """
        with self._lock:
            if not after or not self._listed:
                self._listed = self._list_all()
            return [each for each in self._listed if each > after][:limit]

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        """Return all that there is of these stacks.

        One that is not listed and cannot be shown is gone. Where the user
        may not look, the newest notification is what is known; where there
        is none, the stack is left out.

        :raises orch.errors.Unavailable: the service does not answer
        """
        begun = time.monotonic()
        reading = reader.Reading(
            self._client, self._find, self._is_listed, self._hidden_tags
        )
        try:
            read = [self._read(each, reading) for each in stack_ids]
        except errors.Unavailable:
            raise
        except Exception:
            self._active.forget(stack_ids)
            raise
        found = [each for each in read if each is not None]
        self._active.watch(found, time.monotonic() - begun)
        return found

    def _read(
        self, stack_id: str, reading: reader.Reading
    ) -> document.StackDocuments | None:
        told = self._inbox.find(stack_id)
        read_at = clock.Timestamp(time.time())
        found = self._ask(functools.partial(reading.read, stack_id))
        if found is None:
            if told is None:
                return None
            return thin.documents_of(told.thin, self._hidden_tags)
        return document.StackDocuments(
            stack_id=stack_id,
            # The clock of the service may be ahead of ours.
            version=max(
                int(read_at * thin.MICRO), told.version if told else 0
            ),
            read_at=read_at,
            documents=found.documents,
            redacted=found.redacted,
        )

    def watch(self, wake: collections.abc.Callable[[], None]) -> port.Watch:
        """Receive the notifications of the service."""
        self._inbox = inbox.Inbox(wake)
        self._has_resumed = False
        self._watch = Watch(self._conf, self._inbox)
        return self._watch

    def changes(self, position: str, limit: int) -> port.Changes:
        """Return stacks of notifications, and those whose operation runs.

        :raises orch.errors.Unavailable: notifications are not received, or
            the service does not answer
        """
        if self._watch is None or not self._watch.is_listening.wait(_LISTEN_S):
            raise errors.Unavailable(
                "the notifications of the service are not received yet"
            )
        self._resume()
        found = self._inbox.changes(position, limit)
        again = dict.fromkeys(self._active.take(limit), 0)
        return dataclasses.replace(found, changed={**again, **found.changed})

    def confirm(self, position: str) -> None:
        """Acknowledge the notifications before a position."""
        self._inbox.confirm(position)

    def _resume(self) -> None:
        """Read what was changing when the last process ended."""
        if self._has_resumed:
            return
        in_progress = {"status": active_stacks.IN_PROGRESS}
        with contextlib.suppress(exc.HTTPForbidden):
            self._active.resume(each.id for each in self._list(in_progress))
        self._has_resumed = True

    def orphans(
        self, after: str
    ) -> collections.abc.Iterator[document.Orphans]:
        """Return nothing: the service does not report orphans."""
        yield from ()

    def _list(
        self, filters: dict[str, str], *, and_hidden: bool = True
    ) -> collections.abc.Iterator[typing.Any]:
        """Return stacks of all projects, at any depth, page by page."""
        marker: str | None = None
        while True:
            page = self._ask(
                functools.partial(self._page, filters, marker, and_hidden)
            )
            yield from page
            if len(page) < _PAGE:
                return
            marker = page[-1].id

    def _list_all(self) -> list[str]:
        try:
            return sorted(each.id for each in self._list({}))
        except exc.HTTPForbidden as error:
            raise errors.Unavailable(
                f"the user of [{options.GROUP}] may not list the stacks of all"
                " projects: give it a role that may"
            ) from error

    def _page(
        self, filters: dict[str, str], marker: str | None, and_hidden: bool
    ) -> list[typing.Any]:
        return list(
            self._client.stacks.list(
                global_tenant=True,
                show_nested=True,
                show_hidden=and_hidden,
                limit=_PAGE,
                marker=marker,
                filters=dict(filters),
            )
        )

    def _find(
        self, stack_id: str, *, and_hidden: bool = True
    ) -> redaction.Found | None:
        """Return what the list of all says of a stack.

        :returns: ``None`` where it is not listed
        :raises reader.Untold: the user may not list
        """
        try:
            for each in self._list({"id": stack_id}, and_hidden=and_hidden):
                if each.id == stack_id:
                    return typing.cast(redaction.Found, each.to_dict())
        except exc.HTTPForbidden as error:
            raise reader.Untold(stack_id) from error
        return None

    def _is_listed(self, stack_id: str) -> bool:
        return self._find(stack_id, and_hidden=False) is not None

    def _ask(
        self, function: collections.abc.Callable[[], typing.Any]
    ) -> typing.Any:
        """Return what the service answers.

        :raises orch.errors.Unavailable: it does not, or not us
        """
        try:
            return function()
        except (
            keystoneauth1.exceptions.ClientException,
            exc.CommunicationError,
            exc.HTTPUnauthorized,
            exc.HTTPServiceUnavailable,
            exc.HTTPInternalServerError,
            exc.HTTPBadGateway,
            exc.HTTPOverLimit,
        ) as error:
            raise errors.Unavailable(
                f"the service of [{options.GROUP}] does not answer:"
                f" {type(error).__name__}: {str(error)[:200]}"
            ) from error


def _connect(conf: cfg.ConfigOpts) -> typing.Any:
    """Return python-heatclient, logged in by the options at its first call.

    :raises Misconfigured: they name no login
    """
    try:
        auth = loading.load_auth_from_conf_options(conf, options.GROUP)
        session = loading.load_session_from_conf_options(
            conf, options.GROUP, auth=auth
        )
    except keystoneauth1.exceptions.ClientException as error:
        raise Misconfigured(f"[{options.GROUP}] is wrong: {error}") from error
    if auth is None:
        raise Misconfigured(
            f"auth_type in [{options.GROUP}] is missing: set it, and the"
            " options of that login, to a user who may list the stacks of all"
            " projects."
        )
    group = conf[options.GROUP]
    given = {
        "endpoint_override": group.endpoint_override or None,
        "interface": group.interface,
    }
    if group.region_name:
        given["region_name"] = group.region_name
    return heatclient.Client("1", session=session, **given)
