"""Left-over physical resources: what stacks have left in place for good."""

import collections.abc
import typing

from orchclient import response_parser
from orchclient import transport
from orchclient.values import leftovers as values

Leftover = values.Leftover
Omitted = values.Omitted
Sweep = values.Sweep

_PAGE = 500


class Filters(typing.TypedDict, total=False):
    """Which ones to list.

    ``stack``: name or id of the root stack; ``type``: of their resources;
    ``since``: left then or later, as in ``2026-11-21T10:00:00Z``.
    """

    stack: str
    type: str
    since: str


class Leftovers:
    """The left-over physical resources of a project."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(
        self,
        *,
        limit: int | None = None,
        **filters: typing.Unpack[Filters],
    ) -> collections.abc.Iterator[Leftover]:
        """Yield them, the newest first; pages are read as they are needed.

        :param limit: so many at most
        """
        marker: str | None = None
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            found = self._page(size, marker, filters)
            yield from found
            if not found:
                return
            marker = found[-1].id
            left = None if left is None else left - len(found)

    def show(self, leftover_id: str) -> Leftover:
        """Return one of them."""
        answer = self._sender.get(_path(leftover_id))
        return _leftover(response_parser.read_map(answer))

    def sweep(self, leftover_id: str) -> Leftover:
        """Ask for one to be removed; ``sweep`` of it names the stack.

        :raises orchclient.errors.ConflictError: a stack owns it by now
        """
        answer = self._sender.ask_once(
            "POST", f"{_path(leftover_id)}/sweep", {}
        )
        return _leftover(response_parser.read_map(answer))

    def forget(self, leftover_id: str) -> None:
        """Forget one; nothing is removed.

        :raises orchclient.errors.ConflictError: it is being removed
        """
        self._sender.ask("DELETE", _path(leftover_id))

    def _page(
        self, size: int, marker: str | None, filters: Filters
    ) -> tuple[Leftover, ...]:
        query = {**filters, "limit": size, "marker": marker}
        answer = self._sender.get("/leftovers", query)
        return response_parser.get_values(answer, "leftovers", Leftover.of)


def _path(leftover_id: str) -> str:
    return f"/leftovers/{transport.quote_part(leftover_id)}"


def _leftover(answer: response_parser.Json) -> Leftover:
    return Leftover.of(response_parser.get_map(answer, "leftover"))
