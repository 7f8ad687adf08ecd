"""The old addresses of abandoned stacks, and their new ones.

They are stored for as long as the documents of such stacks. Signals to one
wait until a caller sends the announcement of the installation that has adopted
the stack (:func:`announce_addresses`), and are forwarded then
(``orch.engine.forwarding.forwarder``).
"""

import collections.abc
import dataclasses
import fnmatch
import re
import typing
import urllib.parse

from orch import clock
from orch import errors
from orch import ids
from orch.context import announcements
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import abandonments
from orch.db.repositories import forwarding as rows
from orch.db.repositories import signals
from orch.db.repositories import software_deployments
from orch.engine import dependencies
from orch.engine.acceptance import permissions
from orch.engine.forwarding import issued
from orch.engine.queries import lookup
from orch.model import forwarding
from orch.model import stack
from orch.rpc import contract

_MAX_URL_CHARACTERS = 4096
_SCHEMES = ("http", "https")
_PORTS: typing.Final = {"http": 80, "https": 443}
_HOST: typing.Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
"""Other characters may be read as one host here and as another by the client
library: a backslash ends the name there."""
_LATEST_MS: typing.Final = 2**53


class BadAnnouncement(errors.Invalid):
    """An announcement was altered, or is not of this stack."""

    code = "orch.announcement.bad"


class HostNotAllowed(errors.Invalid):
    """The operator does not allow signals to the new address of a stack."""

    code = "orch.announcement.host_not_allowed"


@dataclasses.dataclass(frozen=True, slots=True)
class _Announced:
    """One address of an announcement."""

    address: str
    host: str
    kind: forwarding.Kind
    agent: dict[str, object] | None


def register_addresses(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
) -> None:
    """Store the addresses of a stack that is about to be abandoned.

    Revoked ones are not stored, and remain revoked.
    """
    now = functions.read_clock(connection)
    servers: dict[str, dict[str | None, str]] = {}
    found = []
    for each in issued.list_issued(deps, connection, stack):
        row = each.row
        if signals.is_revoked(connection, row):
            continue
        if row.stack_id not in servers:
            servers[row.stack_id] = {
                one.resource_id: one.server_id
                for one in software_deployments.list_of_stack(
                    connection, row.stack_id
                )
            }
        is_polled = each.kind is forwarding.Kind.METADATA
        found.append(
            forwarding.Address(
                stack_id=row.stack_id,
                resource_id=row.id,
                origin_id=stack.id,
                project_id=stack.project_id,
                path=each.path,
                type_name=row.type_name,
                kind=each.kind,
                old_address=each.address,
                server_id=(
                    row.physical_id
                    if is_polled
                    else servers[row.stack_id].get(row.id)
                ),
                metadata=row.metadata if is_polled else {},
                agent=each.agent,
                created_at=now,
            )
        )
    rows.insert(connection, found)


