"""The way in for programs that speak to the workers themselves.

One connection has one client a noun; what they send and get stands in
``orch.rpc.contract``. It goes straight to the workers: nothing looks at a
token or at policies on the way, so whoever has the broker's password may do
all that they ask for.
"""

import collections.abc
import contextlib
import dataclasses
import types
import typing

from oslo_config import cfg

from orch.context import request
from orch.rpc import proxy
from orch.rpc import transport

TIMEOUT_S: typing.Final = 60.0

Context = request.RequestContext
"""Who asks; :func:`ask_as` makes one."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Connection(
    proxy.Clients, contextlib.AbstractContextManager["Connection"]
):
    """One client a noun; safe for several threads, and to be closed.

    :ivar bus: is its own, and connected by the first call
    """

    bus: transport.Transport

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Leave the broker; no call works after that."""
        self.bus.cleanup()  # type: ignore[no-untyped-call]


def connect(
    url: str | None = None,
    *,
    files: collections.abc.Sequence[str] = (),
    timeout_s: float = TIMEOUT_S,
) -> Connection:
    """Return a connection to the workers; the first call opens it.

    :param url: of the broker, as ``rabbit://user:password@host:5672/``;
        ``None`` for ``transport_url`` of the files
    :param files: configuration files with options of oslo.messaging, for
        example for TLS; the same as the workers have
    :param timeout_s: seconds that a call waits for its answer
    :raises orch.errors.Invalid: the URL makes no sense
    :raises oslo_config.cfg.Error: a file is missing or a value is wrong
    """
    conf = cfg.ConfigOpts()
    conf([], default_config_files=list(files))
    bus = transport.build_transport(conf, url)
    clients = proxy.build_clients(transport.Caller(bus, timeout_s))
    return Connection(bus=bus, **clients)


def ask_as(
    project_id: str,
    *,
    user_id: str | None = None,
    user_name: str | None = None,
    roles: collections.abc.Sequence[str] = ("member", "reader"),
    auth_token: str | None = None,
    is_admin: bool = False,
) -> Context:
    """Return who asks, for the first argument of each call.

    Its ``request_id`` is new; operations, events and log lines bear it.

    :param project_id: whose stacks it is about
    :param auth_token: of Keystone, where resources act in a cloud
    :param is_admin: as an admin of the cloud, who may also read the stacks of
        other projects by the rules of the workers
    """
    return Context(
        project_id=project_id,
        user_id=user_id,
        user_name=user_name,
        roles=[*roles, *(["admin"] if is_admin else [])],
        auth_token=auth_token,
        is_admin=is_admin,
        is_admin_project=is_admin,
    )
