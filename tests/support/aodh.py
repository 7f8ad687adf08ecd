"""A double of Aodh that Keystone's catalogue leads to.

It answers as version 2 of the service's interface is described in its API
reference, to requests about alarms, and evaluates no rule by itself.
"""

import collections.abc
import http.server
import json
import threading
import typing
import uuid

import fixtures
import requests

from tests.support import catalogue
from tests.support import keystone

Body = dict[str, typing.Any]

_PATH: typing.Final = "/v2/alarms"
_NEW: typing.Final[Body] = {
    "state": "insufficient data",
    "enabled": True,
    "repeat_actions": False,
    "severity": "low",
    "time_constraints": [],
    "alarm_actions": [],
    "ok_actions": [],
    "insufficient_data_actions": [],
}
_REQUIRED: typing.Final = ("name", "type")
_TIMEOUT_S: typing.Final = 10


class Aodh(fixtures.Fixture):
    """Keeps the alarms of all projects.

    :ivar alarms: by id, as answers have them
    :ivar calls: method and path of each request
    """

    def __init__(self, cloud: keystone.Keystone) -> None:
        super().__init__()
        self._cloud = cloud
        self.alarms: dict[str, Body] = {}
        self.calls: list[str] = []

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        aodh = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                aodh.answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}"
        self.useFixture(
            catalogue.Published(self._cloud, "aodh", "alarming", url)
        )

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Answer a request about alarms."""
        length = int(request.headers.get("Content-Length") or 0)
        content = request.rfile.read(length)
        path = request.path.partition("?")[0]
        self.calls.append(f"{request.command} {path}")
        status, found = self._handle(
            request.command,
            path.removeprefix(_PATH).strip("/"),
            json.loads(content) if content else {},
        )
        data = b"" if found is None else json.dumps(found).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def _handle(
        self, method: str, alarm_id: str, body: Body
    ) -> tuple[int, object]:
        if not alarm_id and method == "GET":
            return 200, list(self.alarms.values())
        if method in ("POST", "PUT") and not _is_alarm(body):
            return 400, {"error_message": {"faultstring": "Invalid input"}}
        if not alarm_id:
            made = {**_NEW, **body, "alarm_id": str(uuid.uuid4())}
            self.alarms[made["alarm_id"]] = made
            return 201, made
        if alarm_id not in self.alarms:
            return 404, {"error_message": {"faultstring": "not found"}}
        if method == "DELETE":
            del self.alarms[alarm_id]
            return 204, None
        if method == "PUT":
            # What a request leaves out gets its default again.
            self.alarms[alarm_id] = {**_NEW, **body, "alarm_id": alarm_id}
        return 200, self.alarms[alarm_id]

    def change_state(self, alarm_id: str, state: str) -> list[int]:
        """Put an alarm into a state, and call the URLs of its actions.

        :param state: ``alarm``, ``ok`` or ``insufficient data``
        :returns: the status that each URL answered
        """
        alarm = self.alarms[alarm_id]
        previous, alarm["state"] = alarm["state"], state
        if not alarm["enabled"]:
            return []
        notice = {
            "alarm_id": alarm_id,
            "alarm_name": alarm["name"],
            "severity": alarm["severity"],
            "previous": previous,
            "current": state,
            "reason": f"Transition to {state}",
            "reason_data": {"type": alarm["type"]},
        }
        return [
            requests.post(url, json=notice, timeout=_TIMEOUT_S).status_code
            for url in alarm[f"{state.replace(' ', '_')}_actions"]
            if url.startswith("http")
        ]


def _is_alarm(body: collections.abc.Mapping[str, object]) -> bool:
    """Whether an alarm has what each needs, and the rule of its type."""
    rule = f"{body.get('type')}_rule"
    return all(body.get(each) for each in _REQUIRED) and rule in body
