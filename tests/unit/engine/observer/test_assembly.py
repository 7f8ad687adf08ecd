from oslo_config import cfg

from orch import errors
from orch.conf import opts
from orch.engine.observer import notification_listener
from orch.rpc import options
from tests import base


class ListeningTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        opts.register(self.conf)
        options.register_options(self.conf)
        self.conf([], default_config_files=[])

    def build(self) -> notification_listener.NotificationListener | None:
        return notification_listener.build_listener(
            self.conf, None, lambda: None
        )

    def test_the_observer_is_off_by_default(self) -> None:
        self.assertFalse(self.conf.observer.enabled)

    def test_without_topics_nothing_is_listened_to(self) -> None:
        self.assertIsNone(self.build())

    def test_a_url_that_makes_no_sense_is_refused(self) -> None:
        group = "observer"
        self.conf.set_override("topics", ["notifications"], group=group)
        self.conf.set_override("transport_url", "nothing://", group=group)

        refused = self.assertRaises(errors.Invalid, self.build)

        self.assertIn("[observer] transport_url", refused.message)
