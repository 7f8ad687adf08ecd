"""Stacks of another installation, Orch or Heat."""

import collections.abc
import dataclasses
import datetime
import email.utils
import time
import typing

import requests

from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection

Values = collections.abc.Mapping[str, object]

_STACK: typing.Final = "OS::Heat::Stack"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A stack as its installation shows it.

    :ivar action: ``CREATE``, ``UPDATE``, …
    :ivar status: ``IN_PROGRESS``, ``COMPLETE`` or ``FAILED``
    :ivar outputs: their values by key; empty where they were not requested
    :ivar shown: all that the installation shows of it
    :ivar ahead_s: by how many seconds the clock there is ahead of ours, to
        within a second
    """

    id: str
    name: str
    action: str
    status: str
    reason: str
    outputs: Values
    shown: Values
    ahead_s: float

    @property
    def path(self) -> str:
        """Return its place below the project."""
        name, stack_id = map(rest.path_segment, (self.name, self.id))
        return f"/stacks/{name}/{stack_id}"


class Stacks:
    """The stacks of one project of one installation."""

    def __init__(
        self, cloud: "connection.Connection", region_name: str | None = None
    ) -> None:
        """Speak to an installation; nothing is sent yet.

        :param cloud: logged in to the project
        :param region_name: of the installation; ``None`` for that of the
            login
        """
        self._service = rest.service_of(cloud, "orchestration", region_name)

    def find(
        self, name_or_id: str, *, with_outputs: bool = False
    ) -> Stack | None:
        """Return a stack, or ``None`` where there is none of that name or id.

        What was deleted is there no more.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        params = {} if with_outputs else {"resolve_outputs": "false"}
        try:
            answer = rest.send_request(
                self._service,
                "GET",
                f"/stacks/{rest.path_segment(name_or_id)}",
                params=params,
            )
        except rest.CloudNotFound:
            return None
        found = _stack(answer)
        is_gone = (found.action, found.status) == ("DELETE", "COMPLETE")
        return None if is_gone else found

    def template(self, found: Stack) -> Values:
        """Return the template of a stack, as its installation has it."""
        answer = rest.send_request(
            self._service, "GET", f"{found.path}/template"
        )
        return rest.read_body(answer)

    def validate(self, desired: Values) -> None:
        """Return only if the installation finds nothing wrong.

        :param desired: template, files and environment
        :raises orch.clients.rest.CloudRefused: it does
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        rest.send_request(
            self._service, "POST", "/validate", json=dict(desired)
        )

    def create(self, name: str, desired: Values) -> str:
        """Ask for a stack; return its id.

        :param desired: further keys of the request
        :raises orch.errors.Busy: there is one of that name
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        body = {"stack_name": name, **desired}
        answer = rest.send_request(self._service, "POST", "/stacks", json=body)
        created = rest.read_body(answer).get("stack")
        if not isinstance(created, dict) or not created.get("id"):
            raise rest.CloudRefused(
                "the installation returned no id of the new stack"
            )
        return str(created["id"])

    def update(self, found: Stack, desired: Values) -> None:
        """Ask for the stack to become another."""
        rest.send_request(self._service, "PUT", found.path, json=dict(desired))

    def act(self, found: Stack, action: str) -> None:
        """Ask for an action: ``suspend``, ``resume`` or ``check``."""
        path = f"{found.path}/actions"
        rest.send_request(self._service, "POST", path, json={action: None})

    def delete(self, found: Stack) -> None:
        """Ask for its removal; already gone is success."""
        try:
            rest.send_request(self._service, "DELETE", found.path)
        except rest.CloudNotFound:
            return

    def has_begun(self, found: Stack, action: str, since: float) -> bool:
        """Whether an action of the stack began at a moment or later.

        An installation may accept a request before it shows anything of it:
        the status shown is then still that of the action before.

        :param since: seconds, by our clock
        """
        params = {
            "resource_type": _STACK,
            "resource_name": found.name,
            "resource_action": action,
            "resource_status": "IN_PROGRESS",
            "sort_keys": "event_time",
            "sort_dir": "desc",
            "limit": "1",
        }
        answer = rest.send_request(
            self._service, "GET", f"{found.path}/events", params=params
        )
        events = rest.read_body(answer).get("events")
        if not isinstance(events, list) or not events:
            return False
        moment = _moment(str(events[0].get("event_time")))
        # Events bear whole seconds.
        return moment is not None and moment >= int(since + found.ahead_s)

    def find_snapshot(self, found: Stack, name: str) -> str | None:
        """Return the id of the snapshot of that name, if there is one."""
        answer = rest.send_request(
            self._service, "GET", f"{found.path}/snapshots"
        )
        listed = rest.read_body(answer).get("snapshots")
        for each in listed if isinstance(listed, list) else []:
            if each.get("name") == name:
                return str(each["id"])
        return None

    def snapshot(self, found: Stack, name: str) -> str:
        """Ask for a snapshot; return its id."""
        answer = rest.send_request(
            self._service,
            "POST",
            f"{found.path}/snapshots",
            json={"name": name},
        )
        return str(rest.read_body(answer)["id"])

    def snapshot_status(
        self, found: Stack, snapshot_id: str
    ) -> tuple[str, str]:
        """Return status and reason of a snapshot."""
        answer = rest.send_request(
            self._service, "GET", _snapshot_path(found, snapshot_id)
        )
        message = rest.read_body(answer).get("snapshot")
        shown = message if isinstance(message, dict) else {}
        return str(shown.get("status")), str(shown.get("status_reason"))

    def restore(self, found: Stack, snapshot_id: str) -> None:
        """Ask for the stack to become again what it was."""
        path = f"{_snapshot_path(found, snapshot_id)}/restore"
        rest.send_request(self._service, "POST", path)

    def delete_snapshot(self, found: Stack, snapshot_id: str) -> None:
        """Remove a snapshot; already gone is success."""
        try:
            rest.send_request(
                self._service, "DELETE", _snapshot_path(found, snapshot_id)
            )
        except rest.CloudNotFound:
            return


def _stack(answer: requests.Response) -> Stack:
    """Return the stack that an answer shows.

    :raises orch.clients.rest.CloudRefused: it shows none
    """
    shown = rest.read_body(answer).get("stack")
    if not isinstance(shown, dict) or not shown.get("id"):
        raise rest.CloudRefused(f"{answer.url} shows no stack")
    action, _, status = str(shown.get("stack_status")).partition("_")
    outputs = shown.get("outputs")
    return Stack(
        id=str(shown["id"]),
        name=str(shown.get("stack_name")),
        action=action,
        status=status,
        reason=str(shown.get("stack_status_reason") or ""),
        outputs={
            str(each.get("output_key")): each.get("output_value")
            for each in (outputs if isinstance(outputs, list) else [])
        },
        shown=shown,
        ahead_s=_ahead_s(answer),
    )


def _ahead_s(answer: requests.Response) -> float:
    try:
        there = email.utils.parsedate_to_datetime(answer.headers["Date"])
    except (KeyError, ValueError):
        return 0.0
    return there.timestamp() - time.time()


def _moment(text: str) -> float | None:
    """Return what a time of the API says, which is UTC; seconds."""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=datetime.UTC)
    return found.timestamp()


def _snapshot_path(found: Stack, snapshot_id: str) -> str:
    return f"{found.path}/snapshots/{rest.path_segment(snapshot_id)}"
