"""The requests of a server beyond those of every collection.

Each says which microversion it was written for, so that what comes back has
one form on every cloud that is new enough.
"""

import collections.abc
import dataclasses
import re
import typing

from orch import errors
from orch.clients import collection
from orch.clients import rest

Values = collections.abc.Mapping[str, object]
Body = collections.abc.Mapping[str, typing.Any]

READ: typing.Final = "2.42"
"""The newest but a few in which a server names its flavor by the id."""
NO_NETWORKS: typing.Final = "2.36"
"""The newest that chooses the networks where none are given."""
VOLUME_TYPES: typing.Final = "2.67"
"""Takes the type of a volume that is made for a server."""
REBUILD: typing.Final = "2.57"
"""Takes user data when a server is rebuilt."""
CONSOLE: typing.Final = "2.8"
SNAPSHOT: typing.Final = "2.45"
"""Shows the id of the image that it makes."""

_LIMIT: typing.Final = re.compile(
    r"answered 40[03]: .*maximum number of \S+ exceeded", re.IGNORECASE
)
_NOT_YET: typing.Final = re.compile(
    r"answered 400: .*requires a subnet", re.IGNORECASE
)


def create_server(
    servers: collection.Collection,
    desired: Values,
    hints: Values,
    version: str,
) -> Body:
    """Ask for a server; return the answer.

    :raises orch.errors.QuotaExceeded: of any of the resources that a server is
        made of
    :raises orch.errors.Transient: also where a network that it is to be in
        has no subnet yet
    :raises orch.errors.OrchError: see :func:`orch.clients.rest.send_request`
    """
    body: dict[str, object] = {"server": dict(desired)}
    if hints:
        body["os:scheduler_hints"] = dict(hints)
    try:
        answer = rest.send_request(
            servers.service,
            "POST",
            servers.path,
            json=body,
            microversion=version,
            is_secret=True,
        )
    except rest.CloudRefused as error:
        if _LIMIT.search(error.message):
            raise errors.QuotaExceeded(error.message) from error
        if _NOT_YET.search(error.message):
            raise errors.Transient(error.message) from error
        raise
    created = rest.read_body(answer).get("server")
    if not isinstance(created, dict) or not created.get("id"):
        raise rest.CloudRefused("the service returned no id of the new server")
    return created


@dataclasses.dataclass(frozen=True, slots=True)
class Server:
    """One server of a collection."""

    servers: collection.Collection
    id: str

    def act(
        self, action: str, desired: object = None, version: str = READ
    ) -> Body:
        """Ask for an action; return what that answers, often nothing.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        answer = rest.send_request(
            self.servers.service,
            "POST",
            f"{self._place}/action",
            json={action: desired},
            microversion=version,
            is_secret=True,
        )
        return rest.read_body(answer) if answer.content else {}

    def rename(self, name: str) -> None:
        """Give it another name."""
        self.servers.change(self.id, {"name": name})

    def interfaces(self) -> list[Body]:
        """Return its interfaces: ``net_id``, ``port_id``, ``fixed_ips``."""
        found = self._ask("GET", "/os-interface").get("interfaceAttachments")
        return found if isinstance(found, list) else []

    def attach(self, desired: Values) -> None:
        """Put it into a network, or give it a port."""
        self._ask("POST", "/os-interface", {"interfaceAttachment": desired})

    def detach(self, port_id: str) -> None:
        """Begin to take a port from it; gone already is success."""
        path = f"{self._place}/os-interface/{rest.path_segment(port_id)}"
        self.servers.discard(path)

    def newest_action(self) -> str:
        """Return what it was last asked for; empty for nothing."""
        found = self._ask("GET", "/os-instance-actions").get("instanceActions")
        listed = found if isinstance(found, list) else []
        return str(listed[0].get("action")) if listed else ""

    def console(self, protocol: str, kind: str) -> str:
        """Return where a console of it is."""
        answer = rest.send_request(
            self.servers.service,
            "POST",
            f"{self._place}/remote-consoles",
            json={"remote_console": {"protocol": protocol, "type": kind}},
            microversion=CONSOLE,
            is_secret=True,
        )
        found = rest.read_body(answer).get("remote_console")
        return str(found.get("url", "")) if isinstance(found, dict) else ""

    @property
    def _place(self) -> str:
        return self.servers.place(self.id)

    def _ask(self, method: str, path: str, body: Values | None = None) -> Body:
        return self.servers.ask(method, f"{self._place}{path}", body)
