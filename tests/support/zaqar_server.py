"""A real Zaqar that Keystone's catalogue leads to, with queues in Redis."""

import pathlib
import subprocess
import typing
import unittest
import uuid

import fixtures
import requests

from tests.support import apart
from tests.support import catalogue
from tests.support import keystone
from tests.support import ports
from tests.support import redis_server
from tests.support import waiting

_START_S: typing.Final = 60
_STOP_S: typing.Final = 10
_SERVER: typing.Final = (
    "from zaqar.cmd import server; import sys; sys.exit(server.run())"
)
_CONFIG: typing.Final = """
[DEFAULT]
auth_strategy = keystone
unreliable = true
[drivers]
transport = wsgi
message_store = redis
management_store = redis
[drivers:transport:wsgi]
bind = 127.0.0.1
port = {port}
[drivers:message_store:redis]
uri = {redis}
[drivers:management_store:redis]
uri = {redis}
[keystone_authtoken]
auth_type = password
auth_url = {login[auth_url]}
www_authenticate_uri = {login[auth_url]}
username = {login[username]}
password = {login[password]}
user_domain_id = {login[user_domain_id]}
project_name = {login[project_name]}
project_domain_id = {login[project_domain_id]}
"""


class ZaqarServer(fixtures.Fixture):
    """A running server. Without Zaqar the test is skipped."""

    def __init__(self, cloud: keystone.Keystone) -> None:
        super().__init__()
        self._cloud = cloud
        self._port = ports.find_free()

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        python = apart.ZAQAR.find()
        if python is None:
            raise unittest.SkipTest("no Zaqar: python -m tools.apart zaqar")
        store = self.useFixture(redis_server.RedisServer())
        home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        config = home / "zaqar.conf"
        config.write_text(
            _CONFIG.format(
                port=self._port,
                redis=store.url,
                login=self._cloud.login(keystone.SERVICE).options,
            ),
            encoding="utf-8",
        )
        with (home / "log").open("wb") as log:
            server = subprocess.Popen(
                (python, "-c", _SERVER, "--config-file", str(config)),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.addCleanup(server.wait, _STOP_S)
        self.addCleanup(server.kill)
        waiting.wait_for(self._is_answering, "Zaqar", _START_S)
        self.useFixture(
            catalogue.Published(self._cloud, "zaqar", "messaging", self._url)
        )

    def messages(self, queue: str, token: str) -> list[dict[str, typing.Any]]:
        """Return the messages of a queue, in their order.

        :param token: of a user of the project that the queue is in
        """
        answer = requests.get(
            f"{self._url}/v2/queues/{queue}/messages",
            params={"limit": 20},
            headers={"X-Auth-Token": token, "Client-ID": str(uuid.uuid4())},
            timeout=_STOP_S,
        )
        answer.raise_for_status()
        found: list[dict[str, typing.Any]] = answer.json()["messages"]
        return found

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _is_answering(self) -> bool:
        try:
            answer = requests.get(self._url, timeout=_STOP_S)
        except requests.ConnectionError:
            return False
        # It asks for a token: it is there.
        return answer.status_code in {300, 401}
