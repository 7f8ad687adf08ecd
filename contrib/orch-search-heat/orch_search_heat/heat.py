"""The REST API of Heat, or of Orch, asked by python-heatclient.

One user asks, that of ``[search_heat]``, for the stacks of all projects: it
needs the right to list them all. What it may not look into is known by what
the list says of it.
"""

import collections.abc
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
from orch_search_heat import options
from orch_search_heat import reader
from orch_search_heat import redaction
from orch_search_heat import thin

_PAGE: typing.Final = 500


class Misconfigured(errors.Invalid):
    """The user of ``[search_heat]`` cannot be used."""

    code = "orch.search.heat_misconfigured"


class HeatSource:
    """What an orchestration service tells. Safe for several threads."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Read the options; nothing is asked yet.

        :raises Misconfigured: they name no login
        """
        options.register(conf)
        self._client = _connect(conf)
        self._hidden_tags = frozenset(conf[options.GROUP].hidden_stack_tags)
        self._lock = threading.Lock()
        self._listed: list[str] = []

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
        may not list, it is left out.

        :raises orch.errors.Unavailable: the service does not answer
        """
        reading = reader.Reading(
            self._client, self._find, self._is_listed, self._hidden_tags
        )
        found = []
        for each in stack_ids:
            read_at = clock.Timestamp(time.time())
            told = self._ask(functools.partial(reading.read, each))
            if told is not None:
                found.append(
                    document.StackDocuments(
                        stack_id=each,
                        version=int(read_at * thin.MICRO),
                        read_at=read_at,
                        documents=told.documents,
                        redacted=told.redacted,
                    )
                )
        return found

    def complete(
        self, told: collections.abc.Mapping[str, object]
    ) -> document.StackDocuments | None:
        """Return the documents of a notification that no reading completes."""
        return thin.documents_of(told, self._hidden_tags)

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