def list_addresses(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> contract.ForwardingFacts:
    """Return the state of the addresses of an abandoned stack.

    :raises orch.engine.queries.lookup.AbandonmentNotFound: it was not
        abandoned, or too long ago, or is not the caller's
    """
    permissions.check_abandon(deps)

    def work(connection: db_engine.Connection) -> contract.ForwardingFacts:
        forget_old(connection, deps)
        found = lookup.get_abandonment(connection, ctxt, stack_id)
        now = functions.read_clock(connection)
        return contract.ForwardingFacts(
            stack_name=str(found.document["name"]),
            addresses=[
                _facts(deps, each, now)
                for each in rows.list_(connection, found.stack_id)
            ],
        )

    return deps.database.run(work)


def announce_addresses(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    document: collections.abc.Mapping[str, object],
) -> contract.ForwardingFacts:
    """Store an announcement, and forward signals to its addresses.

    It replaces an earlier announcement of the same addresses.

    :param document: the announcement of the installation that has adopted the
        stack
    :raises BadAnnouncement: it was altered, or is not of this stack, or
        older than what is known
    :raises HostNotAllowed: the operator does not allow the new address
    :raises orch.engine.queries.lookup.AbandonmentNotFound: the stack was not
        abandoned, or too long ago, or is not the caller's
    """
    permissions.check_abandon(deps)

    def work(connection: db_engine.Connection) -> None:
        forget_old(connection, deps)
        found = lookup.get_abandonment(connection, ctxt, stack_id)
        _check_announcement(deps, found.stack_id, document)
        announced_at = _announced_at(document)
        known = rows.list_(connection, found.stack_id)
        if any((each.announced_at or 0.0) > announced_at for each in known):
            raise BadAnnouncement(
                "The announcement is older than the one that is known: ask"
                " the installation that has adopted the stack for it again."
            )
        announced = _announced(deps, document)
        now = functions.read_clock(connection)
        for each in known:
            new = announced.get((tuple(each.path), each.kind))
            if new is not None:
                _adopt(connection, each, new, announced_at, now)

    deps.database.run(work)
    return list_addresses(deps, ctxt, stack_id)


def forget_old(
    connection: db_engine.Connection, deps: dependencies.Dependencies
) -> None:
    """Remove addresses and documents that are too old."""
    abandonments.forget_old(connection, deps.settings.document_days)
    rows.forget_old(connection, deps.settings.document_days)


def _adopt(
    connection: db_engine.Connection,
    known: forwarding.Address,
    new: _Announced,
    announced_at: clock.Timestamp,
    now: clock.Timestamp,
) -> None:
    held = rows.lock(connection, known)
    if held is None:
        return
    rows.update(
        connection,
        held,
        new_address=new.address,
        host=new.host,
        new_agent=new.agent,
        announced_at=announced_at,
        attempts=0,
        next_at=now if held.waiting else None,
        problem="",
    )


def _check_announcement(
    deps: dependencies.Dependencies,
    stack_id: ids.StackId,
    document: collections.abc.Mapping[str, object],
) -> None:
    keys = deps.settings.seal_keys
    if (
        document.get("version") != announcements.VERSION
        or document.get("stack_id") != stack_id
        or not announcements.is_genuine(keys, stack_id, document)
    ):
        raise BadAnnouncement(
            "The announcement is not of this stack, or was altered: send what"
            " the installation that has adopted it answers to GET addresses,"
            " as it is."
        )


def _announced_at(
    document: collections.abc.Mapping[str, object],
) -> clock.Timestamp:
    found = document.get("made_at_ms")
    if (
        not isinstance(found, int)
        or isinstance(found, bool)
        or not 0 <= found < _LATEST_MS
    ):
        raise BadAnnouncement("The announcement does not say when it is of.")
    return clock.Timestamp(found / 1000)


def _announced(
    deps: dependencies.Dependencies,
    document: collections.abc.Mapping[str, object],
) -> dict[tuple[tuple[str, ...], forwarding.Kind], _Announced]:
    """Return the announced addresses, by path and kind.

    The seal is genuine, yet its author may have written anything.
    """
    entries = document.get("addresses")
    if not isinstance(entries, list):
        raise BadAnnouncement("The announcement has no list of addresses.")
    found = {}
    for entry in entries:
        if not isinstance(entry, dict):
            raise BadAnnouncement("An announced address must be a map.")
        path, agent = entry.get("path"), entry.get("agent")
        if not isinstance(path, list) or not all(
            isinstance(name, str) for name in path
        ):
            raise BadAnnouncement("The path of an address must be names.")
        try:
            kind = forwarding.Kind(str(entry.get("kind")))
        except ValueError:
            continue  # A later version may have more of them.
        address = str(entry.get("address"))
        found[tuple(path), kind] = _Announced(
            address,
            _host_of(deps, address, kind),
            kind,
            dict(agent) if isinstance(agent, dict) else None,
        )
    return found


def _host_of(
    deps: dependencies.Dependencies, address: str, kind: forwarding.Kind
) -> str:
    """Return host and port of an address that signals may go to.

    :raises BadAnnouncement: it is not an address of Orch
    :raises HostNotAllowed: the operator does not allow it
    """
    try:
        parts = urllib.parse.urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        host = ""
    if (
        not _HOST.fullmatch(host)
        or len(address) > _MAX_URL_CHARACTERS
        or not address.isprintable()
        or parts.scheme not in _SCHEMES
        or parts.username is not None
        or not _is_ours(parts, kind)
    ):
        raise BadAnnouncement(
            f"{address[:80]!r} is no address of an installation of Orch."
        )
    port = port or _PORTS[parts.scheme]
    names = (host, f"{host}:{port}", f"[{host}]", f"[{host}]:{port}")
    if not any(
        fnmatch.fnmatchcase(name, pattern.lower())
        for pattern in deps.settings.forward_hosts
        for name in names
    ):
        raise HostNotAllowed(
            f"Signals may not be forwarded to {host}:{port}: the operator has"
            " to allow it in [adoption] forward_hosts."
        )
    return f"{host}:{port}"[:255]


def _is_ours(parts: urllib.parse.SplitResult, kind: forwarding.Kind) -> bool:
    if kind is forwarding.Kind.METADATA:
        return "/v1/" in parts.path and parts.path.endswith("/metadata")
    return f"/v1/{kind}/arn" in parts.path and "Signature=" in parts.query


def _facts(
    deps: dependencies.Dependencies,
    found: forwarding.Address,
    now: clock.Timestamp,
) -> contract.ForwardedAddress:
    return contract.ForwardedAddress(
        path=list(found.path),
        type_name=found.type_name,
        kind=found.kind.value,
        old_address=found.old_address,
        new_address=found.new_address,
        waiting=found.waiting,
        problem=found.problem,
        used_at=found.used_at,
        notified_at=found.notified_at,
        has_moved=found.has_moved(now, deps.settings.address_idle_time_s),
    )
