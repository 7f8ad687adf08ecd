"""How long Keystone may take to say who asks."""

import pathlib
import tempfile
import typing

from keystonemiddleware import auth_token
from oslo_config import cfg

from orch.api.middleware import tokens
from tests import base

_OPTIONS = """
[keystone_authtoken]
auth_type = password
auth_url = http://127.0.0.1:1/v3
username = orch
password = secret
user_domain_id = default
"""


class TimeoutTests(base.TestCase):
    def _timeout_s(self, more: str) -> float | None:
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "orch.conf"
            file.write_text(_OPTIONS + more)
            conf = cfg.ConfigOpts()
            conf([], default_config_files=[str(file)], default_config_dirs=[])
            made = tokens.Tokens(conf, lambda caller: False)
        guard = typing.cast(auth_token.AuthProtocol, made._guard)
        found: float | None = guard._create_session().timeout
        return found

    def test_a_keystone_that_hangs_is_not_waited_for_for_ever(self) -> None:
        self.assertEqual(10, self._timeout_s(""))

    def test_the_operator_decides_for_how_long(self) -> None:
        self.assertEqual(3, self._timeout_s("http_connect_timeout = 3\n"))
