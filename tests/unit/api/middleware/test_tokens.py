"""How long Keystone may take to say who asks."""

import pathlib
import tempfile
import typing

from keystonemiddleware import auth_token
from oslo_config import cfg

from orch import clock
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


class _Clock(clock.SystemClock):
    """It is 2026-11-23T12:00:00Z."""

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(1795435200.0)


class TokensTestCase(base.TestCase):
    def made(self, more: str = "") -> tokens.Tokens:
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "orch.conf"
            file.write_text(_OPTIONS + more)
            conf = cfg.ConfigOpts()
            conf([], default_config_files=[str(file)], default_config_dirs=[])
            return tokens.Tokens(conf, lambda caller: False, _Clock())


class TimeToLiveTests(TokensTestCase):
    def ttl_s(self, ends: str) -> float:
        environ: dict[str, object] = {}
        if ends:
            environ["keystone.token_info"] = {"token": {"expires_at": ends}}
        return self.made()._ttl_s(environ)

    def test_no_token_is_good_for_longer_than_it_lasts(self) -> None:
        for ends, ttl_s in (
            ("2026-11-23T18:00:00.000000Z", 60.0),
            ("2026-11-23T12:00:07.000000Z", 7.0),
            ("2026-11-23T12:00:07Z", 7.0),
            ("2026-11-23T11:59:57.000000Z", -3.0),
            ("", 0.0),
        ):
            self.assertEqual(ttl_s, self.ttl_s(ends))


class TimeoutTests(TokensTestCase):
    def _timeout_s(self, more: str) -> float | None:
        guard = typing.cast(auth_token.AuthProtocol, self.made(more)._guard)
        found: float | None = guard._create_session().timeout
        return found

    def test_a_keystone_that_hangs_is_not_waited_for_for_ever(self) -> None:
        self.assertEqual(10, self._timeout_s(""))

    def test_the_operator_decides_for_how_long(self) -> None:
        self.assertEqual(3, self._timeout_s("http_connect_timeout = 3\n"))
