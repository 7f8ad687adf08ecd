"""``orch-search`` for another service: thin notifications, and its API.

They are those that Heat sent in 2016, to the letter: no user, microseconds
or none, no zone, nothing of what the stack is made of.
"""

import fixtures
import oslo_messaging as messaging
from oslo_config import cfg

from orch import ids
from orch.rpc import options
from tests import base
from tests.functional.search import test_service
from tests.support import forks
from tests.support import indexed
from tests.support import processes
from tests.support import rabbit
from tests.support import running
from tests.support import systems
from tests.support import waiting

_LIMIT_S = 60


class Bus(fixtures.Fixture):
    """Sends notifications as Heat does."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        options.register_options(conf)
        conf.set_override("control_exchange", "heat")
        transport = messaging.get_notification_transport(conf, self._url)
        self.addCleanup(transport.cleanup)
        self._notifier = messaging.Notifier(
            transport,
            publisher_id="orchestration.old",
            driver="messagingv2",
            topics=["notifications"],
        )

    def notify(self, stack_id: str, name: str, act: str, state: str) -> None:
        """Send what Heat sends of a stack."""
        self._notifier.info(
            {},
            f"orchestration.stack.{act}",
            {
                "state_reason": f"Stack {state}",
                "user_id": None,
                "stack_identity": stack_id,
                "stack_name": name,
                "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a",
                "create_at": "2016-02-29T22:15:56.378444",
                "state": state,
            },
        )


class ThinTest(base.TestCase):
    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        rules = self.make_directory() / "policy.yaml"
        rules.write_text('"stacks:global_index": "role:admin"\n')
        served = self.useFixture(
            running.Embedded(
                {
                    "oslo_policy": {"policy_file": rules},
                    "search": {"embedded": False},
                }
            )
        )
        self.client = served.system.client
        broker = self.useFixture(rabbit.VirtualHost())
        self.directory = self.make_directory()
        self.url = f"sqlite:///{self.directory}/search.db"
        self.start(broker.url())
        self.bus = self.useFixture(Bus(broker.url()))

    def start(self, transport_url: str) -> None:
        config = self.directory / "search.conf"
        systems.write_config(
            config,
            {
                "DEFAULT": {"transport_url": transport_url},
                "search": {"connection": self.url, "source": "heat"},
                "search_heat": {
                    "auth_type": "none",
                    "endpoint_override": self.client.endpoint,
                },
            },
        )
        process = processes.Process(
            "orch-search",
            *("--config-file", str(config)),
            log=self.directory / "search.log",
            launch=forks.launch,
        )
        self.addCleanup(process.close)
        process.start()
        self.process = process
        self.index = waiting.wait_for(
            lambda: indexed.open_index(self.url), "no index", _LIMIT_S
        )
        self.addCleanup(self.index.close)
        log = self.directory / "search.log"
        waiting.wait_for(
            lambda: "all stacks were read: fill" in log.read_text(),
            "it is not filled",
            _LIMIT_S,
        )

    def wait_found(self, field: str, value: str, *paths: str) -> None:
        waiting.wait_for(
            lambda: indexed.find(self.index, field, value) == list(paths),
            f"{field}:{value} is not {paths}",
            _LIMIT_S,
        )

    def test_s4_a_thin_one_is_completed_by_the_api(self) -> None:
        stack = self.client.create("web", test_service.template())
        waiting.wait_for(
            lambda: (
                self.client.show(stack)["stack_status"] == "CREATE_COMPLETE"
            ),
            "the stack",
            _LIMIT_S,
        )
        self.assertEqual([], indexed.find(self.index, "name", "web"))

        self.bus.notify(stack.id, "web", "create.end", "CREATE_COMPLETE")

        self.wait_found("length", "8", "web/text0", "web/text1")

    def test_s5_what_is_gone_by_then_is_not_found(self) -> None:
        stack_id = ids.new()
        self.bus.notify(stack_id, "never", "create.end", "CREATE_COMPLETE")
        self.bus.notify(stack_id, "never", "delete.end", "DELETE_COMPLETE")
        stack = self.client.create("web", test_service.template())
        self.bus.notify(stack.id, "web", "create.start", "CREATE_IN_PROGRESS")

        self.wait_found("name", "web", "web")
        self.assertEqual([], indexed.find(self.index, "stack_id", stack_id))

    def test_s5_what_was_sent_around_a_kill_is_not_missed(self) -> None:
        waiting.wait_for(
            lambda: self.index.load("feed_position"), "it follows", _LIMIT_S
        )
        stacks = [
            self.client.create(f"web{number}", test_service.template())
            for number in range(6)
        ]
        for number, stack in enumerate(stacks):
            self.client.wait(stack, "CREATE_COMPLETE")
            if number == 3:
                self.process.kill()
            self.bus.notify(
                stack.id, stack.name, "create.end", "CREATE_COMPLETE"
            )
        self.process.start()

        self.wait_found(
            "name", "text0", *(f"web{number}/text0" for number in range(6))
        )
        # It has not read all stacks again for that.
        log = (self.directory / "search.log").read_text()
        self.assertEqual(1, log.count("all stacks are read: fill"))
