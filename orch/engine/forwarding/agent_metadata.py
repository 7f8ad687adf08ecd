"""Serve metadata to servers of abandoned stacks until they have moved.

An agent that polls here still gets the configs to apply. As soon as the new
addresses are announced, all that it reads names those.
"""

import collections.abc
import dataclasses
import typing

from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import forwarding as rows
from orch.db.repositories import software_deployments
from orch.engine import dependencies
from orch.engine.forwarding import successors
from orch.engine.queries import lookup
from orch.engine.queries import stack_user_access
from orch.model import forwarding
from orch.model import software
from orch.plugin import software as port

Addresses = collections.abc.Collection[forwarding.Address]


ServerPoll = tuple[list[software.Config], port.Values | None]
"""The configs that a server has to apply, and the new configuration of its
agent; ``None`` for a server whose stack is here."""


def poll_server(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    server_id: str,
) -> ServerPoll:
    """Return the configs that the agent of a server has to apply, in order.

    The poll is recorded, with the time at which the agent got the new address.
    """
    if not lookup.is_storable(server_id):
        return [], None
    project_id = ctxt.project_id or ""

    def work(connection: db_engine.Connection) -> tuple[ServerPoll, Addresses]:
        found = software_deployments.list_configs(
            connection,
            stack_user_access.find_scope(deps, connection, ctxt),
            server_id,
        )
        known = _list_known(deps, connection, project_id, server_id)
        found += _list_taken_over(connection, known)
        agents = [each.new_agent or each.agent for each in known]
        agent = next((each for each in agents if each is not None), None)
        return (_moved(found, known), agent), known

    polled, known = deps.database.query(work)
    _note(deps, known)
    return polled


def find_metadata(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> dict[str, object] | None:
    """Return the metadata of a server of an abandoned stack.

    :returns: ``None`` when there is no such stack, or it is another project's
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[dict[str, object] | None, Addresses]:
        for each in rows.list_of_stack(connection, stack_id):
            if _is_meant(each, ctxt, name):
                return _read(deps, connection, each)
        return None, ()

    found, known = deps.database.query(work)
    _note(deps, known)
    return found


def _is_meant(
    found: forwarding.Address, ctxt: request.RequestContext, name: str
) -> bool:
    return (
        found.kind is forwarding.Kind.METADATA
        and found.path[-1] == name
        and lookup.is_visible(ctxt, found.project_id)
    )


def _list_known(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    project_id: str,
    server_id: str,
) -> list[forwarding.Address]:
    """Return what the agent of a server uses, with the new addresses."""
    return [
        successors.with_new_address(deps, connection, each)
        for each in rows.list_of_server(connection, project_id, server_id)
    ]


def _list_taken_over(
    connection: db_engine.Connection, known: Addresses
) -> list[software.Config]:
    """Return the configs of the stack that has taken over that of a server."""
    for each in known:
        if each.kind is forwarding.Kind.METADATA:
            return successors.list_configs(connection, each)
    return []


def _read(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    server: forwarding.Address,
) -> tuple[dict[str, object], Addresses]:
    server_id = server.server_id or ""
    configs = software_deployments.list_configs(
        connection, software.Scope(server.project_id), server_id
    )
    known = _list_known(deps, connection, server.project_id, server_id)
    configs += _list_taken_over(connection, known)
    server = successors.with_new_address(deps, connection, server)
    agent = server.new_agent or server.agent or {}
    return port.build_polled_metadata(
        server.metadata, agent, _moved(configs, known)
    ), known


def _note(deps: dependencies.Dependencies, known: Addresses) -> None:
    """Record the poll of a server of an abandoned stack."""
    if known:
        deps.database.run(
            lambda connection: rows.note_poll(
                connection, known, functions.read_clock(connection)
            )
        )


def _moved(
    configs: collections.abc.Iterable[software.Config], known: Addresses
) -> list[software.Config]:
    """Return the configs with old addresses replaced by new ones."""
    pairs = [
        (each.old_address, each.new_address)
        for each in known
        if each.new_address is not None
    ]
    if not pairs:
        return list(configs)
    return [
        dataclasses.replace(
            each,
            config=_replaced(each.config, pairs),
            inputs=typing.cast(
                "list[port.Values]", _replaced(each.inputs, pairs)
            ),
        )
        for each in configs
    ]


def _replaced(
    value: object, pairs: collections.abc.Iterable[tuple[str, str]]
) -> object:
    """Return a JSON value with texts replaced in its strings."""
    if isinstance(value, str):
        for old, new in pairs:
            value = value.replace(old, new)
        return value
    if isinstance(value, collections.abc.Mapping):
        return {name: _replaced(one, pairs) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(one, pairs) for one in value]
    return value
