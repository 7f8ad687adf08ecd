"""Snapshots of stacks."""

import dataclasses
import typing

from orchclient import identifying
from orchclient import reading
from orchclient import requesting
from orchclient import transport
from orchclient import values


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A stored state of a stack.

    :ivar state: IN_PROGRESS, COMPLETE or FAILED
    :ivar data: the stack of that time, laid out as an export; empty while it
        is taken
    """

    id: str
    stack: values.StackIdentity
    name: str
    state: str
    reason: str
    created_at: values.Moment
    data: reading.Json

    @classmethod
    def of(cls, body: reading.Json, stack: values.StackIdentity) -> "Snapshot":
        """Return the snapshot that a body describes."""
        return cls(
            id=reading.needed_text(body, "id"),
            stack=stack,
            name=reading.text(body, "name"),
            state=reading.needed_text(body, "status"),
            reason=reading.text(body, "status_reason"),
            created_at=reading.moment(body, "creation_time"),
            data=reading.find_map(body, "data"),
        )


class Snapshots:
    """The snapshots of a stack."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def create(
        self,
        stack: values.Which,
        name: str | None = None,
        **wish: typing.Unpack[requesting.RunWish],
    ) -> Snapshot:
        """Ask for a snapshot; return it as it begins."""
        found = identifying.identify(self._sender, stack)
        body = requesting.given(name=name, **wish)
        answer = self._sender.ask_once("POST", f"{found.path}/snapshots", body)
        return Snapshot.of(reading.mapping(answer), found)

    def list(self, stack: values.Which) -> tuple[Snapshot, ...]:
        """Return the snapshots of a stack."""
        found = identifying.identify(self._sender, stack)
        answer = self._sender.get(f"{found.path}/snapshots")
        return tuple(
            Snapshot.of(each, found)
            for each in reading.maps(answer, "snapshots")
        )

    def show(self, stack: values.Which, snapshot_id: str) -> Snapshot:
        """Return a snapshot."""
        found = identifying.identify(self._sender, stack)
        answer = self._sender.get(_path(found, snapshot_id))
        return Snapshot.of(reading.inner(answer, "snapshot"), found)

    def delete(self, stack: values.Which, snapshot_id: str) -> None:
        """Remove a snapshot.

        :raises orchclient.errors.UnavailableError: it takes long, and goes
            on; who asks again waits for it
        """
        found = identifying.identify(self._sender, stack)
        self._sender.ask("DELETE", _path(found, snapshot_id))

    def restore(
        self,
        stack: values.Which,
        snapshot_id: str,
        **wish: typing.Unpack[requesting.RunWish],
    ) -> values.StackIdentity:
        """Ask for a stack to go back to a snapshot; return which it is."""
        found = identifying.identify(self._sender, stack)
        path = f"{_path(found, snapshot_id)}/restore"
        self._sender.ask_once("POST", path, requesting.given(**wish))
        return found


def _path(stack: values.StackIdentity, snapshot_id: str) -> str:
    return f"{stack.path}/snapshots/{transport.part(snapshot_id)}"
