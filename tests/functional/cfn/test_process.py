"""``orch-api-cfn`` as a process of its own."""

import functools
import json
import pathlib
import tempfile

import requests

from tests import base
from tests.functional import guarded
from tests.functional.cfn import querying
from tests.support import forks
from tests.support import ports
from tests.support import processes
from tests.support import rest
from tests.support import running
from tests.support import scraped
from tests.support import systems

_VALUE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "value": {"type": "OS::Heat::Value", "properties": {"value": "1"}}
    },
}
_READY_S = 30


class TestProcess(base.TestCase):
    limit_s = 240

    def test_it_asks_workers_over_the_broker(self) -> None:
        system = self.useFixture(running.Distributed(workers=1))
        port, shown_at = ports.find_free(), ports.find_free()
        config = system.directory / "api-cfn.conf"
        systems.write_config(
            config,
            {
                "DEFAULT": {"transport_url": system.broker.url()},
                "api_cfn": {"port": port},
                "metrics": {"port": shown_at, "ports": 1},
            },
        )
        served = processes.Process(
            "orch-api-cfn",
            *("--config-file", str(config)),
            log=config.with_suffix(".log"),
            launch=forks.launch,
        )
        self.addCleanup(served.close)
        served.start()
        served.wait_until(
            functools.partial(
                processes.answers, f"http://127.0.0.1:{port}/healthcheck"
            ),
            timeout_s=_READY_S,
        )

        made = querying.client(port).create_stack(
            StackName="web", TemplateBody=json.dumps(_VALUE)
        )

        stack = rest.Stack("web", made["StackId"].rpartition("/")[2])
        system.system.client.wait(stack, "CREATE_COMPLETE")
        ready = requests.get(f"http://127.0.0.1:{port}/readiness", timeout=30)
        self.assertEqual(200, ready.status_code)
        counted = scraped.scrape(shown_at)
        self.assertIn(
            ("orch-api-cfn",), counted.all_of("orch_process_info", "program")
        )
        self.assertEqual(
            1,
            counted.all_of("orch_http_requests_total", "route", "status")[
                "/v1/?Action=CreateStack", "200"
            ],
        )
        self.assertEqual(0, served.stop(), served.tail())


class TestWrongOptions(base.TestCase):
    """It does not start where nobody would be asked who they are."""

    def fails(self, **options: dict[str, object]) -> str:
        with tempfile.TemporaryDirectory() as name:
            config = pathlib.Path(name) / "orch.conf"
            systems.write_config(
                config,
                {"DEFAULT": {"transport_url": "orch-inproc://"}, **options},
            )
            done = processes.complete(
                (
                    processes.find("orch-api-cfn"),
                    *("--config-file", str(config)),
                ),
                guarded.plain_environment(),
                launch=forks.launch,
            )
        self.assertEqual(1, done.code, done)
        return done.errors

    def test_nobody_asked_means_this_machine_alone(self) -> None:
        told = self.fails(api_cfn={"host": "0.0.0.0", "port": 0})
        self.assertIn("host in [api_cfn] is 0.0.0.0, and auth is none", told)

    def test_passwords_check_no_signatures(self) -> None:
        told = self.fails(
            api={"auth": "basic", "user_file": "/dev/null"},
            api_cfn={"port": 0},
        )
        self.assertIn("auth in [api] is basic", told)

    def test_who_checks_signatures_needs_a_user(self) -> None:
        told = self.fails(api={"auth": "keystone"}, api_cfn={"port": 0})
        self.assertIn("auth_type in [keystone_authtoken]", told)
