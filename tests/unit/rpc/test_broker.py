import oslo_messaging as messaging
from oslo_config import cfg

from orch import errors
from orch.rpc import broker
from orch.rpc import options
from tests import base
from tests.support import ports


class BrokerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        options.register_options(self.conf)

    def broker(self, url: str) -> broker.Broker:
        return broker.Broker(
            self.conf, messaging.TransportURL.parse(self.conf, url)
        )

    def addresses(self, url: str) -> list[str]:
        subject = self.broker(url)
        return [subject._address(host) for host in subject._hosts()]

    def test_a_bus_in_the_process_needs_no_broker(self) -> None:
        subject = self.broker("orch-inproc://")

        self.assertFalse(subject.is_external)
        self.assertTrue(subject.is_reachable())
        self.assertEqual([], subject.find_queues(["orch-engine"]))
        self.assertRaises(errors.NotFound, subject.purge, "orch-engine")

    def test_addresses_are_those_of_oslo_messaging(self) -> None:
        for url, expected in (
            ("rabbit://", ["amqp://guest:guest@localhost:5672/%2F"]),
            ("rabbit://u:p@h:1/v", ["amqp://u:p@h:1/v"]),
            ("rabbit://u:p@[::1]:1//", ["amqp://u:p@[::1]:1/%2F"]),
            ("rabbit://u:a%2Fb@h/", ["amqp://u:a%2Fb@h:5672/%2F"]),
            (
                "rabbit://u:p@h1:1,u:p@h2:2/v",
                ["amqp://u:p@h1:1/v", "amqp://u:p@h2:2/v"],
            ),
        ):
            self.assertEqual(expected, self.addresses(url), url)

    def test_tls_is_used_where_the_options_say_so(self) -> None:
        self.assertIs(False, self.broker("rabbit://")._ssl())
        rabbit = "oslo_messaging_rabbit"
        self.conf.set_override("ssl", True, rabbit)
        self.assertIs(True, self.broker("rabbit://")._ssl())
        self.conf.set_override("ssl_ca_file", "/ca.pem", rabbit)
        self.assertEqual(
            {"ca_certs": "/ca.pem"}, self.broker("rabbit://")._ssl()
        )

    def test_nobody_there_is_not_reachable(self) -> None:
        url = f"rabbit://u:p@127.0.0.1:{ports.find_free()}/"
        subject = self.broker(url)

        self.assertFalse(subject.is_reachable(1))
        self.assertRaises(errors.Unavailable, subject.find_queues, ["q"])
