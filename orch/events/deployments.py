"""Tells consumers of configs that go to servers: ``orchestration.deployment``.

A deployment may belong to no stack, and its story is its own: notifications
have no number of an event, but a version, which grows as it changes.
"""

import collections.abc
import enum
import typing

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import outbox
from orch.model import notification
from orch.model import software

_MICRO: typing.Final = 1_000_000


class Kind(enum.StrEnum):
    """What has become of a deployment.

    ``SIGNALLED``: its server has told how it went.
    """

    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"
    SIGNALLED = "signalled"


def notification_of(
    stack: software.Deployment,
    kind: Kind,
    context: collections.abc.Mapping[str, object],
    now: clock.Timestamp,
) -> notification.Notification:
    """Return what consumers are told; no value of an input or an output.

    :param stack: the deployment as it stands then, or stood at last
    :param context: who asked, as operations keep it; empty where a resource
        of a stack did
    :param now: the database's clock
    """
    updated = stack.updated_at
    version = round(now * _MICRO)
    return notification.Notification(
        stack_id=stack.stack_id or ids.StackId(stack.id),
        sequence=version,
        event_type=f"orchestration.deployment.{kind}",
        priority="info",
        context=context or {"project_id": stack.project_id},
        payload={
            "tenant_id": stack.project_id,
            "project_id": stack.project_id,
            "user_id": context.get("user_name"),
            "username": context.get("user_name"),
            "user_identity": context.get("user_id"),
            "deployment_id": stack.id,
            "config_id": stack.config_id,
            "server_id": stack.server_id,
            "stack_identity": stack.stack_id,
            "resource_id": stack.resource_id,
            "action": stack.action,
            "status": stack.status,
            "created_at": clock.isoformat(stack.created_at),
            "updated_at": clock.isoformat(updated) if updated else None,
            "version": version,
            "request_id": context.get("request_id"),
        },
        created_at=now,
    )


def store_changes(
    connection: db_engine.Connection,
    found: collections.abc.Iterable[software.Deployment],
    kind: Kind,
    context: collections.abc.Mapping[str, object],
) -> None:
    """Store the notifications of deployments, for the relay.

    :param context: as for :func:`notification_of`
    """
    now = functions.read_clock(connection)
    outbox.insert_many(
        connection,
        [notification_of(each, kind, context, now) for each in found],
    )
