"""Snapshots of stacks."""

import typing

from orchclient import models
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient.values import snapshots as values

Snapshot = values.Snapshot


class Snapshots:
    """The snapshots of a stack."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def create(
        self,
        stack: models.Which,
        name: str | None = None,
        **request: typing.Unpack[request_bodies.RunRequest],
    ) -> Snapshot:
        """Request a snapshot; return it as it begins."""
        found = stack_lookup.identify_stack(self._sender, stack)
        body = request_bodies.without_absent(name=name, **request)
        answer = self._sender.ask_once("POST", f"{found.path}/snapshots", body)
        return Snapshot.of(response_parser.read_map(answer), found)

    def list(self, stack: models.Which) -> tuple[Snapshot, ...]:
        """Return the snapshots of a stack."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/snapshots")
        return tuple(
            Snapshot.of(each, found)
            for each in response_parser.get_maps(answer, "snapshots")
        )

    def show(self, stack: models.Which, snapshot_id: str) -> Snapshot:
        """Return a snapshot."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(_path(found, snapshot_id))
        return Snapshot.of(response_parser.get_map(answer, "snapshot"), found)

    def delete(self, stack: models.Which, snapshot_id: str) -> None:
        """Remove a snapshot.

        :raises orchclient.errors.UnavailableError: it takes long, and goes
            on; who asks again waits for it
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        self._sender.ask("DELETE", _path(found, snapshot_id))

    def restore(
        self,
        stack: models.Which,
        snapshot_id: str,
        **request: typing.Unpack[request_bodies.RunRequest],
    ) -> models.StackIdentity:
        """Ask for a stack to go back to a snapshot; return which it is."""
        found = stack_lookup.identify_stack(self._sender, stack)
        path = f"{_path(found, snapshot_id)}/restore"
        self._sender.ask_once(
            "POST", path, request_bodies.without_absent(**request)
        )
        return found


def _path(stack: models.StackIdentity, snapshot_id: str) -> str:
    return f"{stack.path}/snapshots/{transport.quote_part(snapshot_id)}"
