"""A real Aodh that Keystone's catalogue leads to, for alarms about events.

Its API, its listener and its notifier run, on a broker of their own and
SQLite. Alarms about measurements need Gnocchi, which is not here.
"""

import os
import pathlib
import signal
import subprocess
import typing
import unittest
import uuid

import fixtures
import oslo_messaging
import requests
from oslo_config import cfg

from tests.support import apart
from tests.support import catalogue
from tests.support import keystone
from tests.support import ports
from tests.support import rabbit
from tests.support import rig
from tests.support import waiting

_START_S: typing.Final = 60
_STOP_S: typing.Final = 10
_TOPIC: typing.Final = "alarm.all"
_SYNC: typing.Final = "from aodh.cmd import storage; storage.dbsync()"
_DAEMON: typing.Final = "from aodh.cmd import alarm; alarm.{name}()"
_API: typing.Final = """
import sys
from wsgiref import simple_server
from aodh.api import app
port, served = int(sys.argv[1]), app.build_wsgi_app([])
simple_server.make_server("127.0.0.1", port, served).serve_forever()
"""
_CONFIG: typing.Final = """
[DEFAULT]
transport_url = {transport_url}
# An alarm that is new is known at the next event.
event_alarm_cache_ttl = 0
[database]
connection = sqlite:///{home}/aodh.db
[listener]
event_alarm_topic = {topic}
[api]
auth_mode = keystone
[keystone_authtoken]
{login}
"""


class AodhServer(fixtures.Fixture):
    """A running Aodh.

    :raises unittest.SkipTest: it is not installed
    """

    def __init__(self, cloud: keystone.Keystone | rig.Rig) -> None:
        super().__init__()
        self._cloud = cloud
        self._port = ports.find_free()
        self._python = apart.AODH.find()
        if self._python is None:
            raise unittest.SkipTest("no Aodh: python -m tools.apart aodh")

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        python = str(self._python)
        self._transport_url = self.useFixture(rabbit.VirtualHost()).url()
        self._home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        login = self._cloud.options()["keystone_authtoken"]
        # All parts look for it there, the middleware of Keystone too.
        config = self._home / ".aodh" / "aodh.conf"
        config.parent.mkdir()
        config.write_text(
            _CONFIG.format(
                transport_url=self._transport_url,
                home=self._home,
                topic=_TOPIC,
                login="\n".join(f"{key} = {login[key]}" for key in login),
            ),
            encoding="utf-8",
        )
        sync = self._start("sync", (python, "-c", _SYNC))
        sync.wait(_START_S)
        for name in ("listener", "notifier"):
            self._start(name, (python, "-c", _DAEMON.format(name=name)))
        self._start("api", (python, "-c", _API, str(self._port)))
        waiting.wait_for(self._is_answering, "Aodh", _START_S)
        self.useFixture(
            catalogue.Published(self._cloud, "aodh", "alarming", self._url)
        )

    def _start(
        self, name: str, command: tuple[str, ...]
    ) -> "subprocess.Popen[bytes]":
        with (self._home / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                env={**os.environ, "HOME": str(self._home)},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.addCleanup(_end, process)
        return process

    def emit(self, event_type: str, project_id: str, **traits: str) -> None:
        """Send an event, as the agent of Ceilometer sends those of services.

        :param traits: its further traits, texts
        """
        given = {"project_id": project_id, **traits}
        transport = oslo_messaging.get_notification_transport(
            cfg.ConfigOpts(), url=self._transport_url
        )
        try:
            oslo_messaging.Notifier(
                transport,
                publisher_id="ceilometer.tests",
                driver="messagingv2",
                topics=[_TOPIC],
            ).sample(
                {},
                "event",
                {
                    "message_id": str(uuid.uuid4()),
                    "event_type": event_type,
                    "traits": [[name, 1, given[name]] for name in given],
                },
            )
        finally:
            transport.cleanup()

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _is_answering(self) -> bool:
        try:
            return requests.get(self._url, timeout=_STOP_S).ok
        except requests.ConnectionError:
            return False


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process in good order, so that its workers end too."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
