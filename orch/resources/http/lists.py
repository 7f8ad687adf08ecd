"""What services list of many resources at once, by the property ``list``.

A list may lie: it may be cut off, behind, or say two different things of one
resource. Who reads it here takes nothing that is missing for gone; see
:meth:`orch.resources.http.resource.HttpResource.inspect_all`.
"""

import collections.abc
import dataclasses
import time
import typing
import urllib.parse

from oslo_log import log

from orch import errors
from orch.plugin import call_context
from orch.resources.http import allowed_urls
from orch.resources.http import bearers
from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import pointer
from orch.resources.http import schemas

LOG = log.getLogger(__name__)

_LIMIT_S: typing.Final = 10.0
"""Seconds in which requests of lists are begun; what is left is not listed."""
_MIN_LISTED: typing.Final = 2


@dataclasses.dataclass(frozen=True, slots=True)
class _List:
    """A list of a service.

    :ivar request: of its first page
    :ivar base: the URL that all pages are below
    :ivar entries: pointer to the entries of a page
    :ivar id: pointer to the id in an entry
    :ivar next: pointer to the place of the next page; empty for one page
    """

    request: client.Request
    base: str
    entries: str
    id: str
    next: str


def find_bodies(
    send: bearers.Send,
    contexts: collections.abc.Sequence[call_context.Context],
) -> list[object] | None:
    """Return what lists show of resources, in as few requests as possible.

    :returns: a document for each, ``pointer.MISSING`` for what no list shows;
        ``None`` where two of them have no list in common
    """
    groups: dict[str, tuple[_List, list[int]]] = {}
    for place, context in enumerate(contexts):
        listed = _list_of(context)
        if listed is not None:
            _, places = groups.setdefault(repr(listed), (listed, []))
            places.append(place)
    shared = [each for each in groups.values() if len(each[1]) >= _MIN_LISTED]
    if not shared:
        return None
    bodies: list[object] = [pointer.MISSING] * len(contexts)
    until = time.monotonic() + _LIMIT_S
    for listed, places in shared:
        desired = {str(contexts[place].physical_id) for place in places}
        found = _read(send, listed, desired, until)
        for place in places:
            physical_id = str(contexts[place].physical_id)
            bodies[place] = found.get(physical_id, pointer.MISSING)
    return bodies


def _list_of(context: call_context.Context) -> _List | None:
    """Return the list that a resource declares to be in, if any."""
    properties = context.properties
    desired = calls.Calls(properties)
    part = desired.part(schemas.LIST)
    if part is None or schemas.URL.name not in properties:
        return None
    try:
        request = desired.build_list(calls.names_of(context))
    except errors.OrchError:
        return None
    return _List(
        request,
        str(properties[schemas.URL.name]),
        *(
            str(part.get(each) or "")
            for each in ("pointer", "id_pointer", "next_pointer")
        ),
    )


def _read(
    send: bearers.Send,
    listed: _List,
    desired: collections.abc.Set[str],
    until: float,
) -> dict[str, object]:
    """Return the entries of a list that are desired, by id.

    No more pages are read than single reads would take. An id with several
    entries that differ is not in the result.
    """
    found: dict[str, object] = {}
    doubtful: set[str] = set()
    for page in _read_pages(send, listed, len(desired), until):
        for entry in page:
            identifier = bearers.find_id(entry, listed.id)
            if identifier is None or identifier not in desired:
                continue
            if found.setdefault(identifier, entry) != entry:
                doubtful.add(identifier)
        if len(found) == len(desired):
            break
    return {
        identifier: entry
        for identifier, entry in found.items()
        if identifier not in doubtful
    }


def _read_pages(
    send: bearers.Send, listed: _List, limit: int, until: float
) -> collections.abc.Iterator[list[object]]:
    """Yield the pages of a list, up to the first that cannot be read."""
    request, seen = listed.request, set[str]()
    try:
        while len(seen) < limit and time.monotonic() < until:
            seen.add(request.url)
            body = send(request)
            entries = pointer.find_value(body, listed.entries)
            if not isinstance(entries, list):
                return
            yield entries
            following = _find_next(listed, request.url, body)
            if following is None or following in seen:
                return
            request = dataclasses.replace(request, url=following)
    except errors.OrchError as error:
        # Its text quotes what the service has answered.
        kind = errors.kind_of(error)
        LOG.warning("a list is not read to its end: %s", kind)


def _find_next(listed: _List, url: str, body: object) -> str | None:
    """Return the URL of the next page; ``None`` where there is none.

    :raises orch.errors.OrchError: it is elsewhere, where the headers of the
        service must not be sent
    """
    place = pointer.find_value(body, listed.next) if listed.next else None
    if not isinstance(place, str) or not place:
        return None
    following = urllib.parse.urljoin(url, place)
    allowed_urls.check_url(following, [listed.base])
    return following
